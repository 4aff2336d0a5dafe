/** Reasoning that arrives in pieces: sections of a summary, sections of the text itself, and a seal at the end. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import type { Path } from '../../../model/diagnostic.ts'
import type { ClosingEvent } from '../../define-wire.ts'
import { decodeReasoning } from '../reasoning.ts'
import type { PartTracker } from './part-tracker.ts'
import { TextBuffer } from './part-tracker.ts'
import type { CutItem, OpenItem, StreamItem } from './stream-item.ts'
import { closeText, markIncomplete, positionInItem } from './stream-item.ts'

const lists = {
  summary: {
    textDone: 'response.reasoning_summary_text.done',
    partEvents: 'response.reasoning_summary_part',
    type: 'summary_text',
    indexKey: 'summary_index',
  },
  content: {
    textDone: 'response.reasoning_text.done',
    partEvents: 'response.content_part',
    type: 'reasoning_text',
    indexKey: 'content_index',
  },
} as const

/** The sections of one of the two lists, numbered in the order in which they came. */
class Sections {
  readonly key: 'summary' | 'content'
  readonly buffers: TextBuffer[] = []
  /** The number of a section by its index on the wire. */
  readonly #numbers = new Map<number, number>()

  constructor(key: 'summary' | 'content') {
    this.key = key
  }

  numberOf(position: unknown): number {
    const index = typeof position === 'number' ? position : 0
    const known = this.#numbers.get(index)
    if (known !== undefined) return known
    this.#numbers.set(index, this.buffers.length)
    return this.buffers.push(new TextBuffer()) - 1
  }

  /** What came in pieces, for an item whose list is empty. */
  missingIn(item: JsonObject): JsonObject {
    const list = own(item, this.key)
    if (this.buffers.length === 0 || (Array.isArray(list) && list.length > 0)) return {}
    const { type } = lists[this.key]
    return { [this.key]: this.buffers.map(buffer => ({ type, text: buffer.text() })) }
  }

  close(open: OpenItem): ClosingEvent[] {
    const { textDone, partEvents, type, indexKey } = lists[this.key]
    return [...this.#numbers].flatMap(([position, number]) => {
      const text = this.buffers[number]?.text() ?? ''
      const part = { type, text }
      return closeText(open, { textDone, text: { text }, partEvents, part, indexKey, position })
    })
  }
}

export class ReasoningItem implements StreamItem {
  readonly #path: Path
  readonly #parts: PartTracker
  readonly #summary = new Sections('summary')
  readonly #text = new Sections('content')
  #announced: JsonObject = {}
  #index: number | undefined

  constructor(path: Path, parts: PartTracker) {
    this.#path = path
    this.#parts = parts
  }

  announce(item: JsonObject): void {
    this.#announced = { ...this.#announced, ...item }
    this.#start()
  }

  append(type: string, position: unknown, text: string): void {
    const sections = this.#sectionsOf(type)
    const number = sections.numberOf(position)
    this.#start()
    this.#append(sections, number, text)
  }

  readEvent(type: string, data: JsonObject): void {
    const sections = this.#sectionsOf(type)
    const number = sections.numberOf(positionInItem(type, data))
    this.#start()
    const part = own(data, 'part')
    if (type.endsWith('.delta')) this.#append(sections, number, own(data, 'delta'))
    else if (type.endsWith('.done')) {
      this.#appendMissing(sections, number, isObject(part) ? own(part, 'text') : own(data, 'text'))
    }
  }

  finish(item: JsonObject | undefined): void {
    const complete = item ?? omit(this.#announced, ['encrypted_content', 'status'])
    const part = decodeReasoning(
      { ...complete, ...this.#summary.missingIn(complete), ...this.#text.missingIn(complete) },
      this.#path,
    )
    const index = this.#start()
    for (const [number, text] of part.summary.entries()) this.#appendMissing(this.#summary, number, text)
    for (const [number, text] of part.text.entries()) this.#appendMissing(this.#text, number, text)
    this.#parts.end(index, part)
  }

  cut(open: OpenItem): CutItem {
    return {
      item: {
        ...markIncomplete(open.announced),
        ...this.#summary.missingIn({}),
        ...this.#text.missingIn({}),
      },
      closing: [...this.#summary.close(open), ...this.#text.close(open)],
    }
  }

  #sectionsOf(type: string): Sections {
    return type.includes('summary') ? this.#summary : this.#text
  }

  #start(): number {
    if (this.#index !== undefined) return this.#index
    // The seal may change until the end.
    const start = omit(this.#announced, ['summary', 'content', 'encrypted_content'])
    this.#index = this.#parts.start(decodeReasoning({ ...start, type: 'reasoning', summary: [] }, this.#path))
    return this.#index
  }

  #append(sections: Sections, number: number, text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    sections.buffers[number]?.push(text)
    this.#parts.sectionDelta(this.#start(), text, sections === this.#summary, number)
  }

  #appendMissing(sections: Sections, number: number, complete: unknown): void {
    if (typeof complete !== 'string') return
    const buffer = sections.buffers[number]
    this.#append(sections, number, buffer === undefined ? complete : buffer.missing(complete))
  }
}
