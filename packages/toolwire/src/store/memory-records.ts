/** Records in maps. A map iterates in the order of insertion, which is used for the order of writes. */
import { OwnerShares } from '../platform/owner-shares.ts'
import { isFinished } from './lifecycle.ts'
import type { ItemPart, Joined, RecordHead, RecordKind, Records, StoredItem } from './records.ts'
import { claimsPerRecord } from './records.ts'
import type { Item, ItemQuery, Limits, ResponseKey, ResponseRecord } from './store.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface Row extends Mutable<RecordHead> {
  readonly key: string
  readonly owner: string
  readonly id: string
  isToStop: boolean
  body: string
  /** By position, oldest first. */
  readonly items: Map<number, StoredItem>
}

/** Of a response that was removed. */
interface Grave extends ResponseKey {
  readonly at: number
  readonly wasFinished: boolean
}

/** How many removed responses are remembered, and how long: no work takes that long. */
const graveLimit = 10_000
export const graveMs: number = 24 * 3_600_000

interface Claim {
  readonly owner: string
  readonly expiresAt: number
}

/** Owners and ids have no control characters, so the key is unambiguous. */
const keyOf = (...parts: readonly string[]): string => parts.join('\n')

export class MemoryRecords implements Records {
  /** By number, the one written longest ago first. */
  readonly #rows = new Map<number, Row>()
  readonly #byKey = new Map<string, Row>()
  /** By owner and item id: in which records the item is, by position. */
  readonly #holders = new Map<string, Map<number, Row>>()
  /** By key, the one removed longest ago first. */
  readonly #graves = new Map<string, Grave>()
  /** By holder and id, the one claimed longest ago first. */
  readonly #claims = new Map<string, Claim>()
  readonly #secrets = new Map<string, string>()
  readonly #limits: Limits
  /** By owner, the one written longest ago first. */
  readonly #byOwner = new Map<string, Map<number, Row>>()
  readonly #bytesOf = new OwnerShares()
  readonly #recordsOf = new OwnerShares()
  #bytes = 0
  #lastNumber = 0
  #lastWritten = 0
  #lastPosition = 0
  /** A lower bound. If it is too early, one search finds nothing. */
  #earliestExpiry = Number.POSITIVE_INFINITY

  constructor(limits: Limits) {
    this.#limits = limits
  }

  find(kind: RecordKind, owner: string, id: string, now: number): RecordHead | undefined {
    const row = this.#byKey.get(keyOf(kind, owner, id))
    return row !== undefined && row.expiresAt > now ? row : undefined
  }

  numberOf(kind: RecordKind, owner: string, id: string, now: number): number | undefined {
    return this.find(kind, owner, id, now)?.number
  }

  body(number: number): string {
    return this.#rows.get(number)?.body ?? ''
  }

  create(kind: RecordKind, owner: string, id: string, createdAt: number, expiresAt: number): number {
    const key = keyOf(kind, owner, id)
    const expired = this.#byKey.get(key)
    if (expired !== undefined) this.remove(expired.number)
    this.#lastNumber += 1
    const row: Row = {
      key,
      owner,
      id,
      isToStop: false,
      number: this.#lastNumber,
      createdAt,
      expiresAt,
      bytes: 0,
      status: null,
      previousId: null,
      conversationId: null,
      joinedTo: null,
      joinedAfter: null,
      body: '',
      items: new Map(),
    }
    this.#byKey.set(key, row)
    this.#rows.set(row.number, row)
    this.#recordsOf.add(owner, 1)
    this.#setLast(row)
    return row.number
  }

  remove(number: number): void {
    for (const _ of this.removeInSlices(number, Number.POSITIVE_INFINITY));
  }

  /** The record is gone at once. Its items, which may be any number, go so many for each step of the iteration. */
  *removeInSlices(number: number, sliceItems: number): Generator<void> {
    const row = this.#rows.get(number)
    if (row === undefined) return
    this.#rows.delete(number)
    this.#byKey.delete(row.key)
    this.#bytes -= row.bytes
    this.#bytesOf.add(row.owner, -row.bytes)
    this.#recordsOf.add(row.owner, -1)
    const own = this.#byOwner.get(row.owner)
    own?.delete(number)
    if (own?.size === 0) this.#byOwner.delete(row.owner)
    row.expiresAt = 0
    let count = 0
    for (const item of row.items.values()) {
      this.#removeItem(row, item)
      if (++count % sliceItems === 0) yield
    }
  }

  bury(number: number, now: number): void {
    const row = this.#rows.get(number)
    if (row === undefined) return
    const { key, owner, id, status } = row
    this.#graves.set(key, { owner, id, at: now, wasFinished: isFinished(status ?? '') })
    for (const [oldest, { at }] of this.#graves) {
      if (this.#graves.size <= graveLimit && at > now - graveMs) break
      this.#graves.delete(oldest)
    }
  }

  isBuried(owner: string, id: string): boolean {
    return this.#graves.has(keyOf('response', owner, id))
  }

  requestStop(number: number): void {
    const row = this.#rows.get(number)
    if (row !== undefined) row.isToStop = true
  }

  toStop(now: number): readonly ResponseKey[] {
    const stopped = [...this.#rows.values()].filter(
      ({ isToStop, status, expiresAt }) => isToStop && expiresAt > now && !isFinished(status ?? ''),
    )
    const buried = [...this.#graves.values()].filter(grave => !grave.wasFinished)
    return [...stopped, ...buried].map(({ owner, id }) => ({ owner, id }))
  }

  writeResponse(number: number, record: ResponseRecord, bytes: number, joined: Joined): void {
    const row = this.#rows.get(number)
    if (row === undefined) return
    const { createdAt, status, previousId = null, conversationId = null, response } = record
    const { joinedTo, joinedAfter } = joined
    Object.assign(row, {
      createdAt,
      status,
      previousId,
      conversationId,
      joinedTo,
      joinedAfter,
      body: response,
    })
    this.touch(number, bytes, record.expiresAt)
    this.#removeItems(row)
    this.addItems(number, row.owner, 'input', record.input)
    this.addItems(number, row.owner, 'output', record.output)
  }

  touch(number: number, bytes: number, expiresAt: number): void {
    const row = this.#rows.get(number)
    if (row === undefined) return
    this.#bytes += bytes - row.bytes
    this.#bytesOf.add(row.owner, bytes - row.bytes)
    row.bytes = bytes
    row.expiresAt = expiresAt
    this.#earliestExpiry = Math.min(this.#earliestExpiry, expiresAt)
    this.#rows.delete(number)
    this.#rows.set(number, row)
    this.#setLast(row)
  }

  writeBody(number: number, body: string): void {
    const row = this.#rows.get(number)
    if (row !== undefined) row.body = body
  }

  addItems(number: number, owner: string, part: ItemPart, items: readonly Item[]): void {
    const row = this.#rows.get(number)
    if (row === undefined) return
    for (const { id, json } of items) {
      this.#lastPosition += 1
      row.items.set(this.#lastPosition, { id, json, part, position: this.#lastPosition })
      const key = keyOf(owner, id)
      const holders = this.#holders.get(key)
      if (holders === undefined) this.#holders.set(key, new Map([[this.#lastPosition, row]]))
      else holders.set(this.#lastPosition, row)
    }
  }

  removeItem(number: number, item: StoredItem): void {
    const row = this.#rows.get(number)
    if (row !== undefined) this.#removeItem(row, item)
  }

  #removeItem(row: Row, { id, position }: StoredItem): void {
    row.items.delete(position)
    const key = keyOf(row.owner, id)
    const holders = this.#holders.get(key)
    holders?.delete(position)
    if (holders?.size === 0) this.#holders.delete(key)
  }

  lastPosition(): number {
    return this.#lastPosition
  }

  items(number: number, upTo: number = Number.POSITIVE_INFINITY): readonly StoredItem[] {
    const items = [...(this.#rows.get(number)?.items.values() ?? [])]
    return upTo === Number.POSITIVE_INFINITY ? items : items.filter(({ position }) => position <= upTo)
  }

  findItem(number: number, owner: string, id: string): StoredItem | undefined {
    for (const [position, row] of this.#holders.get(keyOf(owner, id)) ?? []) {
      if (row.number === number) return row.items.get(position)
    }
    return undefined
  }

  page(number: number, after: number | undefined, limit: number, order: ItemQuery['order']): readonly Item[] {
    const all = order === 'asc' ? this.items(number) : this.items(number).toReversed()
    const start = after === undefined ? 0 : all.findIndex(({ position }) => position === after) + 1
    return all.slice(start, start + limit)
  }

  pageBytes(number: number, after: number | undefined, limit: number, order: ItemQuery['order']): number {
    return this.page(number, after, limit, order).reduce((bytes, { json }) => bytes + json.length, 0)
  }

  itemBytes(owner: string, id: string, now: number): number {
    return this.newestItem(owner, id, now)?.json.length ?? 0
  }

  newestItem(owner: string, id: string, now: number): Item | undefined {
    let newest: Item | undefined
    for (const [position, row] of this.#holders.get(keyOf(owner, id)) ?? []) {
      if (row.expiresAt > now) newest = row.items.get(position)
    }
    return newest
  }

  secret(name: string): string | undefined {
    return this.#secrets.get(name)
  }

  writeSecret(name: string, value: string): void {
    this.#secrets.set(name, value)
  }

  claim(holder: string, id: string, owner: string, expiresAt: number): void {
    const key = keyOf(holder, id)
    this.#claims.delete(key)
    this.#claims.set(key, { owner, expiresAt })
  }

  ownerOf(holder: string, id: string, now: number): string | undefined {
    const claim = this.#claims.get(keyOf(holder, id))
    return claim !== undefined && claim.expiresAt > now ? claim.owner : undefined
  }

  /** Removes those that have expired, and those claimed longest ago beyond the limit. */
  trimClaims(now: number): void {
    const most = claimsPerRecord * this.#limits.maxRecords
    for (const [key, { expiresAt }] of this.#claims) {
      if (expiresAt > now && this.#claims.size <= most) break
      this.#claims.delete(key)
    }
  }

  removeExpired(now: number): number {
    if (now < this.#earliestExpiry) return 0
    let removed = 0
    this.#earliestExpiry = Number.POSITIVE_INFINITY
    for (const { number, expiresAt } of this.#rows.values()) {
      if (expiresAt > now) this.#earliestExpiry = Math.min(this.#earliestExpiry, expiresAt)
      else {
        this.remove(number)
        removed += 1
      }
    }
    return removed
  }

  /**
   * Removes expired records if the limits are exceeded, then those written longest ago of the owner who has most, until
   * they are not.
   */
  trim(now: number): number {
    if (!this.#isOverLimit()) return 0
    let removed = this.removeExpired(now)
    while (this.#isOverLimit()) {
      const row = this.#leastWanted()
      if (row === undefined) break
      this.remove(row.number)
      removed += 1
    }
    return removed
  }

  /** Never the record written last: its writer has been promised that it is there. */
  #leastWanted(): Row | undefined {
    const shares = this.#rows.size > this.#limits.maxRecords ? this.#recordsOf : this.#bytesOf
    const [oldest] = this.#byOwner.get(shares.largest() ?? '')?.values() ?? []
    if (oldest !== undefined && oldest.number !== this.#lastWritten) return oldest
    for (const row of this.#rows.values()) if (row.number !== this.#lastWritten) return row
    return undefined
  }

  #setLast(row: Row): void {
    const own = this.#byOwner.get(row.owner) ?? new Map<number, Row>()
    own.delete(row.number)
    own.set(row.number, row)
    this.#byOwner.set(row.owner, own)
    this.#lastWritten = row.number
  }

  clear(): void {
    for (const number of this.#rows.keys()) this.remove(number)
    this.#claims.clear()
    this.#secrets.clear()
  }

  #isOverLimit(): boolean {
    return this.#rows.size > this.#limits.maxRecords || this.#bytes > this.#limits.maxBytes
  }

  #removeItems(row: Row): void {
    for (const item of row.items.values()) this.removeItem(row.number, item)
  }
}
