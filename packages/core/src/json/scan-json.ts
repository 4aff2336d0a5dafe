/**
 * Checks JSON text without parsing it and returns the position and the kind of the first problem. Engines word this
 * differently or omit the position, which an LLM needs to correct its arguments.
 */
import { skipSpace } from './text.ts'

export interface ScanProblem {
  readonly position: number
  /** Completes "At character 5, …". */
  readonly problem: string
  /** The text ends inside the value. */
  readonly cutOff: boolean
}

const literals = ['true', 'false', 'null'] as const
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const wordPattern = /[\w.+-]*/y
const escapePattern = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** `undefined` if the text is one JSON value whose numbers JavaScript can represent. */
export function scanJson(text: string, maxDepth: number): ScanProblem | undefined {
  /** The closing brackets that are still expected. */
  const open: string[] = []
  let at = skipSpace(text, 0)
  const fail = (problem: string, position = at): ScanProblem =>
    position >= text.length
      ? { position: text.length, problem: `the text ends although ${stillOpen(open)}`, cutOff: true }
      : { position, problem, cutOff: false }

  for (;;) {
    // A value starts here, or a key.
    const inObject = open.at(-1) === '}'
    if (inObject) {
      if (text[at] !== '"') return fail(`expected a key in double quotes, found ${found(text, at)}`)
      const end = stringEnd(text, at)
      if (typeof end !== 'number') return end
      at = skipSpace(text, end)
      if (text[at] !== ':') return fail(`expected ":" after the key, found ${found(text, at)}`)
      at = skipSpace(text, at + 1)
    }
    const first = text[at]
    if (first === '{' || first === '[') {
      const close = first === '{' ? '}' : ']'
      open.push(close)
      if (open.length > maxDepth) return fail(`the value is nested deeper than ${maxDepth} levels`)
      at = skipSpace(text, at + 1)
      if (text[at] !== close) continue
    } else {
      const end = first === '"' ? stringEnd(text, at) : scalarEnd(text, at)
      if (end === undefined) return fail(`expected a value, found ${found(text, at)}`)
      if (typeof end !== 'number') return end
      at = skipSpace(text, end)
    }
    // A value has ended, or an empty object or list ends here.
    while (open.length > 0 && text[at] === open.at(-1)) {
      open.pop()
      at = skipSpace(text, at + 1)
    }
    if (open.length === 0)
      return at < text.length ? fail(`nothing may follow, found ${found(text, at)}`) : undefined
    if (text[at] !== ',') return fail(`expected "," or "${open.at(-1)}", found ${found(text, at)}`)
    at = skipSpace(text, at + 1)
  }
}

/** The end of the string that starts here. Not a regular expression, which would overflow the stack on long strings. */
function stringEnd(text: string, start: number): number | ScanProblem {
  let at = start + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20)
      return {
        position: at,
        problem:
          'a line break, tab or other control character stands in a string; write it as an escape such as \\n',
        cutOff: false,
      }
    if (code === 0x5c) {
      escapePattern.lastIndex = at
      if (!escapePattern.test(text)) {
        const cutOff = at + 6 > text.length && !text.includes('"', at + 2)
        if (cutOff) break
        return {
          position: at,
          problem: `${JSON.stringify(text.slice(at, at + 2))} is not a valid escape in JSON`,
          cutOff: false,
        }
      }
      at = escapePattern.lastIndex
    } else at++
  }
  return { position: text.length, problem: 'the text ends although a string is not closed', cutOff: true }
}

/** The end of the literal or number that starts here; `undefined` if there is none. */
function scalarEnd(text: string, at: number): number | ScanProblem | undefined {
  wordPattern.lastIndex = at
  const [word = ''] = wordPattern.exec(text) ?? []
  const end = at + word.length
  if (literals.some(literal => literal === word)) return end
  numberPattern.lastIndex = at
  const [number] = numberPattern.exec(text) ?? []
  if (number === word && word !== '') {
    if (!changes(number)) return end
    const shown = number.length > 40 ? `${number.slice(0, 40)}…` : number
    return {
      position: at,
      problem: `the number ${shown} is too large to be taken exactly; write it as a text if the tool takes one`,
      cutOff: false,
    }
  }
  const begins = literals.some(literal => literal.startsWith(word)) || /^-?\d/.test(word) || word === '-'
  if (word !== '' && end === text.length && begins)
    return { position: end, problem: 'the text ends in the middle of a value', cutOff: true }
  return undefined
}

/** Whether JavaScript would change the number: it is too large, or an integer with too many digits. */
function changes(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value)) return true
  if (literal.length <= 15 || /[.eE]/.test(literal) || String(value) === literal) return false
  return BigInt(value) !== BigInt(literal)
}

function found(text: string, at: number): string {
  const point = text.codePointAt(at)
  return point === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(point))
}

function stillOpen(open: readonly string[]): string {
  const last = open.at(-1)
  if (last === undefined) return 'a value is expected'
  return last === '}' ? 'an object is not closed' : 'a list is not closed'
}
