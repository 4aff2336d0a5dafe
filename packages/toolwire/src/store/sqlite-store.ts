/** The store of a gateway: one SQLite file, which several processes may share. */
import { setImmediate as letOthersRun } from 'node:timers/promises'
import {
  checkChange,
  checkConversation,
  checkId,
  checkItems,
  checkKey,
  checkLimits,
  checkQuery,
  checkRecord,
} from './checks.ts'
import { SqliteConversations } from './sqlite-conversations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { type Driver, loadDriver } from './sqlite-driver.ts'
import { openFile } from './sqlite-file.ts'
import { Liveness } from './sqlite-liveness.ts'
import { type Kind, plain, SqliteRecords } from './sqlite-records.ts'
import { SqliteResponses } from './sqlite-responses.ts'
import { SqliteRetention } from './sqlite-retention.ts'
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
import { StoreError } from './store-error.ts'

export interface SqliteStoreOptions extends Partial<Limits> {
  /** The file. Its folder is made when it is missing. */
  readonly path: string
  readonly now?: () => number
  /** Default `normal`: a crash loses nothing, a power cut at most the last writes. */
  readonly durability?: 'normal' | 'full'
  /** How many milliseconds to wait for other processes. Default 5000. */
  readonly busyTimeout?: number
  readonly driver?: Driver
}

const DEFAULTS: Limits = { maxRecords: 1_000_000, maxBytes: 4 * 1024 ** 3 }

/** How many records a sweep deletes before it lets others run. */
const BATCH = 200

export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path, now = Date.now, durability = 'normal', busyTimeout = 5000 } = options
  const { maxRecords = DEFAULTS.maxRecords, maxBytes = DEFAULTS.maxBytes } = options
  checkLimits({ maxRecords, maxBytes })
  if (path === '' || path === ':memory:') {
    throw new StoreError('invalid', 'path must name a file. To keep nothing on disk, use the memory store.')
  }
  const driver = options.driver ?? (await loadDriver())
  const db = await openFile(driver, { path, now, durability, busyTimeout })
  const liveness = new Liveness(driver, path)
  const store = new SqliteStore(db, liveness, now, { maxRecords, maxBytes })
  try {
    await store.begin()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

class SqliteStore implements Store {
  readonly kind = 'sqlite'
  readonly #db: SqliteDatabase
  readonly #liveness: Liveness
  readonly #now: () => number
  readonly #records: SqliteRecords
  readonly #conversations: SqliteConversations
  readonly #responses: SqliteResponses
  readonly #retention: SqliteRetention

  constructor(db: SqliteDatabase, liveness: Liveness, now: () => number, limits: Limits) {
    this.#db = db
    this.#liveness = liveness
    this.#now = now
    this.#records = new SqliteRecords(db)
    this.#conversations = new SqliteConversations(this.#records, limits)
    this.#responses = new SqliteResponses(this.#records, this.#conversations, limits, liveness.token)
    this.#retention = new SqliteRetention(db, limits)
  }

  async begin(): Promise<void> {
    await this.#db.write(() => {
      this.#liveness.declareAlive()
      this.#failOrphans()
    })
  }

  async saveResponse(record: ResponseRecord): Promise<void> {
    checkRecord(record)
    await this.#change(now => this.#responses.save(record, now))
  }

  async getResponse(owner: string, id: string): Promise<ResponseRecord | undefined> {
    checkKey(owner, id)
    return this.#look(now => this.#responses.get(owner, id, now))
  }

  async deleteResponse(owner: string, id: string): Promise<boolean> {
    checkKey(owner, id)
    return this.#remove('response', owner, id)
  }

  async context(owner: string, id: string): Promise<readonly Item[] | undefined> {
    checkKey(owner, id)
    return this.#look(now => this.#responses.context(owner, id, now))
  }

  async getItems(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    checkId('owner', owner)
    for (const id of ids) checkId('id', id)
    return this.#look(now => {
      const found = new Map<string, Item>()
      for (const id of ids) {
        const item = this.#records.newestItem(owner, id, now)
        if (item !== undefined) found.set(id, plain(item))
      }
      return found
    })
  }

  async createConversation(conversation: Conversation, items: readonly Item[]): Promise<void> {
    checkConversation(conversation, items)
    await this.#change(now => this.#conversations.create(conversation, items, now))
  }

  async getConversation(owner: string, id: string): Promise<Conversation | undefined> {
    checkKey(owner, id)
    return this.#look(now => this.#conversations.get(owner, id, now))
  }

  async updateConversation(owner: string, id: string, change: ConversationChange): Promise<boolean> {
    checkKey(owner, id)
    checkChange(change)
    return this.#change(now => this.#conversations.update(owner, id, change, now))
  }

  async deleteConversation(owner: string, id: string): Promise<boolean> {
    checkKey(owner, id)
    return this.#remove('conversation', owner, id)
  }

  async appendItems(owner: string, conversationId: string, items: readonly Item[]): Promise<boolean> {
    checkKey(owner, conversationId)
    checkItems('items', items)
    return this.#change(now => this.#conversations.append(owner, conversationId, items, now))
  }

  async listItems(owner: string, conversationId: string, query: ItemQuery): Promise<ItemPage | undefined> {
    checkKey(owner, conversationId)
    checkQuery(query)
    return this.#look(now => this.#conversations.list(owner, conversationId, query, now))
  }

  async getItem(owner: string, conversationId: string, id: string): Promise<Item | undefined> {
    checkKey(owner, conversationId)
    checkId('id', id)
    return this.#look(now => this.#conversations.item(owner, conversationId, id, now))
  }

  async deleteItem(owner: string, conversationId: string, id: string): Promise<boolean> {
    checkKey(owner, conversationId)
    checkId('id', id)
    return this.#change(now => this.#conversations.deleteItem(owner, conversationId, id, now))
  }

  async sweep(now: number): Promise<number> {
    await this.#db.write(() => this.#failOrphans())
    let removed = 0
    for (let batch = -1; batch !== 0; removed += batch) {
      await letOthersRun()
      batch = await this.#db.write(
        () => this.#retention.removeExpired(now, BATCH) || this.#retention.trim(now, BATCH),
      )
    }
    await this.#db.attempt(() => this.#retention.scrub())
    return removed
  }

  /** A write that changes nothing still asks the disk for room. */
  async check(): Promise<void> {
    await this.#db.write(() => this.#db.run('UPDATE totals SET writes = writes'))
  }

  /** What this process was still making has failed, as far as others can see. */
  async close(): Promise<void> {
    if (!this.#db.isOpen) return
    try {
      await this.#db.write(() => this.#records.failUnfinished(this.#liveness.token))
      await this.#db.attempt(() => this.#retention.emptyLog())
    } catch {
      // A store that cannot be written must still close. The next to open it finds the lock gone, and goes on.
    } finally {
      this.#liveness.end()
      this.#db.close()
    }
  }

  #look<T>(act: (now: number) => T): Promise<T> {
    return this.#db.read(() => act(this.#now()))
  }

  #change<T>(act: (now: number) => T): Promise<T> {
    return this.#db.write(() => {
      const now = this.#now()
      const result = act(now)
      this.#retention.afterWrite(now)
      return result
    })
  }

  #remove(kind: Kind, owner: string, id: string): Promise<boolean> {
    return this.#change(now => {
      const head = this.#records.find(kind, owner, id, now)
      if (head !== undefined) this.#records.remove(head.number)
      return head !== undefined
    })
  }

  #failOrphans(): void {
    this.#liveness.tidy()
    for (const writer of this.#records.unfinishedWriters()) {
      if (!this.#liveness.isAlive(writer)) this.#records.failUnfinished(writer)
    }
  }
}
