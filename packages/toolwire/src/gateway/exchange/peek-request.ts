/**
 * What can be known of a request without parsing it: its model, and whether its answer is to be streamed. One pass over
 * the characters finds the fields of the outermost object; whatever is unusual is left to the parser.
 */
import { isAscii } from 'node:buffer'
import { closingQuote, createJsonMeter, skipSpace, valueEnd } from '@toolwire/core/json'
import { asBuffer } from '../http/bytes.ts'
import type { Limits } from '../settings.ts'

/** Names of fields in the body; `undefined` where a wire has them elsewhere. */
export interface PeekFields {
  readonly model: string | undefined
  readonly stream: string | undefined
}

export interface RequestPeek {
  /** `undefined` only where it does not stand in the body. */
  readonly model: string | undefined
  readonly streamed: boolean
  /** How many lists, objects and members it has. */
  readonly nodes: number
  /** The body, where all of it is ASCII and needs no decoding. */
  readonly text: string | undefined
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d

/** `undefined` when this is not certainly an object that names its model once and is within the limits. */
export function peekRequest(
  bytes: Uint8Array,
  { depth, nodes }: Pick<Limits, 'depth' | 'nodes'>,
  fields: PeekFields,
): RequestPeek | undefined {
  const { model: modelField, stream: streamField } = fields
  const text = asBuffer(bytes).toString('latin1')
  const meter = createJsonMeter(depth - 1, nodes)
  let model: string | undefined
  let streamed: boolean | undefined
  let at = skipSpace(text, 0)
  if (text.charCodeAt(at) !== openBrace) return undefined
  do {
    const keyAt = skipSpace(text, at + 1)
    if (text.charCodeAt(keyAt) !== quote) return undefined
    const keyEnd = closingQuote(text, keyAt + 1)
    if (keyEnd === -1) return undefined
    const colonAt = skipSpace(text, keyEnd + 1)
    if (text.charCodeAt(colonAt) !== colon) return undefined
    const start = skipSpace(text, colonAt + 1)
    const end = valueEnd(text, start, meter)
    meter.counted++
    if (end === -1 || meter.counted > nodes) return undefined
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
  return { model, streamed: streamed ?? false, nodes: meter.counted, text: isAscii(bytes) ? text : undefined }
}

/** Neither escapes nor characters beyond ASCII, so that the raw text is the value. */
function isPlain(name: string): boolean {
  return /^[ !#-[\]-~]*$/.test(name)
}
