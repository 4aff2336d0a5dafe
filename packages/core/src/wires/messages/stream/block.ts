/** One content block while it arrives: what it started as, and what the deltas have added since. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own, ownString, setOwn } from '../../../json/object.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Path } from '../../../model/diagnostic.ts'
import { jsonText, parseObject } from '../../kit/json-text.ts'
import { decodeBlock } from '../parts.ts'

export class OpenBlock {
  readonly type: unknown
  readonly citations: unknown[]
  /** How much text has arrived, in characters. */
  length = 0
  signature: string | undefined
  /** The index of its part, once that has started. */
  part: number | undefined
  /** As it was started. */
  #start: JsonObject
  /** The text, thinking or arguments: a concatenation, which engines do not copy until somebody reads it. */
  #text = ''
  /** What deltas of unknown kinds added, by field. */
  readonly #unknown = new Map<string, unknown[]>()

  constructor(start: JsonObject) {
    this.#start = start
    this.type = own(start, 'type')
    const citations = own(start, 'citations')
    this.citations = Array.isArray(citations) ? [...citations] : []
    const { type } = this
    const text = type === 'text' || type === 'thinking' ? own(start, type) : undefined
    if (typeof text === 'string' && text !== '') this.append(text)
  }

  get name(): string {
    return ownString(this.#start, 'name') ?? ''
  }

  get id(): string {
    return ownString(this.#start, 'id') ?? ''
  }

  /** Whether its deltas can be emitted. The input of a call that the provider runs is only known complete elsewhere. */
  get isStreamed(): boolean {
    return this.type === 'text' || this.type === 'thinking' || this.type === 'tool_use'
  }

  /** The same block was announced again. */
  addStart(start: JsonObject): void {
    this.#start = { ...this.#start, ...start }
  }

  append(piece: string): void {
    this.#text += piece
    this.length += piece.length
  }

  /** A delta of an unknown kind. */
  addUnknown(delta: JsonObject): void {
    for (const [key, value] of Object.entries(delta)) {
      const values = this.#unknown.get(key)
      if (values === undefined) this.#unknown.set(key, [value])
      else values.push(value)
    }
  }

  /** What has arrived so far. */
  text(): string {
    return this.#text
  }

  /** Whether a second start is about this block, which some servers announce twice. */
  isRepeatedStart(start: JsonObject): boolean {
    if (this.type !== own(start, 'type')) return false
    const id = ownString(start, 'id') ?? ''
    const name = ownString(start, 'name') ?? ''
    if (name !== '' && this.name !== '' && name !== this.name) return false
    if (id !== '' && this.id !== '') return id === this.id
    return this.type === 'tool_use' ? this.length === 0 : true
  }

  /** Whether the piece repeats the complete arguments after they were sent in pieces. */
  isRepeatedInput(piece: string): boolean {
    if (this.type !== 'tool_use' || this.length < 2 || piece.length !== this.length) return false
    return this.text() === piece && this.hasCompleteInput()
  }

  hasCompleteInput(): boolean {
    return parseObject(this.text()) !== undefined
  }

  /**
   * The arguments as they were written. Servers start a call with an empty object as a placeholder. That, or a filled
   * one, counts only if no delta follows. Returns `''` for an object that is nested too deep to be written.
   */
  input(): string {
    const text = this.text()
    if (text.trim() !== '') return text
    const input = own(this.#start, 'input')
    if (typeof input === 'string' && input.trim() !== '') return input
    return isObject(input) ? (jsonText(input) ?? '') : '{}'
  }

  /** The part without text. */
  emptyPart(path: Path): Part {
    const start = this.#start
    switch (this.type) {
      case 'text':
        return decodeBlock({ ...omit(start, ['citations']), text: '' }, path)
      case 'thinking': {
        const part = decodeBlock({ ...start, thinking: '', signature: '' }, path)
        if (part.kind !== 'reasoning') return part
        const { seal: _, ...unsealed } = part
        return { ...unsealed, text: [] }
      }
      case 'tool_use': {
        const part = decodeBlock({ ...start, input: {} }, path)
        return part.kind === 'call' ? { ...part, input: '' } : part
      }
      default:
        return decodeBlock(start, path)
    }
  }

  /** The part as the unstreamed block would be decoded. */
  completePart(path: Path): Part {
    const { type, citations, signature } = this
    const block: Record<string, unknown> = { ...this.#start }
    for (const [key, values] of this.#unknown) setOwn(block, key, joined(own(this.#start, key), values))
    if (type === 'tool_use') {
      const part = decodeBlock({ ...block, input: {} }, path)
      if (part.kind === 'call') return { ...part, input: this.input() }
    }
    const text = this.text()
    if (type === 'text' || type === 'thinking') setOwn(block, type, text)
    else if (text !== '') setOwn(block, 'input', parseObject(text) ?? text)
    if (citations.length > 0) setOwn(block, 'citations', citations)
    if (signature !== undefined) setOwn(block, 'signature', signature)
    return decodeBlock(block, path)
  }
}

/** Every known kind of delta extends a string or replaces a value; unknown kinds are assumed to do the same. */
function joined(before: unknown, values: readonly unknown[]): unknown {
  const texts = values.filter(value => typeof value === 'string')
  if (texts.length < values.length) return values.at(-1)
  return (typeof before === 'string' ? before : '') + texts.join('')
}
