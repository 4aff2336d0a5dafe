/**
 * What can be known of a request without reading it: where it is to go, and whether its answer is to be streamed. One
 * look over the letters finds the fields of the outermost object; whatever is unusual is left to the parser.
 */
import { isAscii } from 'node:buffer'
import { asBuffer } from '../http/as-buffer.ts'
import { endOfString } from '../http/json-body.ts'

export interface RequestPeek {
  readonly model: string
  readonly streamed: boolean
  /** The body, where all of it is plain ASCII and needs no decoding. */
  readonly text: string | undefined
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d

/** Nothing when this is not surely an object with one `model`, nested no deeper than so many levels. */
export function peekRequest(bytes: Uint8Array, maxDepth: number): RequestPeek | undefined {
  const text = asBuffer(bytes).toString('latin1')
  let model: string | undefined
  let streamed: boolean | undefined
  let at = skipSpace(text, 0)
  if (text.charCodeAt(at) !== openBrace) return undefined
  do {
    const keyAt = skipSpace(text, at + 1)
    if (text.charCodeAt(keyAt) !== quote) return undefined
    const keyEnd = endOfString(text, keyAt)
    const colonAt = skipSpace(text, keyEnd + 1)
    if (text.charCodeAt(colonAt) !== colon) return undefined
    const start = skipSpace(text, colonAt + 1)
    const end = endOfValue(text, start, maxDepth - 1)
    if (end === -1) return undefined
    const key = text.slice(keyAt + 1, keyEnd)
    // An escape may spell any name.
    if (key.includes('\\')) return undefined
    if (key === 'model') {
      const name = text.slice(start + 1, end - 1)
      if (model !== undefined || text.charCodeAt(start) !== quote || !isPlain(name)) return undefined
      model = name
    } else if (key === 'stream') {
      const value = text.slice(start, end)
      if (streamed !== undefined || (value !== 'true' && value !== 'false')) return undefined
      streamed = value === 'true'
    }
    at = skipSpace(text, end)
  } while (text.charCodeAt(at) === comma)
  if (text.charCodeAt(at) !== closeBrace || skipSpace(text, at + 1) !== text.length) return undefined
  if (model === undefined || model === '') return undefined
  return { model, streamed: streamed ?? false, text: isAscii(bytes) ? text : undefined }
}

/** Neither escapes nor letters beyond ASCII, so that it is what it looks like. */
function isPlain(name: string): boolean {
  return /^[ !#-[\]-~]*$/.test(name)
}

function skipSpace(text: string, start: number): number {
  let at = start
  for (;;) {
    const letter = text.charCodeAt(at)
    if (letter !== 0x20 && letter !== 0x0a && letter !== 0x0d && letter !== 0x09) return at
    at++
  }
}

/** The position after a value; -1 when it has no end or is nested too deep. */
function endOfValue(text: string, start: number, maxDepth: number): number {
  const first = text.charCodeAt(start)
  if (first === quote) {
    const end = endOfString(text, start)
    return end < text.length ? end + 1 : -1
  }
  if (first === openBrace || first === 0x5b) return endOfNested(text, start, maxDepth)
  let at = start
  while (isScalarLetter(text.charCodeAt(at))) at++
  return at > start ? at : -1
}

function endOfNested(text: string, start: number, maxDepth: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const letter = text.charCodeAt(at)
    if (letter === quote) at = endOfString(text, at)
    // Brackets come late in the alphabet, digits and commas early.
    else if (letter < 0x5b) continue
    else if (letter === openBrace || letter === 0x5b) {
      if (++depth > maxDepth) return -1
    } else if ((letter === closeBrace || letter === 0x5d) && --depth === 0) return at + 1
  }
  return -1
}

/** Letters of `true`, `null` and numbers. */
function isScalarLetter(letter: number): boolean {
  return (
    (letter >= 0x30 && letter <= 0x39) ||
    (letter >= 0x61 && letter <= 0x7a) ||
    letter === 0x2d ||
    letter === 0x2b ||
    letter === 0x2e ||
    letter === 0x45
  )
}
