/**
 * Reads the part of the ECMAScript regular expressions that a finite automaton can decide. The native engine
 * has checked the syntax before, so this parser only has to understand legal patterns; back-references and
 * look-around are beyond an automaton and end the reading with a reason.
 */

export type PatternNode =
  | { readonly kind: 'char'; readonly code: number }
  /** One character tested by a native expression of its own: constant time, and all the Unicode tables for free. */
  | { readonly kind: 'set'; readonly source: string }
  | { readonly kind: 'assert'; readonly at: 'start' | 'end' | 'boundary' | 'no-boundary' }
  | { readonly kind: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number }

type ParsedPattern = { readonly node: PatternNode } | { readonly unsupported: string }

const maxGroups = 200

const controls: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
])

export function parsePattern(source: string, unicode: boolean): ParsedPattern {
  let at = 0
  let depth = 0
  let unsupported = ''

  const node = choice()
  if (unsupported === '' && at < source.length) unsupported = 'syntax that is not understood'
  return unsupported === '' ? { node } : { unsupported }

  function fail(reason: string): PatternNode {
    if (unsupported === '') unsupported = reason
    at = source.length
    return { kind: 'sequence', nodes: [] }
  }

  function choice(): PatternNode {
    const nodes = [sequence()]
    while (source[at] === '|') {
      at++
      nodes.push(sequence())
    }
    const [only] = nodes
    return nodes.length === 1 && only !== undefined ? only : { kind: 'choice', nodes }
  }

  function sequence(): PatternNode {
    const nodes: PatternNode[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') nodes.push(quantified(term()))
    return { kind: 'sequence', nodes }
  }

  function quantified(node: PatternNode): PatternNode {
    const range = quantifier()
    if (range === undefined) return node
    // Lazy or greedy decides which match is found, not whether there is one.
    if (source[at] === '?') at++
    return { kind: 'repeat', node, min: range[0], max: range[1] }
  }

  function quantifier(): [number, number] | undefined {
    const sign = source[at]
    if (sign === '*' || sign === '+' || sign === '?') {
      at++
      return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY]
    }
    const braces = /^\{(\d+)(,(\d*))?\}/.exec(source.slice(at, at + 40))
    if (braces === null) return undefined
    at += braces[0].length
    const min = Number(braces[1])
    if (braces[2] === undefined) return [min, min]
    return [min, braces[3] === '' ? Number.POSITIVE_INFINITY : Number(braces[3])]
  }

  function term(): PatternNode {
    const sign = source[at]
    if (sign === '^' || sign === '$') {
      at++
      return { kind: 'assert', at: sign === '^' ? 'start' : 'end' }
    }
    if (sign === '(') return group()
    if (sign === '[') return charClass()
    if (sign === '\\') return escaped()
    if (sign === '.') {
      at++
      return { kind: 'set', source: '.' }
    }
    return literal()
  }

  function literal(): PatternNode {
    const code = (unicode ? source.codePointAt(at) : source.charCodeAt(at)) ?? 0
    at += unicode && code > 0xffff ? 2 : 1
    return { kind: 'char', code }
  }

  function group(): PatternNode {
    const opening = /^\((?:\?(?:(:)|(<?[=!])|<[^>]*>|(.)))?/su.exec(source.slice(at, at + 1000))
    if (opening === null || opening[3] !== undefined) return fail('a kind of group that is not understood')
    if (opening[2] !== undefined) return fail(opening[2].length > 1 ? 'look-behind' : 'look-ahead')
    if (++depth > maxGroups) return fail('too many nested groups')
    at += opening[0].length
    const node = choice()
    if (source[at] === ')') at++
    depth--
    return node
  }

  function charClass(): PatternNode {
    const start = at++
    if (source[at] === '^') at++
    while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1
    at++
    return { kind: 'set', source: source.slice(start, at) }
  }

  function escaped(): PatternNode {
    const letter = source[at + 1] ?? ''
    if (letter === 'b' || letter === 'B') {
      at += 2
      return { kind: 'assert', at: letter === 'b' ? 'boundary' : 'no-boundary' }
    }
    if (/[1-9]/.test(letter) || letter === 'k') return fail('a back-reference')
    if (/[dDwWsS]/.test(letter)) return take('set', 2)
    const rest = source.slice(at, at + 100)
    if (unicode && (letter === 'p' || letter === 'P'))
      return take('set', /^\\[pP]\{[^}]*\}/.exec(rest)?.[0].length ?? 2)
    return charEscape(letter, rest)
  }

  function take(kind: 'set', length: number): PatternNode {
    const text = source.slice(at, at + length)
    at += length
    return { kind, source: text }
  }

  function charEscape(letter: string, rest: string): PatternNode {
    const done = (code: number, length: number): PatternNode => {
      at += length
      return { kind: 'char', code }
    }
    const control = controls.get(letter)
    if (control !== undefined) return done(control, 2)
    const hex = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4}))/i.exec(rest)
    if (hex !== null) {
      const code = Number.parseInt(hex[1] ?? hex[2] ?? '', 16)
      const low = unicode ? /^\\u[dD][89abAB][0-9a-fA-F]{2}\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(rest) : null
      if (low === null) return done(code, hex[0].length)
      // Under `u` two escaped surrogates are one character.
      return done(0x10000 + ((code - 0xd800) << 10) + (Number.parseInt(low[1] ?? '', 16) - 0xdc00), 12)
    }
    const braced = unicode ? /^\\u\{0*([0-9a-f]{1,6})\}/i.exec(rest) : null
    if (braced !== null) return done(Number.parseInt(braced[1] ?? '', 16), braced[0].length)
    const ctrl = /^\\c([a-z])/i.exec(rest)
    if (ctrl !== null) return done((ctrl[1] ?? '').charCodeAt(0) % 32, 3)
    if (letter === '0') return /^\\0\d/.test(rest) ? fail('an octal escape') : done(0, 2)
    // A sloppy `\c` without a letter is the backslash itself.
    if (letter === 'c') return done(92, 1)
    at++
    return literal()
  }
}
