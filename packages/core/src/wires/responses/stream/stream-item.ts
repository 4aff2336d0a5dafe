/** One item of a stream while it is read, and the events that close an item whose end never came. */
import type { JsonObject } from '../../../json/object.ts'
import { own } from '../../../json/object.ts'
import type { ClosingEvent } from '../../define-wire.ts'

export interface StreamItem {
  /** The item as it was announced; it may be announced more than once. */
  announce(item: JsonObject): void
  /** An event about a piece of it. */
  readEvent(type: string, data: JsonObject): void
  /** A delta: `position` is where in the item its text belongs, as `positionInItem` returns it. */
  append(type: string, position: unknown, text: string, escaped?: string | undefined): void
  /** The complete item. Without it: `isCut` means that the answer was cut short. */
  finish(item: JsonObject | undefined, isCut: boolean): void
  /** Called before `finish`: the item as far as it got, and the events that close its pieces. */
  cut(open: OpenItem): CutItem
}

export interface OpenItem {
  /** As it was announced. */
  readonly announced: JsonObject
  /** The fields by which its events refer to it. */
  readonly reference: JsonObject
  /** Whether there was an event about a piece of it. */
  hasSeen(type: string, position: unknown): boolean
}

export interface CutItem {
  readonly item: JsonObject
  readonly closing: readonly ClosingEvent[]
}

/** One text of an item: its events, its part as far as it got, and its position. */
interface CutText {
  readonly textDone: string
  readonly text: JsonObject
  /** The events about the part are named like this, with `.added` and `.done`. */
  readonly partEvents: string
  readonly part: JsonObject
  readonly indexKey: 'content_index' | 'summary_index'
  readonly position: number
}

/** The events that end a text, except those that were there. A part that was never announced has no end. */
export function closeText(open: OpenItem, cut: CutText): ClosingEvent[] {
  const { textDone, text, partEvents, part, indexKey, position } = cut
  const reference = { ...open.reference, [indexKey]: position }
  const partDone = `${partEvents}.done`
  const isPartDone = open.hasSeen(partDone, position)
  const isTextDone = isPartDone || open.hasSeen(textDone, position)
  const isPartOpen = !isPartDone && open.hasSeen(`${partEvents}.added`, position)
  return [
    ...(isTextDone ? [] : [{ type: textDone, ...reference, ...text }]),
    ...(isPartOpen ? [{ type: partDone, ...reference, part }] : []),
  ]
}

const finalStates: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed'])

/** The announced item as incomplete, if it has a status and that is not final. */
export function markIncomplete(item: JsonObject): JsonObject {
  return typeof item.status !== 'string' || finalStates.has(item.status)
    ? item
    : { ...item, status: 'incomplete' }
}

/** Where in its item the text of an event belongs. */
export function positionInItem(type: string, data: JsonObject): unknown {
  return own(data, type.includes('summary') ? 'summary_index' : 'content_index')
}
