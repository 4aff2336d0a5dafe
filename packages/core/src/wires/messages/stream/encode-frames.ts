/** The frames of this wire as text. */
import type { JsonObject } from '../../../json/object.ts'
import { escapeJson } from '../../../json/text.ts'
import { jsonText } from '../../kit/json-text.ts'

/** `undefined` when the value is nested too deep to be written. */
export function encodeFrame(type: string, fields: JsonObject): string | undefined {
  const text = jsonText({ type, ...fields })
  return text === undefined ? undefined : `event: ${type}\ndata: ${text}\n\n`
}

/** The frames of one content block. The start of its delta frames is made once, when the block opens. */
export class BlockFrames {
  readonly #nextIndex: () => number
  /** The type of its deltas, and the field that holds their text. */
  readonly #deltaType: string
  readonly #textField: string
  #index: number | undefined
  #deltaStart = ''
  /** The last piece that was counted, and the length of all pieces. */
  #lastPiece = ''
  #length = 0

  constructor(nextIndex: () => number, deltaType: string, textField: string) {
    this.#nextIndex = nextIndex
    this.#deltaType = deltaType
    this.#textField = textField
  }

  get isOpen(): boolean {
    return this.#index !== undefined
  }

  /** `plain` is the block without its residue, for when that is nested too deep to be written. */
  open(block: JsonObject, plain?: JsonObject): string {
    const text = jsonText(block) ?? jsonText(plain)
    if (text === undefined) return ''
    const index = this.#nextIndex()
    this.#index = index
    const head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},`
    // `join` makes a flat string. A concatenation would be flattened again for each delta.
    this.#deltaStart = [head, '"delta":{"type":"', this.#deltaType, '","', this.#textField, '":"'].join('')
    return `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":${text}}\n\n`
  }

  /** A delta with more text; `escaped` is the text as JSON, where known. */
  text(text: string, escaped?: string | undefined): string {
    return text === '' ? '' : `${this.#deltaStart}${escaped ?? escapeJson(text)}"}}\n\n`
  }

  /** Counts a piece of the source's text. It need not be what the client gets, nor when. */
  count(text: string): void {
    if (text === '') return
    this.#lastPiece = text
    this.#length += text.length
  }

  /** What the complete text holds beyond the counted pieces; `''` if it contradicts them, since they are sent. */
  missing(complete: string): string {
    // The usual case. Looking into a long text would copy it.
    if (complete.length <= this.#length) return ''
    const continues = complete.startsWith(this.#lastPiece, this.#length - this.#lastPiece.length)
    return continues ? complete.slice(this.#length) : ''
  }

  /** A delta of another type. */
  delta(delta: JsonObject): string {
    return encodeFrame('content_block_delta', { index: this.#index, delta }) ?? ''
  }

  close(): string {
    if (this.#index === undefined) return ''
    return `event: content_block_stop\ndata: {"type":"content_block_stop","index":${this.#index}}\n\n`
  }
}
