/** What can be known of a request without parsing it: its model, and whether its answer is to be streamed. */
import { isAscii } from 'node:buffer'
import { createJsonMeter } from '@toolwire/core/json'
import { asBuffer } from '../http/bytes.ts'
import { plainString, scanMembers } from '../http/json-members.ts'
import type { Limits } from '../settings.ts'

/** Names of fields in the body; `undefined` where a wire has them elsewhere. */
export interface PeekFields {
  readonly model: string | undefined
  readonly stream: string | undefined
  readonly thread?: string | undefined
}

export interface RequestPeek {
  /** `undefined` only where it does not stand in the body. */
  readonly model: string | undefined
  readonly streamed: boolean
  /** It begins or continues a thread. */
  readonly isThreaded: boolean
  /** How many lists, objects and members it has. */
  readonly nodes: number
  /** The body, where all of it is ASCII and needs no decoding. */
  readonly text: string | undefined
}

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
  let isThreaded = false
  const isPlain = scanMembers(text, meter, (key, _, start, end) => {
    if (key === modelField) {
      const name = model === undefined ? plainString(text, start, end) : undefined
      model = name
      return name !== undefined
    }
    if (key === fields.thread) isThreaded = true
    if (key !== streamField) return true
    const value = text.slice(start, end)
    if (streamed !== undefined || (value !== 'true' && value !== 'false')) return false
    streamed = value === 'true'
    return true
  })
  if (!isPlain || (modelField !== undefined && (model === undefined || model === ''))) return undefined
  return {
    model,
    streamed: streamed ?? false,
    isThreaded,
    nodes: meter.counted,
    text: isAscii(bytes) ? text : undefined,
  }
}
