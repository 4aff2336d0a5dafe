/** A store that lives as long as the process: bounded, for tests and for gateways that may forget. */
import { Buffer } from 'node:buffer'
import { walkChain } from './chain.ts'
import {
  checkChange,
  checkConversation,
  checkId,
  checkItems,
  checkKey,
  checkLimits,
  checkNewItems,
  checkQuery,
  checkRecord,
  weighHead,
  weighItems,
  weighRecord,
} from './checks.ts'
import { itemsForConversation, joinsConversation } from './lifecycle.ts'
import { type ConversationEntry, type Joined, MemoryRecords, type ResponseEntry } from './memory-records.ts'
import type {
  Conversation,
  ConversationChange,
  Item,
  ItemPage,
  ItemQuery,
  Limits,
  ResponseRecord,
  Store,
} from './store.ts'
import { alreadyExists, closedError, conversationNotFound, tooLarge, unknownCursor } from './store-error.ts'

export interface MemoryStoreOptions extends Partial<Limits> {
  readonly now?: () => number
}

const DEFAULTS: Limits = { maxRecords: 10_000, maxBytes: 256 * 1024 * 1024 }

export const createMemoryStore = (options: MemoryStoreOptions = {}): Store => new MemoryStore(options)

class MemoryStore implements Store {
  readonly kind = 'memory'
  readonly #now: () => number
  readonly #limits: Limits
  readonly #records: MemoryRecords
  #isOpen = true

  constructor({ now = Date.now, ...limits }: MemoryStoreOptions) {
    this.#now = now
    this.#limits = { ...DEFAULTS, ...limits }
    checkLimits(this.#limits)
    this.#records = new MemoryRecords(this.#limits)
  }

  async saveResponse(record: ResponseRecord): Promise<void> {
    this.#assertOpen()
    checkRecord(record)
    const now = this.#now()
    const records = this.#records
    const existing = records.response(record.owner, record.id, now)
    const conversation = this.#conversationOf(record, now)
    const joined = joinedBefore(existing, conversation)
    const fresh = conversation === undefined || joined !== undefined ? [] : itemsForConversation(record)
    checkNewItems(record.conversationId ?? '', fresh, id => conversation?.items.has(id) === true)
    const joinsNow = conversation !== undefined && joined === undefined && joinsConversation(record.status)
    const bytes = weighRecord(record)
    const added = weighItems(fresh)
    const touched = bytes + (joinsNow ? conversation.bytes + added : 0)
    if (touched > this.#limits.maxBytes) {
      throw tooLarge(`Response ${record.id}`, touched, this.#limits.maxBytes)
    }

    const after = records.lastPlace
    const value = copyRecord(record)
    const placed = records.place([...value.input, ...value.output])
    records.put({
      kind: 'response',
      number: existing?.number ?? records.nextNumber(),
      bytes,
      value,
      placed,
      joined: joinsNow ? { to: conversation.number, after } : joined,
    })
    if (joinsNow) {
      const expiresAt = Math.max(conversation.value.expiresAt, record.expiresAt)
      this.#extend(conversation, fresh, { expiresAt })
    }
    records.trim(now)
  }

  async getResponse(owner: string, id: string): Promise<ResponseRecord | undefined> {
    this.#assertOpen()
    checkKey(owner, id)
    const entry = this.#records.response(owner, id, this.#now())
    return entry && copyRecord(entry.value)
  }

  async deleteResponse(owner: string, id: string): Promise<boolean> {
    this.#assertOpen()
    checkKey(owner, id)
    const entry = this.#records.response(owner, id, this.#now())
    if (entry !== undefined) this.#records.remove(entry)
    return entry !== undefined
  }

  async context(owner: string, id: string): Promise<readonly Item[] | undefined> {
    this.#assertOpen()
    checkKey(owner, id)
    const now = this.#now()
    const chain = walkChain(id, link => {
      const entry = this.#records.response(owner, link, now)
      return entry && { id: link, previousId: entry.value.previousId, entry }
    })
    const root = chain?.[0]?.entry
    const before = root && this.#beforeJoining(root, now)
    if (chain === undefined || before === undefined) return undefined
    return [...before, ...chain.flatMap(({ entry }) => entry.placed.map(({ item }) => ({ ...item })))]
  }

  async getItems(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    this.#assertOpen()
    checkId('owner', owner)
    const now = this.#now()
    const found = new Map<string, Item>()
    for (const id of ids) {
      checkId('id', id)
      const item = this.#records.item(owner, id, now)
      if (item !== undefined) found.set(id, { ...item })
    }
    return found
  }

  async createConversation(conversation: Conversation, items: readonly Item[]): Promise<void> {
    this.#assertOpen()
    checkConversation(conversation, items)
    const { owner, id, createdAt, expiresAt, metadata } = conversation
    const now = this.#now()
    if (this.#records.conversation(owner, id, now) !== undefined) throw alreadyExists(id)
    checkNewItems(id, items, () => false)
    const bytes = weighHead(owner, id, metadata) + weighItems(items)
    if (bytes > this.#limits.maxBytes) throw tooLarge(`Conversation ${id}`, bytes, this.#limits.maxBytes)
    this.#records.put({
      kind: 'conversation',
      number: this.#records.nextNumber(),
      bytes,
      value: { owner, id, createdAt, expiresAt, metadata },
      items: new Map(this.#records.place(items).map(placed => [placed.item.id, placed])),
    })
    this.#records.trim(now)
  }

  async getConversation(owner: string, id: string): Promise<Conversation | undefined> {
    this.#assertOpen()
    checkKey(owner, id)
    const entry = this.#records.conversation(owner, id, this.#now())
    return entry && { ...entry.value }
  }

  async updateConversation(owner: string, id: string, change: ConversationChange): Promise<boolean> {
    this.#assertOpen()
    checkKey(owner, id)
    checkChange(change)
    return this.#change(owner, id, entry => this.#extend(entry, [], change))
  }

  async deleteConversation(owner: string, id: string): Promise<boolean> {
    this.#assertOpen()
    checkKey(owner, id)
    const entry = this.#records.conversation(owner, id, this.#now())
    if (entry !== undefined) this.#records.remove(entry)
    return entry !== undefined
  }

  async appendItems(owner: string, conversationId: string, items: readonly Item[]): Promise<boolean> {
    this.#assertOpen()
    checkKey(owner, conversationId)
    checkItems('items', items)
    return this.#change(owner, conversationId, entry => {
      checkNewItems(conversationId, items, id => entry.items.has(id))
      this.#extend(entry, items, {})
    })
  }

  async listItems(owner: string, conversationId: string, query: ItemQuery): Promise<ItemPage | undefined> {
    this.#assertOpen()
    checkKey(owner, conversationId)
    checkQuery(query)
    const entry = this.#records.conversation(owner, conversationId, this.#now())
    if (entry === undefined) return undefined
    const { after, limit, order } = query
    if (after !== undefined && !entry.items.has(after)) throw unknownCursor(conversationId, after)
    const all = [...entry.items.values()].map(({ item }) => item)
    if (order === 'desc') all.reverse()
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
    const items = all.slice(start, start + limit).map(item => ({ ...item }))
    return { items, hasMore: start + limit < all.length }
  }

  async getItem(owner: string, conversationId: string, id: string): Promise<Item | undefined> {
    this.#assertOpen()
    checkKey(owner, conversationId)
    checkId('id', id)
    const placed = this.#records.conversation(owner, conversationId, this.#now())?.items.get(id)
    return placed && { ...placed.item }
  }

  async deleteItem(owner: string, conversationId: string, id: string): Promise<boolean> {
    this.#assertOpen()
    checkKey(owner, conversationId)
    checkId('id', id)
    const entry = this.#records.conversation(owner, conversationId, this.#now())
    const placed = entry?.items.get(id)
    if (entry === undefined || placed === undefined) return false
    this.#records.dropItem(entry, placed, weighItems([placed.item]))
    return true
  }

  async sweep(now: number): Promise<number> {
    this.#assertOpen()
    return this.#records.removeExpired(now) + this.#records.trim(now)
  }

  async check(): Promise<void> {
    this.#assertOpen()
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.#records.clear()
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw closedError()
  }

  #conversationOf({ owner, conversationId }: ResponseRecord, now: number): ConversationEntry | undefined {
    if (conversationId === undefined) return undefined
    const entry = this.#records.conversation(owner, conversationId, now)
    if (entry === undefined) throw conversationNotFound(conversationId)
    return entry
  }

  #beforeJoining({ value, joined }: ResponseEntry, now: number): readonly Item[] | undefined {
    if (value.conversationId === undefined) return []
    const conversation = this.#records.conversation(value.owner, value.conversationId, now)
    if (conversation === undefined || joined?.to !== conversation.number) return undefined
    const before = [...conversation.items.values()].filter(({ place }) => place <= joined.after)
    return before.map(({ item }) => ({ ...item }))
  }

  #change(owner: string, id: string, act: (entry: ConversationEntry) => void): boolean {
    const now = this.#now()
    const entry = this.#records.conversation(owner, id, now)
    if (entry === undefined) return false
    act(entry)
    this.#records.trim(now)
    return true
  }

  /** Refuses what the store could never hold. */
  #extend(entry: ConversationEntry, items: readonly Item[], change: ConversationChange): void {
    const { metadata = entry.value.metadata, expiresAt = entry.value.expiresAt } = change
    const grown = Buffer.byteLength(metadata) - Buffer.byteLength(entry.value.metadata) + weighItems(items)
    const bytes = entry.bytes + grown
    if (bytes > this.#limits.maxBytes) {
      throw tooLarge(`Conversation ${entry.value.id}`, bytes, this.#limits.maxBytes)
    }
    this.#records.extend(entry, { ...entry.value, metadata, expiresAt }, bytes, items)
  }
}

function joinedBefore(
  existing: ResponseEntry | undefined,
  conversation: ConversationEntry | undefined,
): Joined | undefined {
  return existing?.joined?.to === conversation?.number ? existing?.joined : undefined
}

function copyRecord(record: ResponseRecord): ResponseRecord {
  const { owner, id, createdAt, expiresAt, previousId, conversationId, status, response } = record
  return {
    owner,
    id,
    createdAt,
    expiresAt,
    ...(previousId === undefined ? {} : { previousId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    status,
    response,
    input: record.input.map(({ id, json }) => ({ id, json })),
    output: record.output.map(({ id, json }) => ({ id, json })),
  }
}
