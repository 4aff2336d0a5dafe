/**
 * Chunks as text. All chunks of a stream share their beginning and end, so a piece of text costs one
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

/** Encodes a chunk with a piece of text, `''` if the piece is empty; `escaped` is the piece as JSON, where known. */
export type EncodePiece = (text: string, escaped?: string | undefined) => string

/** Where arguments go: into the call at an index or, without one, into the deprecated `function_call`. */
export interface CallTarget {
  readonly index?: number
  readonly form: 'function' | 'custom'
}

/** The methods that take values return `''` when a value is nested too deep for `JSON.stringify`. */
export class ChunkEncoder {
  readonly #head: JsonObject
  readonly #withUsage: boolean
  /** What a chunk begins with, up to its choices, up to the fields of its choice, and up to its delta. */
  readonly #beforeChoices: string
  readonly #beforeFields: string
  readonly #beforeDelta: string
  readonly #afterFields: string
  readonly #afterDelta: string

  /** `withUsage`: when the client asked for usage, every chunk has the field, and all but the last have `null` in it. */
  constructor({ id, created, model }: ChunkHead, withUsage: boolean) {
    this.#head = { id, object: 'chat.completion.chunk', created, model }
    this.#withUsage = withUsage
    this.#beforeChoices = `data: ${JSON.stringify(this.#head).slice(0, -1)},"choices":[`
    this.#beforeFields = `${this.#beforeChoices}{"index":0,`
    this.#beforeDelta = `${this.#beforeFields}"delta":`
    this.#afterFields = withUsage ? '}],"usage":null}\n\n' : '}]}\n\n'
    this.#afterDelta = `,"logprobs":null,"finish_reason":null${this.#afterFields}`
  }

  /** For the pieces of a text field of the message. */
  text(key: string): EncodePiece {
    return this.#pieces(`${JSON.stringify(key)}:`, '')
  }

  /** For the pieces of a part of the content that is reasoning. */
  thinking(): EncodePiece {
    return this.#pieces('"content":[{"type":"thinking","thinking":[{"type":"text","text":', '}]}]')
  }

  /** For the pieces of a call's arguments. */
  input({ index, form }: CallTarget): EncodePiece {
    if (index === undefined) return this.#pieces('"function_call":{"arguments":', '}')
    const key = form === 'custom' ? 'custom":{"input"' : 'function":{"arguments"'
    return this.#pieces(`"tool_calls":[{"index":${index},"${key}:`, '}}]')
  }

  delta(delta: JsonObject): string {
    const json = jsonText(delta)
    return json === undefined ? '' : this.#beforeDelta + json + this.#afterDelta
  }

  /** `more` holds fields of the chunk itself. */
  choice(fields: JsonObject, more?: JsonObject): string {
    if (more === undefined) {
      const json = jsonText(fields)
      return json === undefined ? '' : this.#beforeFields + json.slice(1, -1) + this.#afterFields
    }
    const usage = this.#withUsage ? { usage: null } : {}
    const json = jsonText({ ...this.#head, choices: [{ index: 0, ...fields }], ...usage, ...more })
    return json === undefined ? '' : `data: ${json}\n\n`
  }

  usage(usage: JsonObject): string {
    const json = jsonText(usage)
    return json === undefined ? '' : `${this.#beforeChoices}],"usage":${json}}\n\n`
  }

  #pieces(start: string, end: string): EncodePiece {
    // `join` makes flat strings. A concatenation would be flattened again for each piece.
    const before = [this.#beforeDelta, '{', start, '"'].join('')
    const after = ['"', end, '}', this.#afterDelta].join('')
    return (text, escaped = escapeJson(text)) => (text === '' ? '' : before + escaped + after)
  }
}
