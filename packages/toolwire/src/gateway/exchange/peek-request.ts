/**
 * What can be known of a request without parsing it: its model, and whether its answer is to be streamed. One pass over
 * the characters finds the fields of the outermost object; whatever is unusual is left to the parser.
 */
import { isAscii } from 'node:buffer'
import { asBuffer } from '../http/bytes.ts'
import { endOfString } from '../http/json-body.ts'

/** Names of fields in the body; `undefined` where a wire has them elsewhere. */
export interface PeekFields {
  readonly model: string | undefined
  readonly stream: string | undefined
}

export interface RequestPeek {
  /** `undefined` only where it does not stand in the body. */
  readonly model: string | undefined
  readonly streamed: boolean
  /** The body, where all of it is ASCII and needs no decoding. */
  readonly text: string | undefined
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d

/** `undefined` when this is not certainly an object that names its model once, and nested no deeper than `maxDepth`. */
export function peekRequest(
  bytes: Uint8Array,
  maxDepth: number,
  fields: PeekFields,
): RequestPeek | undefined {
  const { model: modelField, stream: streamField } = fields
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
    if (key === modelField) {
      const name = text.slice(start + 1, end - 1)
      if (model !== undefined || text.charCodeAt(start) !== quote || !isPlain(name)) return undefined
      model = name
    } else if (key === streamField) {
      const value = text.slice(start, end)
      if (streamed !== undefined || (value !== 'true' && value !== 'false')) return undefined
      streamed = value === 'true'
    }
    at = skipSpace(text, end)
  } while (text.charCodeAt(at) === comma)
  if (text.charCodeAt(at) !== closeBrace || skipSpace(text, at + 1) !== text.length) return undefined
  if (modelField !== undefined && (model === undefined || model === '')) return undefined
  return { model, streamed: streamed ?? false, text: isAscii(bytes) ? text : undefined }
}

/** Neither escapes nor characters beyond ASCII, so that the raw text is the value. */
function isPlain(name: string): boolean {
  return /^[ !#-[\]-~]*$/.test(name)
}

function skipSpace(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
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
  while (isScalarCode(text.charCodeAt(at))) at++
  return at > start ? at : -1
}

function endOfNested(text: string, start: number, maxDepth: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    // Most characters come before the brackets in ASCII.
    else if (code < 0x5b) continue
    else if (code === openBrace || code === 0x5b) {
      if (++depth > maxDepth) return -1
    } else if ((code === closeBrace || code === 0x5d) && --depth === 0) return at + 1
  }
  return -1
}

/** Characters of `true`, `null` and numbers. */
function isScalarCode(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x2e ||
    code === 0x45
  )
}
