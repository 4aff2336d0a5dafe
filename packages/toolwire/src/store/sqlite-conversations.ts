/** Conversations in SQLite: each method is what one operation does inside its transaction. */
import { Buffer } from 'node:buffer'
import { checkNewItems, weighHead, weighItems } from './checks.ts'
import { type Head, plain, type SqliteRecords } from './sqlite-records.ts'
import type { Conversation, ConversationChange, Item, ItemPage, ItemQuery, Limits } from './store.ts'
import { alreadyExists, tooLarge, unknownCursor } from './store-error.ts'

export class SqliteConversations {
  readonly #records: SqliteRecords
  readonly #limits: Limits

  constructor(records: SqliteRecords, limits: Limits) {
    this.#records = records
    this.#limits = limits
  }

  find(owner: string, id: string, now: number): Head | undefined {
    return this.#records.find('conversation', owner, id, now)
  }

  create(conversation: Conversation, items: readonly Item[], now: number): void {
    const { owner, id, createdAt, expiresAt, metadata } = conversation
    if (this.find(owner, id, now) !== undefined) throw alreadyExists(id)
    checkNewItems(id, items, () => false)
    const bytes = weighHead(owner, id, metadata) + weighItems(items)
    this.#assertFits(id, bytes)
    const number = this.#records.create('conversation', owner, id, createdAt, expiresAt, metadata)
    this.#records.touch(number, bytes, expiresAt)
    this.#records.addItems(number, owner, 'conversation', items)
  }

  get(owner: string, id: string, now: number): Conversation | undefined {
    const head = this.find(owner, id, now)
    if (head === undefined) return undefined
    const { created_at: createdAt, expires_at: expiresAt } = head
    return { owner, id, createdAt, expiresAt, metadata: this.#records.body(head.number) }
  }

  update(owner: string, id: string, change: ConversationChange, now: number): boolean {
    const head = this.find(owner, id, now)
    if (head === undefined) return false
    const { metadata, expiresAt = head.expires_at } = change
    const before = metadata === undefined ? '' : this.#records.body(head.number)
    const bytes = head.bytes + Buffer.byteLength(metadata ?? '') - Buffer.byteLength(before)
    this.#assertFits(id, bytes)
    this.#records.touch(head.number, bytes, expiresAt)
    if (metadata !== undefined) this.#records.writeBody(head.number, metadata)
    return true
  }

  append(owner: string, id: string, items: readonly Item[], now: number): boolean {
    const head = this.find(owner, id, now)
    if (head === undefined) return false
    this.assertNew(head, owner, id, items)
    this.extend(head, owner, id, items, head.expires_at)
    return true
  }

  assertNew(head: Head, owner: string, id: string, items: readonly Item[]): void {
    checkNewItems(id, items, item => this.#records.placeOf(head.number, owner, item) !== undefined)
  }

  extend(head: Head, owner: string, id: string, items: readonly Item[], expiresAt: number): void {
    const bytes = head.bytes + weighItems(items)
    this.#assertFits(id, bytes)
    this.#records.touch(head.number, bytes, expiresAt)
    this.#records.addItems(head.number, owner, 'conversation', items)
  }

  list(owner: string, id: string, query: ItemQuery, now: number): ItemPage | undefined {
    const head = this.find(owner, id, now)
    if (head === undefined) return undefined
    const { after, limit, order } = query
    const cursor = after === undefined ? undefined : this.#records.placeOf(head.number, owner, after)
    if (after !== undefined && cursor === undefined) throw unknownCursor(id, after)
    // One more than asked for tells whether there are more.
    const most = Math.min(limit, Number.MAX_SAFE_INTEGER - 1)
    const items = this.#records.page(head.number, cursor, most + 1, order)
    return { items: items.slice(0, most).map(plain), hasMore: items.length > most }
  }

  item(owner: string, id: string, itemId: string, now: number): Item | undefined {
    const head = this.find(owner, id, now)
    const place = head && this.#records.placeOf(head.number, owner, itemId)
    const item = place === undefined ? undefined : this.#records.itemAt(place)
    return item && plain(item)
  }

  deleteItem(owner: string, id: string, itemId: string, now: number): boolean {
    const head = this.find(owner, id, now)
    const place = head && this.#records.placeOf(head.number, owner, itemId)
    if (head === undefined || place === undefined) return false
    const freed = this.#records.removeItem(place)
    this.#records.touch(head.number, head.bytes - freed, head.expires_at)
    return true
  }

  #assertFits(id: string, bytes: number): void {
    if (bytes > this.#limits.maxBytes) throw tooLarge(`Conversation ${id}`, bytes, this.#limits.maxBytes)
  }
}
