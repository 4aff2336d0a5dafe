/**
 * A regular-expression matcher whose time grows linearly with the text, for patterns that come from outside.
 * The native engine backtracks: `^(a+)+$` on thirty letters can hold a process for minutes. Here the pattern
 * becomes an automaton and all of its states move together, one step per character (Thompson, Pike).
 */
import { type PatternNode, parsePattern } from './parse.ts'

const maxStates = 20_000
const baseSteps = 20_000_000
const stepsPerCharacter = 20

/** `undecided`: the step budget ran out, which only a huge pattern on a huge text can do. */
type PatternResult = 'match' | 'no-match' | 'undecided'

export interface Matcher {
  test(text: string): PatternResult
  /** How many automaton steps the last `test` took: lets tests prove linearity without a clock. */
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

/** Reads as the drafts ask, under `u`; a pattern that is only legal without it (`[\w-.]`) is read without. */
export function compilePattern(source: string): CompiledPattern {
  const unicode = isLegal(source, 'u')
  if (!unicode && !isLegal(source, '')) return { kind: 'invalid', reason: 'it is not a regular expression' }
  const parsed = parsePattern(source, unicode)
  if ('unsupported' in parsed) return { kind: 'unsupported', reason: `it uses ${parsed.unsupported}` }
  const states = buildStates(parsed.node, unicode)
  if (states === undefined) return { kind: 'unsupported', reason: `it needs more than ${maxStates} states` }
  return { kind: 'matcher', matcher: createMatcher(states.states, states.start, unicode) }
}

/** Only compiles; a native expression made of a foreign pattern is never run. */
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

  /** Built from the end: each node is given the state that follows it. */
  const build = (node: PatternNode, next: number): number => {
    if (full) return next
    switch (node.kind) {
      case 'char':
        return add({ kind: 'char', code: node.code, next })
      case 'set':
        return add({ kind: 'set', accepts: setTest(node.source, unicode, sets), next })
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
    let before = min
    if (max === Number.POSITIVE_INFINITY) {
      // The last of the wanted copies is the one that loops: nested `+` must not double at every level.
      const loop: State = { kind: 'split', next: [next] }
      entry = add(loop)
      const body = build(node, entry)
      loop.next.push(body)
      if (min > 0) entry = body
      before = Math.max(0, min - 1)
    } else {
      for (let count = min; count < max && !full; count++) {
        entry = add({ kind: 'split', next: [next, build(node, entry)] })
        // A part that takes no states must not turn a huge count into a huge loop.
        if (isEmpty(node)) break
      }
    }
    for (let count = 0; count < before && !full; count++) {
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

function setTest(
  source: string,
  unicode: boolean,
  sets: Map<string, (code: number) => boolean>,
): (code: number) => boolean {
  const shared = sets.get(source)
  if (shared !== undefined) return shared
  const native = new RegExp(`^(?:${source})$`, unicode ? 'u' : '')
  const known = new Map<number, boolean>()
  const accepts = (code: number): boolean => {
    const answer = known.get(code)
    if (answer !== undefined) return answer
    const fresh = native.test(String.fromCodePoint(code))
    if (known.size < 4096) known.set(code, fresh)
    return fresh
  }
  sets.set(source, accepts)
  return accepts
}

function createMatcher(states: readonly State[], start: number, unicode: boolean): Matcher {
  let steps = 0
  const test = (text: string): PatternResult => {
    steps = 0
    const budget = baseSteps + stepsPerCharacter * text.length
    // A state is in the current set when its mark is the current position, so no set is ever cleared.
    const marks = new Int32Array(states.length).fill(-1)
    const stack: number[] = []
    let current: number[] = []
    let coming: number[] = []
    let before = -1
    for (let index = 0, round = 0; index <= text.length; round++) {
      const code =
        index < text.length ? ((unicode ? text.codePointAt(index) : text.charCodeAt(index)) ?? -1) : -1
      for (let seed = 0; seed <= coming.length; seed++) {
        stack.push(seed < coming.length ? (coming[seed] ?? start) : start)
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
            if (holds(state.at, before, code)) stack.push(state.next)
          } else current.push(id)
        }
      }
      coming = []
      for (const id of current) {
        steps++
        const state = states[id]
        if (state?.kind === 'char' && state.code === code) coming.push(state.next)
        else if (state?.kind === 'set' && code >= 0 && state.accepts(code)) coming.push(state.next)
      }
      current = []
      if (steps > budget) return 'undecided'
      before = code
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
