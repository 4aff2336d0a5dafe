/** One item of a stream while it is read, and the events that close an item whose end never came. */
import type { JsonObject } from '../../../json/json.ts'
import { own } from '../../../json/json.ts'
import type { ClosingEvent } from '../../define-wire.ts'

/** One item as it comes. */
export interface StreamItem {
  /** The item as it was announced; it may be announced more than once. */
  add(item: JsonObject): void
  /** An event about a piece of it. */
  take(type: string, data: JsonObject): void
  /** A delta: where in the item its text stands, as the wire says it, and the text. */
  more(type: string, at: unknown, text: string): void
  /** The complete item, or nothing when it never came; then `isCut` says that the answer stopped short of it. */
  finish(item: JsonObject | undefined, isCut: boolean): void
  /** Asked before `finish`: the item as far as it got, and how its pieces are closed. */
  cut(open: OpenItem): CutItem
}

export interface OpenItem {
  /** As it was announced. */
  readonly head: JsonObject
  /** The names by which its events are known. */
  readonly where: JsonObject
  /** Whether an event about a piece of it has been heard. */
  hasHeard(type: string, at: unknown): boolean
}

interface CutItem {
  readonly item: JsonObject
  readonly closing: readonly ClosingEvent[]
}

/** One text of an item: its events, its part as it stands, and where it stands. */
interface CutText {
  readonly textDone: string
  readonly text: JsonObject
  /** The events about the part are named like this, with `.added` and `.done`. */
  readonly partEvents: string
  readonly part: JsonObject
  readonly indexKey: 'content_index' | 'summary_index'
  readonly at: number
}

/** The end of a text, as far as it has not been heard. A part that was never announced has none. */
export function closeText({ where, hasHeard }: OpenItem, cut: CutText): ClosingEvent[] {
  const { textDone, text, partEvents, part, indexKey, at } = cut
  const place = { ...where, [indexKey]: at }
  const partDone = `${partEvents}.done`
  const isPartOpen = hasHeard(`${partEvents}.added`, at) && !hasHeard(partDone, at)
  return [
    ...(hasHeard(textDone, at) || hasHeard(partDone, at) ? [] : [{ type: textDone, ...place, ...text }]),
    ...(isPartOpen ? [{ type: partDone, ...place, part }] : []),
  ]
}

const ends: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed'])

/** An item that says how it is doing, and was not done. */
export function cutHead(head: JsonObject): JsonObject {
  return typeof head.status !== 'string' || ends.has(head.status) ? head : { ...head, status: 'incomplete' }
}

/** Where in its item the text of an event stands. */
export function placeInItem(type: string, data: JsonObject): unknown {
  return own(data, type.includes('summary') ? 'summary_index' : 'content_index')
}
