/**
 * What a storage provides to `RecordStore`: rows of records and items. All methods are synchronous and run inside one
 * transaction of the storage. Nothing here checks arguments or limits.
 */
import type { Item, ItemQuery, ResponseKey, ResponseRecord } from './store.ts'

export type RecordKind = 'response' | 'conversation'
export type ItemPart = 'input' | 'output' | 'conversation'

/** When a response became part of a conversation: the number of that record, and the position of the last item before. */
export interface Joined {
  readonly joinedTo: number | null
  readonly joinedAfter: number | null
}

/** A record without its text and items, which may be long. */
export interface RecordHead extends Joined {
  /** Never reused, so that a conversation created again under an old id is not confused with the old one. */
  readonly number: number
  readonly createdAt: number
  readonly expiresAt: number
  readonly bytes: number
  readonly status: string | null
  readonly previousId: string | null
  readonly conversationId: string | null
}

/** How many claims a store holds for each record that it may hold. An answer names a response and a few items. */
export const claimsPerRecord = 10

export interface StoredItem extends Item {
  /** In the order of all items ever written; never reused. */
  readonly position: number
  readonly part: ItemPart
}

export interface Records {
  /** `undefined` when it has expired. */
  find(kind: RecordKind, owner: string, id: string, now: number): RecordHead | undefined
  /** The same without reading more than is needed to remove it, which must be possible for a damaged record too. */
  numberOf(kind: RecordKind, owner: string, id: string, now: number): number | undefined
  body(number: number): string
  /** Creates a record in place of an expired one with the same id, and returns its number. */
  create(kind: RecordKind, owner: string, id: string, createdAt: number, expiresAt: number): number
  remove(number: number): void
  /** Remembers of a response that it is about to be removed at this time, so that a late save does not bring it back. */
  bury(number: number, now: number): void
  isBuried(owner: string, id: string): boolean
  /** Marks a response as to be stopped by whoever works on it. */
  requestStop(number: number): void
  /** Unfinished responses of this process that are to be stopped, or were buried. */
  toStop(now: number): readonly ResponseKey[]
  /** Replaces all fields and items of a response, and makes it the record written last. */
  writeResponse(number: number, record: ResponseRecord, bytes: number, joined: Joined): void
  /** Changes the size and expiry of a conversation, and makes it the record written last. */
  touch(number: number, bytes: number, expiresAt: number): void
  writeBody(number: number, body: string): void

  addItems(number: number, owner: string, part: ItemPart, items: readonly Item[]): void
  removeItem(number: number, item: StoredItem): void
  /** The position of the item written last, in any record. */
  lastPosition(): number
  /** Items of a record, oldest first, up to and including a position. */
  items(number: number, upTo?: number): readonly StoredItem[]
  findItem(number: number, owner: string, id: string): StoredItem | undefined
  /** Items of a record after a position, in the given order. */
  page(number: number, after: number | undefined, limit: number, order: ItemQuery['order']): readonly Item[]
  /** About how many bytes the items of such a page have. */
  pageBytes(number: number, after: number | undefined, limit: number, order: ItemQuery['order']): number
  /** About how many bytes the item that `newestItem` returns has; 0 when there is none. */
  itemBytes(owner: string, id: string, now: number): number
  /** The item of this id written last, in any record that has not expired. */
  newestItem(owner: string, id: string, now: number): Item | undefined

  secret(name: string): string | undefined
  writeSecret(name: string, value: string): void

  claim(holder: string, id: string, owner: string, expiresAt: number): void
  /** `undefined` when the claim has expired. */
  ownerOf(holder: string, id: string, now: number): string | undefined
}
