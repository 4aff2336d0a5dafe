/**
 * The items of a stream, told apart. The wire names each by its place and its id; hosts get either wrong, so an
 * item is found by whichever of its names is known, and a call by its `call_id` before all else.
 */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ClosingEvent, StreamSnapshot } from '../../define-wire.ts'
import { decodeTurn } from '../request/turns.ts'
import { createCallItem } from './call-item.ts'
import { createMessageItem } from './message-item.ts'
import type { StreamItem } from './open-items.ts'
import { cutHead, placeInItem } from './open-items.ts'
import type { PartSink } from './part-tracker.ts'
import { createReasoningItem } from './reasoning-item.ts'

/** What decides whether an event can be about an item at all. */
export type Family = 'message' | 'reasoning' | 'function_call' | 'custom_tool_call' | `other ${string}`

interface Entry {
  readonly family: string
  readonly item: StreamItem
  id: string | undefined
  callId: string | undefined
  place: unknown
  /** As it was announced. */
  head: JsonObject | undefined
  /** As it was when it was done. */
  whole: JsonObject | undefined
  /** The events about its pieces, but for deltas. */
  readonly heard: Set<string>
  isDone: boolean
}

export interface StreamItems {
  added(data: JsonObject): void
  done(data: JsonObject): void
  take(family: Family, type: string, data: JsonObject): void
  /** Takes the texts of deltas that are like this one but for their text. */
  follow(family: Family, type: string, data: JsonObject): (text: string) => void
  /** The end of the answer, with the output the wire repeats there. */
  settle(output: readonly unknown[], isCut: boolean): void
  told(): Pick<StreamSnapshot, 'items' | 'closing'>
}

export function createStreamItems(sink: PartSink, report: Report): StreamItems {
  const entries: Entry[] = []
  const byId = new Map<string, Entry>()
  const byPlace = new Map<string, Entry>()
  const byCall = new Map<string, Entry>()
  const latest = new Map<string, Entry>()
  /** The last event's names: pieces of one item come in rows. */
  let recent: { family: Family; id: unknown; place: unknown; entry: Entry } | undefined

  const create = (family: Family, place: unknown): Entry => {
    const path = ['output', isPlace(place) ? place : entries.length]
    const item = createItem(family, path, sink, report)
    const entry: Entry = {
      family: groupOf(family),
      item,
      id: undefined,
      callId: undefined,
      place,
      head: undefined,
      whole: undefined,
      heard: new Set(),
      isDone: false,
    }
    entries.push(entry)
    return entry
  }

  const remember = (entry: Entry, place: unknown, id: unknown, callId?: unknown): void => {
    latest.set(entry.family, entry)
    if (isPlace(place)) byPlace.set(`${entry.family} ${place}`, entry)
    if (isName(id)) {
      entry.id ??= id
      byId.set(`${entry.family} ${id}`, entry)
    }
    if (isName(callId)) {
      entry.callId ??= callId
      byCall.set(callId, entry)
    }
  }

  const find = (group: string, place: unknown, id: unknown): Entry | undefined => {
    const placed = isPlace(place) ? byPlace.get(`${group} ${place}`) : undefined
    const named = isName(id) ? byId.get(`${group} ${id}`) : undefined
    return placed !== undefined && placed.id === id ? placed : (named ?? placed)
  }

  /** The entry of a complete item; one that names another call is another item. */
  const findItem = (item: JsonObject, family: Family, place: unknown): Entry | undefined => {
    const group = groupOf(family)
    const callId = own(item, 'call_id')
    const called = group === 'call' && isName(callId) ? byCall.get(callId) : undefined
    if (called !== undefined) return called
    const found = find(group, place, own(item, 'id'))
    return found !== undefined && isName(callId) && found.callId !== undefined && group === 'call'
      ? undefined
      : found
  }

  /** The entry that an event about a piece belongs to, made if nobody announced it. */
  const entryOf = (family: Family, id: unknown, place: unknown): Entry => {
    if (recent?.family === family && recent.id === id && recent.place === place) return recent.entry
    const group = groupOf(family)
    let entry = find(group, place, id)
    if (entry === undefined && !isPlace(place)) entry = openOf(latest.get(group))
    if (entry === undefined) {
      entry = create(family, place)
      remember(entry, place, id)
    }
    recent = { family, id, place, entry }
    return entry
  }

  const finish = (entry: Entry, item: JsonObject | undefined, isCut: boolean): void => {
    if (entry.isDone) return
    entry.isDone = true
    entry.item.finish(item, isCut)
  }

  return {
    added(data) {
      const item = own(data, 'item')
      if (!isObject(item)) return
      const family = familyOf(item)
      const place = own(data, 'output_index')
      const id = own(item, 'id')
      const found = findItem(item, family, place)
      // A second item at a place that is taken is a new one, unless it carries the name of the first.
      const isSame =
        found !== undefined && (found.head === undefined || found.id === id || isCalled(found, item))
      const entry = isSame ? found : create(family, place)
      remember(entry, place, id, own(item, 'call_id'))
      recent = undefined
      entry.head = item
      if (!entry.isDone) entry.item.add(item)
    },
    done(data) {
      const item = own(data, 'item')
      if (!isObject(item)) return
      const family = familyOf(item)
      const place = own(data, 'output_index')
      const id = own(item, 'id')
      const found = findItem(item, family, place)
      const isNew = found === undefined || (found.isDone && found.id !== id && !isCalled(found, item))
      const entry = isNew ? create(family, place) : found
      remember(entry, place, id, own(item, 'call_id'))
      entry.whole = item
      finish(entry, item, false)
    },
    take(family, type, data) {
      const entry = entryOf(family, own(data, 'item_id'), own(data, 'output_index'))
      if (!type.endsWith('.delta')) entry.heard.add(heardKey(type, placeInItem(type, data)))
      if (!entry.isDone) entry.item.take(type, data)
    },
    follow(family, type, data) {
      const id = own(data, 'item_id')
      const place = own(data, 'output_index')
      const at = placeInItem(type, data)
      return text => {
        const entry = entryOf(family, id, place)
        if (!entry.isDone) entry.item.more(type, at, text)
      }
    },
    settle(output, isCut) {
      const items = output.filter(isObject)
      const matches = matchOutput(items, entries, (item, family) => {
        const entry = findItem(item, family, undefined)
        return entry !== undefined && (entry.id === own(item, 'id') || isCalled(entry, item))
          ? entry
          : undefined
      })
      for (const [i, item] of items.entries()) {
        finish(matches[i] ?? create(familyOf(item), undefined), item, isCut)
      }
      for (const entry of entries) finish(entry, undefined, isCut)
    },
    told() {
      const items: JsonObject[] = []
      const closing: ClosingEvent[] = []
      for (const { item, head, whole, id, place, heard } of entries) {
        if (whole !== undefined) items.push(whole)
        else if (head !== undefined) {
          const cut = item.cut({
            head,
            where: { item_id: id, output_index: place },
            hasHeard: (type, at) => heard.has(heardKey(type, at)),
          })
          items.push(cut.item)
          closing.push(...cut.closing, {
            type: 'response.output_item.done',
            output_index: place,
            item: cut.item,
          })
        }
      }
      return { items, closing }
    },
  }
}

/** Open Responses has a name of its own for the end of a reasoning's text. */
function heardKey(type: string, at: unknown): string {
  const name = type === 'response.reasoning.done' ? 'response.reasoning_text.done' : type
  return `${name} ${typeof at === 'number' ? at : 0}`
}

/** By name where there is one; what is left, in its order, is what came under names that have changed since. */
function matchOutput(
  items: readonly JsonObject[],
  entries: readonly Entry[],
  findNamed: (item: JsonObject, family: Family) => Entry | undefined,
): (Entry | undefined)[] {
  const matches = items.map(item => findNamed(item, familyOf(item)))
  const taken = new Set(matches)
  const free = new Map<string, Entry[]>()
  for (const entry of entries.toReversed()) {
    if (taken.has(entry)) continue
    const list = free.get(entry.family)
    if (list === undefined) free.set(entry.family, [entry])
    else list.push(entry)
  }
  return items.map((item, i) => {
    const candidates = free.get(groupOf(familyOf(item)))
    const next = candidates?.at(-1)
    if (matches[i] !== undefined || next === undefined) return matches[i]
    if (next.callId !== undefined && isName(own(item, 'call_id'))) return undefined
    return candidates?.pop()
  })
}

function createItem(family: Family, path: Path, sink: PartSink, report: Report): StreamItem {
  switch (family) {
    case 'message':
      return createMessageItem(path, sink, report)
    case 'reasoning':
      return createReasoningItem(path, sink)
    case 'function_call':
      return createCallItem('function', path, sink, report)
    case 'custom_tool_call':
      return createCallItem('custom', path, sink, report)
    default:
      return createOtherItem(path, sink, report)
  }
}

/** An item of a hosted tool, or one nobody knows: it is announced, and it is done. */
function createOtherItem(path: Path, sink: PartSink, report: Report): StreamItem {
  let head: JsonObject | undefined
  let index: number | undefined
  return {
    add(item) {
      head = item
      const [part] = decodeTurn(item, path, () => {}).parts
      if (part?.kind === 'hosted' || part?.kind === 'opaque') index ??= sink.start(part)
    },
    take() {},
    more() {},
    finish(item = head) {
      if (item === undefined) return
      const [part, ...more] = decodeTurn(item, path, report).parts
      if (part === undefined) return
      if (index === undefined) sink.whole(part)
      else sink.end(index, part)
      for (const other of more) sink.whole(other)
    },
    cut: ({ head: announced }) => ({ item: cutHead(announced), closing: [] }),
  }
}

function familyOf(item: JsonObject): Family {
  const type = String(own(item, 'type') ?? 'message')
  return isKnown(type) ? type : `other ${type}`
}

type Known = Exclude<Family, `other ${string}`>

function isKnown(type: string): type is Known {
  return type === 'message' || type === 'reasoning' || type === 'function_call' || type === 'custom_tool_call'
}

/** Events of the one kind of call turn up for calls of the other. */
function groupOf(family: Family): string {
  return family === 'function_call' || family === 'custom_tool_call' ? 'call' : family
}

function isCalled(entry: Entry, item: JsonObject): boolean {
  return entry.callId !== undefined && entry.callId === own(item, 'call_id')
}

function openOf(entry: Entry | undefined): Entry | undefined {
  return entry?.isDone === false ? entry : undefined
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isPlace(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}
