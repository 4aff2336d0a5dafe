/**
 * Chunks as text. All of a stream's chunks share their beginning and end, so a piece of text costs one
 * `JSON.stringify` of that piece and no object around it.
 */

import type { JsonObject } from '../../../json/object.ts'
import { escapeJson } from '../../../json/text.ts'
import { jsonText } from '../../kit/json-text.ts'

export interface ChunkHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

export interface ChunkWriter {
  /** Writes chunks that say more of one text field of the message. */
  text(key: string): PieceWriter
  /** Writes chunks with more of a call's arguments. */
  input(at: InputPlace): PieceWriter
  /** These and the following are empty when a value is nested too deep to be written. */
  delta(delta: JsonObject): string
  choice(choice: JsonObject, more?: JsonObject): string
  usage(usage: JsonObject): string
}

/** Writes a piece of text, for which there may be letters already. */
export type PieceWriter = (text: string, letters?: string | undefined) => string

/** Where the arguments go: under the index of a call, or, without one, in the old `function_call`. */
export interface InputPlace {
  readonly index?: number
  readonly form: 'function' | 'custom'
}

/** With `withUsage`, as OpenAI does when asked for usage, every chunk has it, though `null` but in the last. */
export function createChunkWriter({ id, created, model }: ChunkHead, withUsage: boolean): ChunkWriter {
  const head = { id, object: 'chat.completion.chunk', created, model }
  const choices = `data: ${JSON.stringify(head).slice(0, -1)},"choices":[`
  const around = `${choices}{"index":0,`
  const opening = `${around}"delta":`
  const closing = `,"logprobs":null,"finish_reason":null${withUsage ? unusedEnd : plainEnd}`
  const frame = (body: JsonObject): string => {
    const json = jsonText(body)
    return json === undefined ? '' : `data: ${json}\n\n`
  }
  const unused = withUsage ? { usage: null } : {}
  const choice = (fields: JsonObject, more?: JsonObject): string => {
    if (more !== undefined) return frame({ ...head, choices: [{ index: 0, ...fields }], ...unused, ...more })
    const json = jsonText(fields)
    return json === undefined ? '' : around + json.slice(1, -1) + (withUsage ? unusedEnd : plainEnd)
  }
  // Joined, since engines would put a sum of texts together anew for each piece.
  const piecesOf = (start: string, end: string): PieceWriter => {
    const before = [opening, '{', start, '"'].join('')
    const after = ['"', end, '}', closing].join('')
    return (text, letters = escapeJson(text)) => before + letters + after
  }

  return {
    text: key => piecesOf(`${JSON.stringify(key)}:`, ''),
    input({ index, form }) {
      const [start, end] = index === undefined ? functionCall : toolCall(index, form)
      return piecesOf(start, end)
    },
    delta(delta) {
      const json = jsonText(delta)
      return json === undefined ? '' : opening + json + closing
    },
    choice,
    usage(usage) {
      const json = jsonText(usage)
      return json === undefined ? '' : `${choices}],"usage":${json}}\n\n`
    },
  }
}

const plainEnd = '}]}\n\n'
const unusedEnd = '}],"usage":null}\n\n'

const functionCall = ['"function_call":{"arguments":', '}'] as const

function toolCall(index: number, form: InputPlace['form']): readonly [start: string, end: string] {
  const key = form === 'custom' ? 'custom":{"input"' : 'function":{"arguments"'
  return [`"tool_calls":[{"index":${index},"${key}:`, '}}]']
}
