/**
 * A regular-expression matcher that takes linear time, for patterns of untrusted schemas. The native engine
 * backtracks: `^(a+)+$` on thirty letters can block a process for minutes. Here the pattern becomes a
 * nondeterministic automaton whose states all advance together, one step per character (Thompson, Pike).
 */
import { type PatternNode, parsePattern } from './parse.ts'

const maxStates = 20_000
const baseSteps = 20_000_000
const stepsPerCharacter = 20

/** `undecided`: the step budget ran out, which only a huge pattern on a huge text can do. */
type PatternResult = 'match' | 'no-match' | 'undecided'

export interface Matcher {
  test(text: string): PatternResult
  /** How many automaton steps the last `test` took, so that tests can prove linearity without a clock. */
  readonly steps: () => number
}

type CompiledPattern =
  | { readonly kind: 'matcher'; readonly matcher: Matcher }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unsupported'; readonly reason: string }

type State =
  | { kind: 'match' }
  | { kind: 'split'; next: number[] }
  | { kind: 'char'; code: number; next: number }
  | { kind: 'set'; accepts: (code: number) => boolean; next: number }
  | { kind: 'assert'; at: 'start' | 'end' | 'boundary' | 'no-boundary'; next: number }

/** Uses the `u` flag, as the drafts require, unless the pattern is only legal without it (`[\w-.]`). */
export function compilePattern(source: string): CompiledPattern {
  const unicode = isLegal(source, 'u')
  if (!unicode && !isLegal(source, '')) return { kind: 'invalid', reason: 'it is not a regular expression' }
  const parsed = parsePattern(source, unicode)
  if ('unsupported' in parsed) return { kind: 'unsupported', reason: `it uses ${parsed.unsupported}` }
  const states = buildStates(parsed.node, unicode)
  if (states === undefined) return { kind: 'unsupported', reason: `it needs more than ${maxStates} states` }
  return { kind: 'matcher', matcher: createMatcher(states.states, states.start, unicode) }
}

/** Compiles the pattern natively but never runs it, so it cannot backtrack. */
function isLegal(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}

function buildStates(root: PatternNode, unicode: boolean): { states: State[]; start: number } | undefined {
  const states: State[] = [{ kind: 'match' }]
  const sets = new Map<string, (code: number) => boolean>()
  let full = false

  const add = (state: State): number => {
    if (states.length >= maxStates) full = true
    else states.push(state)
    return states.length - 1
  }

  /** Builds from the end: `next` is the state that follows the node. */
  const build = (node: PatternNode, next: number): number => {
    if (full) return next
    switch (node.kind) {
      case 'char':
        return add({ kind: 'char', code: node.code, next })
      case 'set':
        return add({ kind: 'set', accepts: compileSet(node.source, unicode, sets), next })
      case 'assert':
        return add({ kind: 'assert', at: node.at, next })
      case 'choice':
        return add({ kind: 'split', next: node.nodes.map(option => build(option, next)) })
      case 'sequence':
        return node.nodes.reduceRight((after, part) => build(part, after), next)
      case 'repeat':
        return repeat(node.node, node.min, node.max, next)
    }
  }

  const repeat = (node: PatternNode, min: number, max: number, next: number): number => {
    let entry = next
    let copies = min
    if (max === Number.POSITIVE_INFINITY) {
      // The last required copy is the one that loops, so that nested `+` do not double the states at each level.
      const loop: State = { kind: 'split', next: [next] }
      entry = add(loop)
      const body = build(node, entry)
      loop.next.push(body)
      if (min > 0) entry = body
      copies = Math.max(0, min - 1)
    } else {
      for (let count = min; count < max && !full; count++) {
        entry = add({ kind: 'split', next: [next, build(node, entry)] })
        // An empty node adds no states, so the state limit would not stop a huge count.
        if (isEmpty(node)) break
      }
    }
    for (let count = 0; count < copies && !full; count++) {
      entry = build(node, entry)
      if (isEmpty(node)) break
    }
    return entry
  }

  const start = build(root, 0)
  return full ? undefined : { states, start }
}

function isEmpty(node: PatternNode): boolean {
  if (node.kind === 'sequence') return node.nodes.every(isEmpty)
  return node.kind === 'repeat' && (node.max === 0 || isEmpty(node.node))
}

function compileSet(
  source: string,
  unicode: boolean,
  sets: Map<string, (code: number) => boolean>,
): (code: number) => boolean {
  const shared = sets.get(source)
  if (shared !== undefined) return shared
  const native = new RegExp(`^(?:${source})$`, unicode ? 'u' : '')
  const known = new Map<number, boolean>()
  const accepts = (code: number): boolean => {
    const cached = known.get(code)
    if (cached !== undefined) return cached
    const result = native.test(String.fromCodePoint(code))
    if (known.size < 4096) known.set(code, result)
    return result
  }
  sets.set(source, accepts)
  return accepts
}

function createMatcher(states: readonly State[], start: number, unicode: boolean): Matcher {
  let steps = 0
  const test = (text: string): PatternResult => {
    steps = 0
    const budget = baseSteps + stepsPerCharacter * text.length
    // `marks` holds the round in which a state was last reached, so no set has to be cleared between rounds.
    const marks = new Int32Array(states.length).fill(-1)
    const stack: number[] = []
    let current: number[] = []
    let upcoming: number[] = []
    let previous = -1
    for (let index = 0, round = 0; index <= text.length; round++) {
      const code =
        index < text.length ? ((unicode ? text.codePointAt(index) : text.charCodeAt(index)) ?? -1) : -1
      for (let seed = 0; seed <= upcoming.length; seed++) {
        stack.push(seed < upcoming.length ? (upcoming[seed] ?? start) : start)
        while (stack.length > 0) {
          const id = stack.pop() ?? 0
          if (marks[id] === round) continue
          marks[id] = round
          steps++
          const state = states[id]
          if (state === undefined) continue
          if (state.kind === 'match') return 'match'
          if (state.kind === 'split') for (const next of state.next) stack.push(next)
          else if (state.kind === 'assert') {
            if (holds(state.at, previous, code)) stack.push(state.next)
          } else current.push(id)
        }
      }
      upcoming = []
      for (const id of current) {
        steps++
        const state = states[id]
        if (state?.kind === 'char' && state.code === code) upcoming.push(state.next)
        else if (state?.kind === 'set' && code >= 0 && state.accepts(code)) upcoming.push(state.next)
      }
      current = []
      if (steps > budget) return 'undecided'
      previous = code
      index += code > 0xffff ? 2 : 1
    }
    return 'no-match'
  }
  return { test, steps: () => steps }
}

function holds(at: 'start' | 'end' | 'boundary' | 'no-boundary', before: number, after: number): boolean {
  if (at === 'start') return before < 0
  if (at === 'end') return after < 0
  return (isWord(before) !== isWord(after)) === (at === 'boundary')
}

function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  )
}
