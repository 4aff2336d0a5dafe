/**
 * Parses the part of ECMAScript regular expressions that a finite automaton can decide. The native engine has
 * already checked the syntax, so the parser only handles legal patterns. Back-references and look-around need
 * more than an automaton: for those the result is the name of the unsupported feature.
 */

export type PatternNode =
  | { readonly kind: 'char'; readonly code: number }
  /** One character, tested by a native expression: constant time, and the engine's Unicode tables can be used. */
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
  return new PatternParser(source, unicode).parse()
}

/** A recursive-descent parser; each method consumes what it returns. */
class PatternParser {
  readonly #source: string
  readonly #unicode: boolean
  #at = 0
  #depth = 0
  #unsupported = ''

  constructor(source: string, unicode: boolean) {
    this.#source = source
    this.#unicode = unicode
  }

  parse(): ParsedPattern {
    const node = this.#choice()
    if (this.#at < this.#source.length) this.#fail('syntax that is not understood')
    return this.#unsupported === '' ? { node } : { unsupported: this.#unsupported }
  }

  /** Records the first unsupported feature and moves to the end, which ends every loop. */
  #fail(feature: string): PatternNode {
    if (this.#unsupported === '') this.#unsupported = feature
    this.#at = this.#source.length
    return { kind: 'sequence', nodes: [] }
  }

  #peek(): string | undefined {
    return this.#source[this.#at]
  }

  #choice(): PatternNode {
    const first = this.#sequence()
    if (this.#peek() !== '|') return first
    const nodes = [first]
    while (this.#peek() === '|') {
      this.#at++
      nodes.push(this.#sequence())
    }
    return { kind: 'choice', nodes }
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = []
    while (this.#at < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')') {
      nodes.push(this.#quantified(this.#term()))
    }
    return { kind: 'sequence', nodes }
  }

  #quantified(node: PatternNode): PatternNode {
    const range = this.#quantifier()
    if (range === undefined) return node
    // Lazy and greedy find different matches, but agree on whether there is one.
    if (this.#peek() === '?') this.#at++
    return { kind: 'repeat', node, min: range[0], max: range[1] }
  }

  #quantifier(): [min: number, max: number] | undefined {
    const sign = this.#peek()
    if (sign === '*' || sign === '+' || sign === '?') {
      this.#at++
      return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY]
    }
    const braces = /^\{(\d+)(,(\d*))?\}/.exec(this.#source.slice(this.#at, this.#at + 40))
    if (braces === null) return undefined
    this.#at += braces[0].length
    const min = Number(braces[1])
    if (braces[2] === undefined) return [min, min]
    return [min, braces[3] === '' ? Number.POSITIVE_INFINITY : Number(braces[3])]
  }

  #term(): PatternNode {
    switch (this.#peek()) {
      case '^':
        return this.#assertion('start', 1)
      case '$':
        return this.#assertion('end', 1)
      case '(':
        return this.#group()
      case '[':
        return this.#class()
      case '\\':
        return this.#escape()
      case '.':
        return this.#set(1)
      default:
        return this.#literal()
    }
  }

  #assertion(at: 'start' | 'end' | 'boundary' | 'no-boundary', length: number): PatternNode {
    this.#at += length
    return { kind: 'assert', at }
  }

  #char(code: number, length: number): PatternNode {
    this.#at += length
    return { kind: 'char', code }
  }

  #set(length: number): PatternNode {
    const source = this.#source.slice(this.#at, this.#at + length)
    this.#at += length
    return { kind: 'set', source }
  }

  #literal(): PatternNode {
    const code = (this.#unicode ? this.#source.codePointAt(this.#at) : this.#source.charCodeAt(this.#at)) ?? 0
    return this.#char(code, this.#unicode && code > 0xffff ? 2 : 1)
  }

  #group(): PatternNode {
    const opening = /^\((?:\?(?:(:)|(<?[=!])|<[^>]*>|(.)))?/su.exec(
      this.#source.slice(this.#at, this.#at + 1000),
    )
    if (opening === null || opening[3] !== undefined) {
      return this.#fail('a kind of group that is not understood')
    }
    if (opening[2] !== undefined) return this.#fail(opening[2].length > 1 ? 'look-behind' : 'look-ahead')
    if (++this.#depth > maxGroups) return this.#fail('too many nested groups')
    this.#at += opening[0].length
    const node = this.#choice()
    if (this.#peek() === ')') this.#at++
    this.#depth--
    return node
  }

  #class(): PatternNode {
    let end = this.#at + 1
    if (this.#source[end] === '^') end++
    while (end < this.#source.length && this.#source[end] !== ']') end += this.#source[end] === '\\' ? 2 : 1
    return this.#set(end + 1 - this.#at)
  }

  #escape(): PatternNode {
    const letter = this.#source[this.#at + 1] ?? ''
    if (letter === 'b') return this.#assertion('boundary', 2)
    if (letter === 'B') return this.#assertion('no-boundary', 2)
    if (/[1-9k]/.test(letter)) return this.#fail('a back-reference')
    if (/[dDwWsS]/.test(letter)) return this.#set(2)
    const rest = this.#source.slice(this.#at, this.#at + 100)
    if (this.#unicode && (letter === 'p' || letter === 'P')) {
      return this.#set(/^\\[pP]\{[^}]*\}/.exec(rest)?.[0].length ?? 2)
    }
    return this.#characterEscape(letter, rest)
  }

  #characterEscape(letter: string, rest: string): PatternNode {
    const control = controls.get(letter)
    if (control !== undefined) return this.#char(control, 2)
    const hex = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4}))/i.exec(rest)
    if (hex !== null) return this.#hexEscape(Number.parseInt(hex[1] ?? hex[2] ?? '', 16), hex[0].length, rest)
    const braced = this.#unicode ? /^\\u\{0*([0-9a-f]{1,6})\}/i.exec(rest) : null
    if (braced !== null) return this.#char(Number.parseInt(braced[1] ?? '', 16), braced[0].length)
    const ctrl = /^\\c([a-z])/i.exec(rest)
    if (ctrl !== null) return this.#char((ctrl[1] ?? '').charCodeAt(0) % 32, 3)
    if (letter === '0') return /^\\0\d/.test(rest) ? this.#fail('an octal escape') : this.#char(0, 2)
    // Without `u`, a `\c` that no letter follows matches a backslash.
    if (letter === 'c') return this.#char(92, 1)
    this.#at++
    return this.#literal()
  }

  #hexEscape(code: number, length: number, rest: string): PatternNode {
    const low = this.#unicode
      ? /^\\u[dD][89abAB][0-9a-fA-F]{2}\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(rest)
      : null
    if (low === null) return this.#char(code, length)
    // Under `u`, two escaped surrogates are one character.
    return this.#char(0x10000 + ((code - 0xd800) << 10) + (Number.parseInt(low[1] ?? '', 16) - 0xdc00), 12)
  }
}
