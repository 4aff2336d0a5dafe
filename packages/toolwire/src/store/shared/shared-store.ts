/** A store on a server that several gateways share. Its operations are procedures of the server; here are their checks. */
import { randomUUID } from 'node:crypto'
import { hourMs } from '../../platform/usage-row.ts'
import {
  byteLength,
  checkChange,
  checkConversation,
  checkId,
  checkItems,
  checkKey,
  checkLimits,
  checkQuery,
  checkRecord,
  isId,
  weighHead,
  weighItems,
  weighRecord,
} from '../checks.ts'
import { failedByRestart, isFinished, joinsConversation } from '../lifecycle.ts'
import { claimsPerRecord } from '../records.ts'
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
} from '../store.ts'
import { damaged, StoreError, serverFull } from '../store-error.ts'
import { TrustedTime } from '../trusted-time.ts'
import { Lease } from './lease.ts'
import type { Argument, ProcedureName, Procedures, Row } from './procedures.ts'
import { refusalOf } from './refusals.ts'
import {
  conversationSum,
  type FoundResponse,
  itemFrom,
  itemLists,
  itemsFrom,
  recordSum,
  responseFrom,
} from './rows.ts'
import type { Server } from './shared-claims.ts'
import { eventArguments, SharedEvents } from './shared-events.ts'

export interface SharedStoreOptions extends Partial<Limits> {
  readonly now?: () => number
  /** Milliseconds on a clock that never jumps. By default the system's, or `now` if that is set. */
  readonly elapsed?: () => number
  /** After how many milliseconds of silence a gateway counts as dead. Default 6000. */
  readonly leaseMs?: number
}

const defaults: Limits = { maxRecords: 1_000_000, maxBytes: 4 * 1024 ** 3 }
const sweepBatch = 200
const usageHours = 400 * 24

/** Closes the connection if the store cannot be used. */
export async function openSharedStore(procedures: Procedures, options: SharedStoreOptions): Promise<Store> {
  const { now = Date.now, elapsed = options.now ?? (() => performance.now()), leaseMs = 6_000 } = options
  const { maxRecords = defaults.maxRecords, maxBytes = defaults.maxBytes } = options
  try {
    checkLimits({ maxRecords, maxBytes })
    const [moment] = await procedures.call('moment')
    const last = moment && { at: Number(moment[0]), doubtMs: Number(moment[1]) }
    const lease = await Lease.open(procedures, randomUUID(), leaseMs, elapsed)
    const trusted = new TrustedTime(now(), elapsed, last)
    return new SharedStore({ procedures, now }, lease, { maxRecords, maxBytes }, trusted)
  } catch (error) {
    await procedures.close()
    throw error
  }
}

class SharedStore extends SharedEvents implements Store {
  readonly #lease: Lease
  readonly #limits: Limits
  readonly #trusted: TrustedTime

  constructor(server: Server, lease: Lease, limits: Limits, trusted: TrustedTime) {
    super(server)
    this.#lease = lease
    this.#limits = limits
    this.#trusted = trusted
  }

  protected get token(): string {
    return this.#lease.token
  }

  async saveResponse(record: ResponseRecord, events?: NewEvents): Promise<void> {
    checkRecord(record)
    const { owner, id, createdAt, expiresAt, previousId, conversationId, status, response } = record
    const items = [...record.input, ...record.output]
    await this.#change(
      events === undefined ? 'save_response' : 'save_with_events',
      { id, conversationId, what: `Response ${id}` },
      this.#lease.token,
      ...[owner, id, createdAt, expiresAt, previousId ?? null, conversationId ?? null],
      ...[status, Number(isFinished(status)), Number(joinsConversation(status))],
      ...[response, recordSum(record), weighRecord(record), weighItems(items), record.input.length],
      ...itemLists(owner, items),
      ...(events === undefined ? [] : eventArguments(owner, id, events)),
    )
  }

  async getResponse(owner: string, id: string): Promise<ResponseRecord | undefined> {
    const found = await this.#find(owner, id)
    if (found?.writer === undefined || found.isWriterAlive || !this.#lease.mayJudge) return found?.record
    await this.#fail(found, false)
    return (await this.#find(owner, id))?.record
  }

  async deleteResponse(owner: string, id: string): Promise<boolean> {
    checkKey(owner, id)
    return this.did('delete_record', this.now(), 'response', owner, id)
  }

  async requestCancel(owner: string, id: string): Promise<boolean> {
    checkKey(owner, id)
    return this.did('request_cancel', this.now(), owner, id)
  }

  async responsesToStop(): Promise<readonly ResponseKey[]> {
    return keysFrom(await this.call('to_stop', this.now(), this.#lease.token))
  }

  async context(owner: string, id: string): Promise<readonly Item[] | undefined> {
    checkKey(owner, id)
    const rows = await this.call('context', this.now(), owner, id)
    return rows.length === 0 ? undefined : itemsFrom(owner, rows)
  }

  async getItems(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    checkId('owner', owner)
    for (const id of ids) checkId('id', id)
    const rows = await this.call('get_items', this.now(), owner, [...new Set(ids)])
    return new Map(rows.map(row => [row[1] ?? '', itemFrom(owner, row)]))
  }

  async weigh(owner: string, read: WeighedRead): Promise<number> {
    checkId('owner', owner)
    const now = this.now()
    if ('items' in read) return this.#weighItems(owner, read.items)
    if ('conversation' in read) {
      const { conversation, query } = read
      if (!isId(conversation)) return 0
      const after = query.after !== undefined && isId(query.after) ? query.after : null
      return this.amount('weigh_page', now, owner, conversation, after, query.limit + 1, query.order)
    }
    const id = 'response' in read ? read.response : read.context
    if (!isId(id)) return 0
    return this.amount('response' in read ? 'weigh_response' : 'weigh_context', now, owner, id)
  }

  async createConversation(conversation: Conversation, items: readonly Item[]): Promise<void> {
    checkConversation(conversation, items)
    const { owner, id, createdAt, expiresAt, metadata } = conversation
    await this.#change(
      'create_conversation',
      { id, conversationId: id, what: `Conversation ${id}` },
      ...[owner, id, createdAt, expiresAt, metadata, conversationSum(owner, id, metadata)],
      weighHead(owner, id, metadata) + weighItems(items),
      ...itemLists(owner, items),
    )
  }

  async getConversation(owner: string, id: string): Promise<Conversation | undefined> {
    checkKey(owner, id)
    const [row] = await this.call('get_conversation', this.now(), owner, id)
    if (row === undefined) return undefined
    const [expiresAt, createdAt, body, sum] = row
    const metadata = body ?? ''
    if (conversationSum(owner, id, metadata) !== sum) throw damaged('conversation', id)
    return { owner, id, createdAt: Number(createdAt), expiresAt: Number(expiresAt), metadata }
  }

  async updateConversation(owner: string, id: string, change: ConversationChange): Promise<boolean> {
    checkChange(change)
    checkKey(owner, id)
    const { metadata, expiresAt = null } = change
    return this.#change(
      'update_conversation',
      { id, conversationId: id, what: `Conversation ${id}` },
      ...[owner, id, Number(metadata !== undefined), metadata ?? ''],
      ...[conversationSum(owner, id, metadata ?? ''), expiresAt],
    )
  }

  async deleteConversation(owner: string, id: string): Promise<boolean> {
    checkKey(owner, id)
    return this.did('delete_record', this.now(), 'conversation', owner, id)
  }

  async appendItems(owner: string, id: string, items: readonly Item[]): Promise<boolean> {
    checkItems('items', items)
    checkKey(owner, id)
    return this.#change(
      'append_items',
      { id, conversationId: id, what: `Conversation ${id}` },
      ...[owner, id, weighItems(items), ...itemLists(owner, items)],
    )
  }

  async listItems(owner: string, id: string, query: ItemQuery): Promise<ItemPage | undefined> {
    checkQuery(query)
    checkKey(owner, id)
    const { after, limit, order } = query
    // One more than the limit shows whether there are more.
    const most = Math.min(limit, Number.MAX_SAFE_INTEGER - 1)
    const rows = await this.call('list_items', ...[this.now(), owner, id, after ?? null, most + 1, order])
    const [head, ...found] = rows
    if (head === undefined) return undefined
    if (head[0] !== 'page') throw refusalOf(head, { id, conversationId: id, what: '', after }, this.#limits)
    if (head[1] !== head[2]) throw damaged('conversation', id)
    const items = found.slice(0, most).map(row => itemFrom(owner, row))
    return { items, hasMore: found.length > most }
  }

  async getItem(owner: string, conversationId: string, id: string): Promise<Item | undefined> {
    checkId('id', id)
    checkKey(owner, conversationId)
    const [row] = await this.call('get_item', this.now(), owner, conversationId, id)
    return row && itemFrom(owner, row)
  }

  async deleteItem(owner: string, conversationId: string, id: string): Promise<boolean> {
    checkKey(owner, conversationId)
    checkId('id', id)
    return this.did('delete_item', this.now(), owner, conversationId, id)
  }

  async sweep(now: number): Promise<number> {
    const trusted = Math.floor(this.#trusted.observe(now))
    const { maxRecords, maxBytes } = this.#limits
    let removed = 0
    for (let batch = -1; batch !== 0; ) {
      const claims = claimsPerRecord * maxRecords
      const [row] = await this.call('sweep', trusted, maxRecords, maxBytes, claims, sweepBatch)
      removed += Number(row?.[0] ?? 0)
      batch = Number(row?.[0] ?? 0) + Number(row?.[1] ?? 0)
    }
    await this.trimEvents()
    await this.call('trim_usage', Math.floor(trusted / hourMs) - usageHours)
    while ((await this.amount('trim_counts', trusted, sweepBatch)) > 0);
    const { at, doubtMs } = this.#trusted.moment
    await this.call('write_moment', Math.floor(at), Math.floor(doubtMs))
    return removed
  }

  async maintain(): Promise<void> {
    this.assertOpen()
    await this.#lease.renew()
    if (this.#lease.mayJudge) await this.#failUnfinished(null)
  }

  async check(): Promise<void> {
    this.assertOpen()
    if (!(await this.#lease.renew())) throw serverFull()
  }

  /** Responses that this gateway has not finished become failed for others. */
  async close(): Promise<void> {
    if (!this.isOpen) return
    try {
      await this.#failUnfinished(this.#lease.token)
      await this.#lease.end()
    } catch {
      // A store that cannot be written must still close. The lease runs out, and others repair it.
    } finally {
      await this.disconnect()
    }
  }

  /** Of this token's holder, or with `null` of all who are dead. */
  async #failUnfinished(token: string | null): Promise<void> {
    for (const { owner, id } of keysFrom(await this.call('unfinished', token))) {
      // What is damaged is told to whoever asks for it, and must not keep the rest from being ended.
      const found = await this.#find(owner, id, 0).catch(unlessDamaged)
      if (found !== undefined) await this.#fail(found, token !== null)
    }
  }

  async #fail({ record, writer }: FoundResponse, isClosing: boolean): Promise<void> {
    if (writer === undefined) return
    const response = failedByRestart(record.response)
    const failed = { ...record, status: 'failed', response }
    const grown = byteLength(response) - byteLength(record.response)
    await this.call(
      'fail_response',
      ...[record.owner, record.id, writer, response, recordSum(failed), grown, Number(isClosing)],
    )
  }

  async #find(owner: string, id: string, now: number = this.now()): Promise<FoundResponse | undefined> {
    checkKey(owner, id)
    return responseFrom(owner, id, await this.call('get_response', now, owner, id))
  }

  async #weighItems(owner: string, ids: readonly string[]): Promise<number> {
    const valid = [...new Set(ids.filter(isId))]
    if (valid.length === 0) return 0
    const rows = await this.call('weigh_items', this.now(), owner, valid)
    const known = new Map(rows.map(([id, bytes]) => [id, Number(bytes)]))
    return ids.reduce((bytes, id) => bytes + (known.get(id) ?? 0), 0)
  }

  /** Calls a procedure that may refuse, and returns whether there was what it changes. */
  async #change(name: ProcedureName, about: Refused, ...args: readonly Argument[]): Promise<boolean> {
    const now = this.now()
    const trusted = Math.floor(this.#trusted.observe(now))
    const { maxRecords, maxBytes } = this.#limits
    const [row] = await this.call(name, now, trusted, maxRecords, maxBytes, ...args)
    if (row !== undefined && row[0] !== 'ok') throw refusalOf(row, about, this.#limits)
    return row !== undefined
  }
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.code !== 'record_damaged') throw error
}

type Refused = Parameters<typeof refusalOf>[1]

const keysFrom = (rows: readonly Row[]): ResponseKey[] =>
  rows.map(([owner, id]) => ({ owner: owner ?? '', id: id ?? '' }))
