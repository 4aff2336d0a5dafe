/** The table behind the memory store: records in the order of their last write, their items by id, their weight. */
import type { Conversation, Item, Limits, ResponseRecord } from './store.ts'

/** An item and its place in the order of all items ever written. */
export interface Placed {
  readonly place: number
  readonly item: Item
}

/** When a response became part of a conversation: which one, and the place of what came before it. */
export interface Joined {
  readonly to: number
  readonly after: number
}

interface EntryBase {
  /** Never given twice, so that a conversation made anew under an old id is told from the old one. */
  readonly number: number
}

export interface ResponseEntry extends EntryBase {
  readonly kind: 'response'
  readonly bytes: number
  readonly value: ResponseRecord
  readonly placed: readonly Placed[]
  readonly joined: Joined | undefined
}

export interface ConversationEntry extends EntryBase {
  readonly kind: 'conversation'
  /** It grows in place: to write a long conversation anew for each item would take ever longer. */
  bytes: number
  value: Conversation
  /** By id, oldest first. */
  readonly items: Map<string, Placed>
}

type Entry = ResponseEntry | ConversationEntry

/** Owners and ids have no control characters, so the separator cannot be forged. */
const keyOf = (...parts: readonly string[]): string => parts.join('\n')

const entryKey = (entry: Entry): string => keyOf(entry.kind, entry.value.owner, entry.value.id)

export class MemoryRecords {
  /** A map iterates in the order of insertion; a write takes its entry out and puts it in at the end. */
  readonly #entries = new Map<string, Entry>()
  readonly #items = new Map<string, Map<Placed, Entry>>()
  readonly #limits: Limits
  #bytes = 0
  #places = 0
  #numbers = 0
  /** Nothing expires before this. It may be too early, which costs one look through all. */
  #earliestExpiry = Number.POSITIVE_INFINITY

  constructor(limits: Limits) {
    this.#limits = limits
  }

  nextNumber(): number {
    this.#numbers += 1
    return this.#numbers
  }

  place(items: readonly Item[]): readonly Placed[] {
    return items.map(({ id, json }) => {
      this.#places += 1
      return { place: this.#places, item: { id, json } }
    })
  }

  /** The place of the item written last. */
  get lastPlace(): number {
    return this.#places
  }

  response(owner: string, id: string, now: number): ResponseEntry | undefined {
    const entry = this.#live(keyOf('response', owner, id), now)
    return entry?.kind === 'response' ? entry : undefined
  }

  conversation(owner: string, id: string, now: number): ConversationEntry | undefined {
    const entry = this.#live(keyOf('conversation', owner, id), now)
    return entry?.kind === 'conversation' ? entry : undefined
  }

  /** The one written last. */
  item(owner: string, id: string, now: number): Item | undefined {
    let newest: Placed | undefined
    for (const [placed, entry] of this.#items.get(keyOf(owner, id)) ?? []) {
      if (entry.value.expiresAt <= now) continue
      if (newest === undefined || placed.place > newest.place) newest = placed
    }
    return newest?.item
  }

  put(entry: Entry): void {
    const before = this.#entries.get(entryKey(entry))
    if (before !== undefined) this.remove(before)
    this.#entries.set(entryKey(entry), entry)
    this.#bytes += entry.bytes
    this.#earliestExpiry = Math.min(this.#earliestExpiry, entry.value.expiresAt)
    for (const placed of itemsOf(entry)) this.#index(entry, placed)
  }

  /** A conversation that is already here, with other values and more items. */
  extend(entry: ConversationEntry, value: Conversation, bytes: number, items: readonly Item[]): void {
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
    entry.value = value
    this.#earliestExpiry = Math.min(this.#earliestExpiry, value.expiresAt)
    for (const placed of this.place(items)) {
      entry.items.set(placed.item.id, placed)
      this.#index(entry, placed)
    }
    this.#touch(entry)
  }

  dropItem(entry: ConversationEntry, placed: Placed, bytes: number): void {
    entry.items.delete(placed.item.id)
    this.#unindex(entry, placed)
    this.#bytes -= bytes
    entry.bytes -= bytes
    this.#touch(entry)
  }

  remove(entry: Entry): void {
    this.#entries.delete(entryKey(entry))
    this.#bytes -= entry.bytes
    for (const placed of itemsOf(entry)) this.#unindex(entry, placed)
  }

  removeExpired(now: number): number {
    if (now < this.#earliestExpiry) return 0
    let removed = 0
    let earliest = Number.POSITIVE_INFINITY
    for (const entry of this.#entries.values()) {
      if (entry.value.expiresAt > now) {
        earliest = Math.min(earliest, entry.value.expiresAt)
        continue
      }
      this.remove(entry)
      removed += 1
    }
    this.#earliestExpiry = earliest
    return removed
  }

  /** Back within the limits: first what has expired, then what was written longest ago. */
  trim(now: number): number {
    if (!this.#isOver()) return 0
    let removed = this.removeExpired(now)
    for (const entry of this.#entries.values()) {
      if (!this.#isOver()) break
      this.remove(entry)
      removed += 1
    }
    return removed
  }

  clear(): void {
    this.#entries.clear()
    this.#items.clear()
    this.#bytes = 0
  }

  #live(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.value.expiresAt > now ? entry : undefined
  }

  #touch(entry: Entry): void {
    this.#entries.delete(entryKey(entry))
    this.#entries.set(entryKey(entry), entry)
  }

  #isOver(): boolean {
    return this.#entries.size > this.#limits.maxRecords || this.#bytes > this.#limits.maxBytes
  }

  #index(entry: Entry, placed: Placed): void {
    const key = keyOf(entry.value.owner, placed.item.id)
    const holders = this.#items.get(key)
    if (holders === undefined) this.#items.set(key, new Map([[placed, entry]]))
    else holders.set(placed, entry)
  }

  #unindex(entry: Entry, placed: Placed): void {
    const key = keyOf(entry.value.owner, placed.item.id)
    const holders = this.#items.get(key)
    holders?.delete(placed)
    if (holders?.size === 0) this.#items.delete(key)
  }
}

const itemsOf = (entry: Entry): Iterable<Placed> =>
  entry.kind === 'response' ? entry.placed : entry.items.values()
