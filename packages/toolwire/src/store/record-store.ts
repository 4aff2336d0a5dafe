/**
 * The operations of a store, written once for all storages: they check arguments and limits, and read and write
 * `Records` in one transaction. All checks come before the first write, so that a storage without rollback is safe.
 */
import { chainOf, itemsBefore } from './chains.ts'
import {
  byteLength,
  checkChange,
  checkConversation,
  checkId,
  checkItems,
  checkKey,
  checkNewItems,
  checkQuery,
  checkRecord,
  checkTime,
  isId,
  weighHead,
  weighItems,
  weighRecord,
} from './checks.ts'
import { isFinished, itemsForConversation, joinsConversation, mayFollow } from './lifecycle.ts'
import type { Joined, RecordHead, Records } from './records.ts'
import type {
  Conversation,
  ConversationChange,
  Item,
  ItemPage,
  ItemQuery,
  Limits,
  NewEvents,
  ResponseKey,
  ResponseRecord,
  Store,
  WeighedRead,
} from './store.ts'
import {
  alreadyExists,
  conversationNotFound,
  leaseLost,
  tooLarge,
  unknownCursor,
  wasDeleted,
} from './store-error.ts'

const notJoined: Joined = { joinedTo: null, joinedAfter: null }

export abstract class RecordStore implements Store {
  abstract readonly kind: string
  readonly #records: Records
  readonly #limits: Limits

  constructor(records: Records, limits: Limits) {
    this.#records = records
    this.#limits = limits
  }

  abstract sweep(now: number): Promise<number>
  abstract maintain(): Promise<void>
  abstract check(): Promise<void>
  abstract close(): Promise<void>

  /** Both run `act` in one transaction, and reject with `closed` after `close`. */
  protected abstract read<T>(act: (now: number) => T): Promise<T>
  protected abstract write<T>(act: (now: number) => T): Promise<T>
  /** As `write`, for what needs less space than it frees: it must work on a full disk too. */
  protected abstract shrink<T>(act: (now: number) => T): Promise<T>
  /** Removes a record in a transaction of its own. It must work on a full disk too. */
  protected abstract erase(find: (now: number) => number | undefined, bury: boolean): Promise<boolean>

  /** In the transaction of a save. */
  protected addEvents(_owner: string, _id: string, _events: NewEvents, _now: number): void {}

  async saveResponse(record: ResponseRecord, events?: NewEvents): Promise<void> {
    checkRecord(record)
    await this.write(now => {
      this.#saveResponse(record, now)
      if (events !== undefined) this.addEvents(record.owner, record.id, events, now)
    })
  }

  readonly #saveResponse = (record: ResponseRecord, now: number) => {
    const { owner, id, conversationId } = record
    if (this.#records.isBuried(owner, id)) throw wasDeleted(id)
    const existing = this.#records.find('response', owner, id, now)
    if (existing !== undefined && !mayFollow(existing.status ?? '', record.status)) throw leaseLost(id)
    if (conversationId === undefined) return this.#writeResponse(record, existing, notJoined)
    const conversation = this.#records.find('conversation', owner, conversationId, now)
    // One that began in it ends even if it is gone: as if it had been deleted just after the end.
    if (conversation === undefined && existing?.conversationId !== conversationId)
      throw conversationNotFound(conversationId)
    if (conversation === undefined) return this.#writeResponse(record, existing, notJoined)
    if (existing?.joinedTo === conversation.number) return this.#writeResponse(record, existing, existing)
    const items = itemsForConversation(record)
    this.#assertNew(conversation, owner, conversationId, items)
    if (!joinsConversation(record.status)) return this.#writeResponse(record, existing, notJoined)
    this.#assertFits(`Response ${id}`, weighRecord(record) + conversation.bytes + weighItems(items))
    const joined = { joinedTo: conversation.number, joinedAfter: this.#records.lastPosition() }
    this.#writeResponse(record, existing, joined)
    const expiresAt = Math.max(conversation.expiresAt, record.expiresAt)
    this.#extend(conversation, owner, conversationId, items, expiresAt)
  }

  async getResponse(owner: string, id: string): Promise<ResponseRecord | undefined> {
    checkKey(owner, id)
    return this.read(now => {
      const head = this.#records.find('response', owner, id, now)
      if (head === undefined) return undefined
      const { number, createdAt, expiresAt, previousId, conversationId, status } = head
      const items = this.#records.items(number)
      return {
        owner,
        id,
        createdAt,
        expiresAt,
        ...(previousId === null ? {} : { previousId }),
        ...(conversationId === null ? {} : { conversationId }),
        status: status ?? '',
        response: this.#records.body(number),
        input: items.filter(({ part }) => part === 'input').map(plain),
        output: items.filter(({ part }) => part === 'output').map(plain),
      }
    })
  }

  async deleteResponse(owner: string, id: string): Promise<boolean> {
    checkKey(owner, id)
    return this.erase(now => this.#records.numberOf('response', owner, id, now), true)
  }

  async requestCancel(owner: string, id: string): Promise<boolean> {
    checkKey(owner, id)
    return this.write(now => {
      const head = this.#records.find('response', owner, id, now)
      if (head === undefined || isFinished(head.status ?? '')) return false
      this.#records.requestStop(head.number)
      return true
    })
  }

  async responsesToStop(): Promise<readonly ResponseKey[]> {
    return this.read(now => this.#records.toStop(now))
  }

  async context(owner: string, id: string): Promise<readonly Item[] | undefined> {
    checkKey(owner, id)
    return this.read(now => {
      const chain = chainOf(this.#records, owner, id, now)
      const before = chain?.[0] && itemsBefore(this.#records, chain[0], owner, now)
      if (chain === undefined || before === undefined) return undefined
      return [...before, ...chain.flatMap(({ number }) => this.#records.items(number))].map(plain)
    })
  }

  async getItems(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    checkId('owner', owner)
    for (const id of ids) checkId('id', id)
    return this.read(now => {
      const found = new Map<string, Item>()
      for (const id of new Set(ids)) {
        const item = this.#records.newestItem(owner, id, now)
        if (item !== undefined) found.set(id, plain(item))
      }
      return found
    })
  }

  async weigh(owner: string, read: WeighedRead): Promise<number> {
    checkId('owner', owner)
    return this.read(now => {
      if ('response' in read) return this.#records.find('response', owner, read.response, now)?.bytes ?? 0
      if ('context' in read) return this.#weighContext(owner, read.context, now)
      if ('items' in read) return this.#weighItems(owner, read.items, now)
      const { conversation, query } = read
      const head = this.#records.find('conversation', owner, conversation, now)
      if (head === undefined) return 0
      const after = query.after && this.#records.findItem(head.number, owner, query.after)?.position
      return this.#records.pageBytes(head.number, after || undefined, query.limit + 1, query.order)
    })
  }

  /** A request may name one item many times, and must not make the store look as often. */
  #weighItems(owner: string, ids: readonly string[], now: number): number {
    const known = new Map<string, number>()
    return ids.reduce((bytes, id) => {
      const weight = known.get(id) ?? this.#records.itemBytes(owner, id, now)
      known.set(id, weight)
      return bytes + weight
    }, 0)
  }

  #weighContext(owner: string, id: string, now: number): number {
    const chain = chainOf(this.#records, owner, id, now) ?? []
    const before = chain[0]?.conversationId ?? null
    const conversation = before === null ? undefined : this.#records.find('conversation', owner, before, now)
    return chain.reduce((bytes, head) => bytes + head.bytes, conversation?.bytes ?? 0)
  }

  async claimIds(owner: string, holder: string, ids: readonly string[], expiresAt: number): Promise<void> {
    checkKey(owner, holder)
    checkTime('expiresAt', expiresAt)
    const valid = ids.filter(isId)
    if (valid.length === 0) return
    await this.write(() => {
      for (const id of valid) this.#records.claim(holder, id, owner, expiresAt)
    })
  }

  async swapClaim(
    holder: string,
    id: string,
    expected: string | undefined,
    owner: string,
    expiresAt: number,
  ): Promise<boolean> {
    checkKey(owner, holder)
    checkId('id', id)
    checkTime('expiresAt', expiresAt)
    return this.write(now => {
      if (this.#records.ownerOf(holder, id, now) !== expected) return false
      this.#records.claim(holder, id, owner, expiresAt)
      return true
    })
  }

  async ownersOf(holder: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    checkId('holder', holder)
    return this.read(now => {
      const owners = new Map<string, string>()
      for (const id of ids) {
        const owner = isId(id) ? this.#records.ownerOf(holder, id, now) : undefined
        if (owner !== undefined) owners.set(id, owner)
      }
      return owners
    })
  }

  async secret(name: string, candidate: string): Promise<string> {
    checkId('name', name)
    checkId('candidate', candidate)
    const known = await this.read(() => this.#records.secret(name))
    if (known !== undefined) return known
    return this.write(() => {
      // Another process may have been faster.
      const shared = this.#records.secret(name)
      if (shared === undefined) this.#records.writeSecret(name, candidate)
      return shared ?? candidate
    })
  }

  async createConversation(conversation: Conversation, items: readonly Item[]): Promise<void> {
    checkConversation(conversation, items)
    await this.write(now => {
      const { owner, id, createdAt, expiresAt, metadata } = conversation
      if (this.#records.find('conversation', owner, id, now) !== undefined) throw alreadyExists(id)
      checkNewItems(id, items, () => false)
      const bytes = weighHead(owner, id, metadata) + weighItems(items)
      this.#assertFits(`Conversation ${id}`, bytes)
      const number = this.#records.create('conversation', owner, id, createdAt, expiresAt)
      this.#records.writeBody(number, metadata)
      this.#records.touch(number, bytes, expiresAt)
      this.#records.addItems(number, owner, 'conversation', items)
    })
  }

  async getConversation(owner: string, id: string): Promise<Conversation | undefined> {
    return this.#readConversation(owner, id, ({ number, createdAt, expiresAt }) => ({
      owner,
      id,
      createdAt,
      expiresAt,
      metadata: this.#records.body(number),
    }))
  }

  async updateConversation(owner: string, id: string, change: ConversationChange): Promise<boolean> {
    checkChange(change)
    return this.#changeConversation(owner, id, head => {
      const { metadata, expiresAt = head.expiresAt } = change
      const before = metadata === undefined ? '' : this.#records.body(head.number)
      const bytes = head.bytes + byteLength(metadata ?? '') - byteLength(before)
      this.#assertFits(`Conversation ${id}`, bytes)
      this.#records.touch(head.number, bytes, expiresAt)
      if (metadata !== undefined) this.#records.writeBody(head.number, metadata)
      return true
    })
  }

  async deleteConversation(owner: string, id: string): Promise<boolean> {
    checkKey(owner, id)
    return this.erase(now => this.#records.numberOf('conversation', owner, id, now), false)
  }

  async appendItems(owner: string, conversationId: string, items: readonly Item[]): Promise<boolean> {
    checkItems('items', items)
    return this.#changeConversation(owner, conversationId, head => {
      this.#assertNew(head, owner, conversationId, items)
      this.#extend(head, owner, conversationId, items, head.expiresAt)
      return true
    })
  }

  async listItems(owner: string, conversationId: string, query: ItemQuery): Promise<ItemPage | undefined> {
    checkQuery(query)
    return this.#readConversation(owner, conversationId, ({ number }) => {
      const { after, limit, order } = query
      const cursor = after === undefined ? undefined : this.#records.findItem(number, owner, after)
      if (after !== undefined && cursor === undefined) throw unknownCursor(conversationId, after)
      // One more than the limit shows whether there are more.
      const most = Math.min(limit, Number.MAX_SAFE_INTEGER - 1)
      const items = this.#records.page(number, cursor?.position, most + 1, order)
      return { items: items.slice(0, most).map(plain), hasMore: items.length > most }
    })
  }

  async getItem(owner: string, conversationId: string, id: string): Promise<Item | undefined> {
    checkId('id', id)
    return this.#readConversation(owner, conversationId, ({ number }) => {
      const item = this.#records.findItem(number, owner, id)
      return item && plain(item)
    })
  }

  async deleteItem(owner: string, conversationId: string, id: string): Promise<boolean> {
    checkKey(owner, conversationId)
    checkId('id', id)
    return this.shrink(now => {
      const head = this.#records.find('conversation', owner, conversationId, now)
      if (head === undefined) return false
      const { number, bytes, expiresAt } = head
      const item = this.#records.findItem(number, owner, id)
      if (item === undefined) return false
      this.#records.removeItem(number, item)
      this.#records.touch(number, bytes - weighItems([item]), expiresAt)
      return true
    })
  }

  async #readConversation<T>(
    owner: string,
    id: string,
    act: (head: RecordHead) => T,
  ): Promise<T | undefined> {
    checkKey(owner, id)
    return this.read(now => {
      const head = this.#records.find('conversation', owner, id, now)
      return head && act(head)
    })
  }

  /** `act` returns whether it changed anything. */
  async #changeConversation(owner: string, id: string, act: (head: RecordHead) => boolean): Promise<boolean> {
    checkKey(owner, id)
    return this.write(now => {
      const head = this.#records.find('conversation', owner, id, now)
      return head !== undefined && act(head)
    })
  }

  #writeResponse(record: ResponseRecord, existing: RecordHead | undefined, joined: Joined): void {
    const { owner, id, createdAt, expiresAt } = record
    const bytes = weighRecord(record)
    this.#assertFits(`Response ${id}`, bytes)
    const number = existing?.number ?? this.#records.create('response', owner, id, createdAt, expiresAt)
    this.#records.writeResponse(number, record, bytes, joined)
  }

  #extend(head: RecordHead, owner: string, id: string, items: readonly Item[], expiresAt: number): void {
    const bytes = head.bytes + weighItems(items)
    this.#assertFits(`Conversation ${id}`, bytes)
    this.#records.touch(head.number, bytes, expiresAt)
    this.#records.addItems(head.number, owner, 'conversation', items)
  }

  #assertNew({ number }: RecordHead, owner: string, id: string, items: readonly Item[]): void {
    checkNewItems(id, items, item => this.#records.findItem(number, owner, item) !== undefined)
  }

  #assertFits(what: string, bytes: number): void {
    if (bytes > this.#limits.maxBytes) throw tooLarge(what, bytes, this.#limits.maxBytes)
  }
}

/** A copy without other columns: rows of SQLite have more, and no prototype. */
const plain = ({ id, json }: Item): Item => ({ id, json })
