/** The output of a streamed answer as it grows: numbered frames, items without gaps in their indexes, stable ids. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject } from '../../../json/object.ts'
import { jsonString } from '../../../json/text.ts'
import type { Report } from '../../../model/diagnostic.ts'
import { longTextLength } from '../../../model/stream-event.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { jsonText } from '../../kit/json-text.ts'
import { WrittenText } from './written-text.ts'

/** An item that has been announced. */
export interface ItemPosition {
  readonly index: number
  readonly id: string
}

/** The frame around each piece of one text. */
export interface DeltaFrame {
  readonly opening: string
  readonly closing: string
}

/** A field that may be long, and is JSON already. */
export interface KnownField {
  readonly key: string
  readonly json: string
}

interface ClosedItem {
  readonly item: JsonObject
  /** The item as JSON; `undefined` when it is nested too deep to be written. */
  readonly json: string | undefined
}

interface PendingItem {
  readonly position: ItemPosition
  readonly item: JsonObject
  readonly known: KnownField | undefined
  /** The frame before the end of the item, if it turns out to be complete. */
  readonly done: RawFrame | undefined
}

/** A frame whose fields are JSON already. */
interface RawFrame {
  readonly type: string
  readonly fields: string
}

export class StreamOutput {
  readonly #context: AnswerContext
  readonly #report: Report
  readonly #items: (ClosedItem | undefined)[] = []
  readonly #ids = new Set<string>()
  #pending: PendingItem | undefined
  #sequenceNumber = 0

  constructor(context: AnswerContext, report: Report) {
    this.#context = context
    this.#report = report
  }

  /** The number of the next frame. */
  get nextNumber(): number {
    return this.#sequenceNumber
  }

  /** Continues after frames and complete items that were sent before. */
  resumeAt(nextNumber: number, items: readonly JsonObject[]): void {
    this.#sequenceNumber = nextNumber
    for (const item of items) this.#items.push({ item, json: jsonText(item) })
  }

  frame(type: string, fields: JsonObject, known?: KnownField): string {
    const event = { type, ...fields, sequence_number: this.#sequenceNumber++ }
    return `event: ${type}\ndata: ${jsonWith(event, known) ?? pruned(event, this.#report)}\n\n`
  }

  /** A frame whose fields are JSON already. */
  rawFrame(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}",${fields},"sequence_number":${this.#sequenceNumber++}}\n\n`
  }

  /** A frame with one more piece of a text, escaped for JSON, without quotes. */
  delta({ opening, closing }: DeltaFrame, escaped: string): string {
    return `${opening}${escaped}${closing}${this.#sequenceNumber++}}\n\n`
  }

  /** A text that is about to be written. */
  newText(): WrittenText {
    return new WrittenText(this.#context.longTexts === undefined ? Number.POSITIVE_INFINITY : longTextLength)
  }

  /**
   * The complete text as JSON. Where that can be, a long one is put aside, and a reference stands for it each time.
   * `repeats`: it is certain to be what was written.
   */
  textJson(written: WrittenText, complete: string, repeats: boolean): string {
    const { longTexts } = this.#context
    if (longTexts === undefined || complete.length < longTextLength) return `"${written.escaped(complete)}"`
    return `"\0${longTexts.push(written.escapedPieces(complete, repeats)) - 1}\0"`
  }

  /** An id that no other item of this answer has: the given one if possible, else one made from it, else a new one. */
  claimId(given: unknown, prefix: string): string {
    let id = typeof given === 'string' && given !== '' ? given : this.#context.newId(prefix)
    while (this.#ids.has(id)) id += '_'
    this.#ids.add(id)
    return id
  }

  /** Announces an item, whose `id` has been claimed. */
  open(item: JsonObject & { readonly id: string }): {
    readonly text: string
    readonly position: ItemPosition
  } {
    const position = { index: this.#items.push(undefined) - 1, id: item.id }
    return { text: this.#itemFrame('response.output_item.added', position, item, jsonText(item)), position }
  }

  close(position: ItemPosition, item: JsonObject, known?: KnownField): string {
    const json = jsonWith(item, known)
    this.#items[position.index] = { item, json }
    return this.#itemFrame('response.output_item.done', position, item, json)
  }

  /** Closes an item as complete once that is certain: the last item of an answer may turn out to be cut short. */
  closeWhenCertain(position: ItemPosition, item: JsonObject, known?: KnownField, done?: RawFrame): string {
    if (!this.isLast(position)) return this.#closeWith({ position, item, known, done })
    this.#pending = { position, item, known, done }
    return ''
  }

  /** Closes the item that waits for this. */
  closePending(isCut = false): string {
    if (this.#pending === undefined) return ''
    const pending = this.#pending
    this.#pending = undefined
    if (!isCut) return this.#closeWith(pending)
    const { position, item, known } = pending
    return this.close(position, { ...item, status: 'incomplete' }, known)
  }

  #closeWith({ position, item, known, done }: PendingItem): string {
    const before = done === undefined ? '' : this.rawFrame(done.type, done.fields)
    return before + this.close(position, item, known)
  }

  isLast({ index }: ItemPosition): boolean {
    return index === this.#items.length - 1
  }

  /** The items that are complete. */
  items(): JsonObject[] {
    return this.#items.filter(closed => closed !== undefined).map(({ item }) => item)
  }

  /** The same as JSON; `undefined` when one of them cannot be written. */
  itemsJson(): string | undefined {
    let list = ''
    for (const closed of this.#items) {
      if (closed === undefined) continue
      if (closed.json === undefined) return undefined
      // A concatenation, not a join: engines do not copy long strings until the result is written.
      list += list === '' ? closed.json : `,${closed.json}`
    }
    return `[${list}]`
  }

  #itemFrame(type: string, { index }: ItemPosition, item: JsonObject, json: string | undefined): string {
    return json === undefined
      ? this.frame(type, { output_index: index, item })
      : this.rawFrame(type, `"output_index":${index},"item":${json}`)
  }
}

/** `fields` is the JSON of the fields before the text, `after` that of the fields after it. */
export function deltaFrame(type: string, fields: string, after = ''): DeltaFrame {
  return {
    // `join` makes a flat string. A concatenation would be flattened again for each piece.
    opening: ['event: ', type, '\ndata: {"type":"', type, '",', fields, ',"delta":"'].join(''),
    closing: `"${after},"sequence_number":`,
  }
}

/** The fields by which an event refers to its item, as JSON. */
export function positionJson({ id, index }: ItemPosition): string {
  return `"item_id":${jsonString(id)},"output_index":${index}`
}

/** The value as JSON, with a field that is JSON already. */
export function jsonWith(value: JsonObject, known: KnownField | undefined): string | undefined {
  if (known === undefined) return jsonText(value)
  let fields = ''
  for (const key of Object.keys(value)) {
    const json = key === known.key ? known.json : jsonText(value[key])
    if (json !== undefined) fields += `${fields === '' ? '' : ','}${jsonString(key)}:${json}`
    else if (value[key] !== undefined) return undefined
  }
  return `{${fields}}`
}

/** `JSON.stringify` overflows the stack on deep nesting, so the client gets the upper levels. */
function pruned(event: JsonObject, report: Report): string {
  report('field_dropped', [], 'A part of the stream is nested too deep to be written; it was left out.')
  return JSON.stringify(prune(event, 64))
}

function prune(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return null
  if (!isObject(value)) return (value as readonly unknown[]).map(item => prune(item, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, prune(item, depth - 1)]))
}
