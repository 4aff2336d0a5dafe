/**
 * The items of a stream, told apart. The wire refers to each by its output index and its id. Servers get either wrong,
 * so an item is found by whichever is known, and a call by its `call_id` before all else.
 */
import type { JsonObject } from '../../../json/object.ts'
import { append, isObject, own } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ClosingEvent, RepeatedField, StreamSnapshot } from '../../define-wire.ts'
import { decodeTurn } from '../request/turns.ts'
import { CallItem } from './call-item.ts'
import { MessageItem } from './message-item.ts'
import type { PartTracker } from './part-tracker.ts'
import { ReasoningItem } from './reasoning-item.ts'
import type { CutItem, OpenItem, StreamItem } from './stream-item.ts'
import { markIncomplete, positionInItem } from './stream-item.ts'

/** The kind of item that an event can be about. */
export type Family = 'message' | 'reasoning' | 'function_call' | 'custom_tool_call' | `other ${string}`

/** A delta with a piece of an item's text, and nothing else that is new. */
export interface RepeatedDelta extends RepeatedField {
  readonly family: Family
  readonly type: string
  readonly id: unknown
  readonly outputIndex: unknown
  /** Where in the item the text belongs. */
  readonly position: unknown
}

interface Entry {
  /** Families of calls count as one. */
  readonly group: string
  readonly item: StreamItem
  readonly outputIndex: unknown
  id: string | undefined
  callId: string | undefined
  announced: JsonObject | undefined
  /** The complete item, as it was when it was done. */
  complete: JsonObject | undefined
  /** The events about its pieces, except deltas. */
  readonly seen: Set<string>
  isDone: boolean
}

export class StreamItems {
  readonly #parts: PartTracker
  readonly #report: Report
  readonly #entries: Entry[] = []
  readonly #byId = new Map<string, Entry>()
  readonly #byIndex = new Map<string, Entry>()
  readonly #byCallId = new Map<string, Entry>()
  /** The last entry of each group. */
  readonly #latest = new Map<string, Entry>()
  /** What the last event was about: successive events are mostly about the same item. */
  #recent: { family: Family; id: unknown; outputIndex: unknown; entry: Entry } | undefined

  constructor(parts: PartTracker, report: Report) {
    this.#parts = parts
    this.#report = report
  }

  /** An item was announced. */
  added(data: JsonObject): void {
    const item = own(data, 'item')
    if (!isObject(item)) return
    const family = familyOf(item)
    const outputIndex = own(data, 'output_index')
    const id = own(item, 'id')
    const found = this.#findItem(item, family, outputIndex)
    // A second item at the same index is a new one, unless it has the id of the first.
    const isSame =
      found !== undefined && (found.announced === undefined || found.id === id || hasCallId(found, item))
    const entry = isSame ? found : this.#create(family, outputIndex)
    this.#index(entry, outputIndex, id, own(item, 'call_id'))
    this.#recent = undefined
    entry.announced = item
    if (!entry.isDone) entry.item.announce(item)
  }

  /** An item is complete. */
  done(data: JsonObject): void {
    const item = own(data, 'item')
    if (!isObject(item)) return
    const family = familyOf(item)
    const outputIndex = own(data, 'output_index')
    const id = own(item, 'id')
    const found = this.#findItem(item, family, outputIndex)
    const isNew = found === undefined || (found.isDone && found.id !== id && !hasCallId(found, item))
    const entry = isNew ? this.#create(family, outputIndex) : found
    this.#index(entry, outputIndex, id, own(item, 'call_id'))
    entry.complete = item
    finish(entry, item, false)
  }

  /** An event about a piece of an item. */
  readEvent(family: Family, type: string, data: JsonObject): void {
    const entry = this.#entryOf(family, own(data, 'item_id'), own(data, 'output_index'))
    if (!type.endsWith('.delta')) entry.seen.add(seenKey(type, positionInItem(type, data)))
    if (!entry.isDone) entry.item.readEvent(type, data)
  }

  /** A delta that repeats an earlier one except for its text. */
  append(
    { family, type, id, outputIndex, position }: RepeatedDelta,
    text: string,
    escaped: string | undefined,
  ): void {
    const { isDone, item } = this.#entryOf(family, id, outputIndex)
    if (!isDone) item.append(type, position, text, escaped)
  }

  /** The answer is over: `output` are the items that its last event repeats. */
  finishAll(output: readonly unknown[], isCut: boolean): void {
    const items = output.filter(isObject)
    const matches = matchOutput(items, this.#entries, (item, family) => {
      const entry = this.#findItem(item, family, undefined)
      return entry !== undefined && (entry.id === own(item, 'id') || hasCallId(entry, item))
        ? entry
        : undefined
    })
    for (const [i, item] of items.entries()) {
      finish(matches[i] ?? this.#create(familyOf(item), undefined), item, isCut)
    }
    for (const entry of this.#entries) finish(entry, undefined, isCut)
  }

  snapshot(): Pick<StreamSnapshot, 'items' | 'closing'> {
    const items: JsonObject[] = []
    const closing: ClosingEvent[] = []
    for (const { item, announced, complete, id, outputIndex, seen } of this.#entries) {
      if (complete !== undefined) items.push(complete)
      else if (announced !== undefined) {
        const cut = item.cut({
          announced,
          reference: { item_id: id, output_index: outputIndex },
          hasSeen: (type, position) => seen.has(seenKey(type, position)),
        })
        items.push(cut.item)
        const done = { type: 'response.output_item.done', output_index: outputIndex, item: cut.item }
        append(closing, cut.closing)
        closing.push(done)
      }
    }
    return { items, closing }
  }

  #create(family: Family, outputIndex: unknown): Entry {
    const path = ['output', isIndex(outputIndex) ? outputIndex : this.#entries.length]
    const entry: Entry = {
      group: groupOf(family),
      item: createItem(family, path, this.#parts, this.#report),
      outputIndex,
      id: undefined,
      callId: undefined,
      announced: undefined,
      complete: undefined,
      seen: new Set(),
      isDone: false,
    }
    this.#entries.push(entry)
    return entry
  }

  #index(entry: Entry, outputIndex: unknown, id: unknown, callId?: unknown): void {
    this.#latest.set(entry.group, entry)
    if (isIndex(outputIndex)) this.#byIndex.set(`${entry.group} ${outputIndex}`, entry)
    if (isId(id)) {
      entry.id ??= id
      this.#byId.set(`${entry.group} ${id}`, entry)
    }
    if (isId(callId)) {
      entry.callId ??= callId
      this.#byCallId.set(callId, entry)
    }
  }

  #find(group: string, outputIndex: unknown, id: unknown): Entry | undefined {
    const byIndex = isIndex(outputIndex) ? this.#byIndex.get(`${group} ${outputIndex}`) : undefined
    const byId = isId(id) ? this.#byId.get(`${group} ${id}`) : undefined
    return byIndex !== undefined && byIndex.id === id ? byIndex : (byId ?? byIndex)
  }

  /** The entry of a complete item. An item with another `call_id` is another item. */
  #findItem(item: JsonObject, family: Family, outputIndex: unknown): Entry | undefined {
    const group = groupOf(family)
    const found = this.#find(group, outputIndex, own(item, 'id'))
    const callId = own(item, 'call_id')
    if (group !== 'call' || !isId(callId)) return found
    return this.#byCallId.get(callId) ?? (found?.callId === undefined ? found : undefined)
  }

  /** The entry that an event about a piece belongs to, created if its item was not announced. */
  #entryOf(family: Family, id: unknown, outputIndex: unknown): Entry {
    const recent = this.#recent
    if (recent?.family === family && recent.id === id && recent.outputIndex === outputIndex) {
      return recent.entry
    }
    const group = groupOf(family)
    let entry = this.#find(group, outputIndex, id)
    const latest = this.#latest.get(group)
    if (!isIndex(outputIndex) && latest?.isDone === false) entry ??= latest
    if (entry === undefined) {
      entry = this.#create(family, outputIndex)
      this.#index(entry, outputIndex, id)
    }
    this.#recent = { family, id, outputIndex, entry }
    return entry
  }
}

function finish(entry: Entry, item: JsonObject | undefined, isCut: boolean): void {
  if (entry.isDone) return
  entry.isDone = true
  entry.item.finish(item, isCut)
}

/** Open Responses has a name of its own for the end of a reasoning's text. */
function seenKey(type: string, position: unknown): string {
  const name = type === 'response.reasoning.done' ? 'response.reasoning_text.done' : type
  return `${name} ${typeof position === 'number' ? position : 0}`
}

/** Matches by id where there is one. The rest are matched in their order, since their ids may have changed. */
function matchOutput(
  items: readonly JsonObject[],
  entries: readonly Entry[],
  findById: (item: JsonObject, family: Family) => Entry | undefined,
): (Entry | undefined)[] {
  const matches = items.map(item => findById(item, familyOf(item)))
  const matched = new Set(matches)
  const free = new Map<string, Entry[]>()
  for (const entry of entries.toReversed()) {
    if (matched.has(entry)) continue
    const list = free.get(entry.group)
    if (list === undefined) free.set(entry.group, [entry])
    else list.push(entry)
  }
  return items.map((item, i) => {
    const candidates = free.get(groupOf(familyOf(item)))
    const next = candidates?.at(-1)
    if (matches[i] !== undefined || next === undefined) return matches[i]
    if (next.callId !== undefined && isId(own(item, 'call_id'))) return undefined
    return candidates?.pop()
  })
}

function createItem(family: Family, path: Path, parts: PartTracker, report: Report): StreamItem {
  switch (family) {
    case 'message':
      return new MessageItem(path, parts, report)
    case 'reasoning':
      return new ReasoningItem(path, parts)
    case 'function_call':
      return new CallItem('function', path, parts, report)
    case 'custom_tool_call':
      return new CallItem('custom', path, parts, report)
    default:
      return new OtherItem(path, parts, report)
  }
}

/** An item of a hosted tool, or an unknown one: it is announced, and it is done. */
class OtherItem implements StreamItem {
  readonly #path: Path
  readonly #parts: PartTracker
  readonly #report: Report
  #announced: JsonObject | undefined
  #index: number | undefined

  constructor(path: Path, parts: PartTracker, report: Report) {
    this.#path = path
    this.#parts = parts
    this.#report = report
  }

  announce(item: JsonObject): void {
    this.#announced = item
    const [part] = decodeTurn(item, this.#path, () => {}).parts
    if (part?.kind === 'hosted' || part?.kind === 'opaque') this.#index ??= this.#parts.start(part)
  }

  append(): void {}

  readEvent(): void {}

  finish(item: JsonObject | undefined = this.#announced): void {
    if (item === undefined) return
    const [part, ...more] = decodeTurn(item, this.#path, this.#report).parts
    if (part === undefined) return
    if (this.#index === undefined) this.#parts.add(part)
    else this.#parts.end(this.#index, part)
    for (const other of more) this.#parts.add(other)
  }

  cut({ announced }: OpenItem): CutItem {
    return { item: markIncomplete(announced), closing: [] }
  }
}

function familyOf(item: JsonObject): Family {
  const type = String(own(item, 'type') ?? 'message')
  return isKnown(type) ? type : `other ${type}`
}

function isKnown(type: string): type is Exclude<Family, `other ${string}`> {
  return type === 'message' || type === 'reasoning' || type === 'function_call' || type === 'custom_tool_call'
}

/** Some servers send the events of one kind of call for calls of the other kind. */
function groupOf(family: Family): string {
  return family === 'function_call' || family === 'custom_tool_call' ? 'call' : family
}

function hasCallId(entry: Entry, item: JsonObject): boolean {
  return entry.callId !== undefined && entry.callId === own(item, 'call_id')
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}
