/**
 * An SQLite store in a thread of its own: writing a long record, deleting many items or waiting for another process then
 * holds nobody up. The thread works by the caller's clock, which each operation carries along.
 */
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import {
  copyCost,
  nextTurn,
  sliceLength,
  slicesOf,
  TextCollector,
  type TextPiece,
} from '../../platform/text-slices.ts'
import { watchEvents } from '../sqlite/events.ts'
import type { Item, Store } from '../store.ts'
import type { StoreErrorCode } from '../store-error.ts'
import { closedError, StoreError } from '../store-error.ts'
import { wrapStore } from '../wrap-store.ts'
import { loadResult, type StoreOperation, unloadGiven } from './long-values.ts'
import type { SqliteStoreOptions } from './options.ts'

/** Those that can cross to another thread; the clocks stay here. */
export type ThreadedStoreOptions = Omit<SqliteStoreOptions, 'driver' | 'space' | 'thread'>

interface Clocks {
  readonly now: number
  readonly elapsed: number
}

/** An operation; slices of the texts that it is given, which come before it; or the wish for the next of its answer. */
export type StoreMessage =
  | ({
      readonly id: number
      readonly operation: StoreOperation
      readonly given: readonly unknown[]
      /** What is given came in slices; this is the rest of it. */
      readonly isLong: boolean
    } & Clocks)
  | { readonly id: number; readonly slice: readonly TextPiece[] }
  | { readonly next: number }

export interface StoreFailure {
  /** Absent for what is no failure of the store itself. */
  readonly code?: StoreErrorCode
  readonly message: string
  readonly reason?: string
}

/** `id` is 0 for the answer to opening it. With `rest`, the texts of the answer are to be asked for in slices. */
export type StoreReply = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly failure: StoreFailure }
  | { readonly rest: unknown }
  | { readonly slice: readonly TextPiece[]; readonly isLast: boolean }
)

/** As much of the options as the thread gets, with the time at its beginning. */
export interface StoreThreadData extends Omit<ThreadedStoreOptions, 'now' | 'elapsed'> {
  readonly clocks: Clocks
}

/** `file`: the compiled code of the thread. */
export async function openThreadedStore(options: ThreadedStoreOptions, file: URL): Promise<Store> {
  const { now = Date.now, elapsed = options.now ?? (() => performance.now()), ...data } = options
  const open = (): Promise<StoreThread> => {
    const clocks = (): StoreThreadData['clocks'] => ({ now: now(), elapsed: elapsed() })
    const thread = new StoreThread(new Worker(file, { workerData: { ...data, clocks: clocks() } }), clocks)
    return thread.opened.then(() => thread)
  }
  let current: Promise<StoreThread> = open()
  let isClosed = false
  await current
  /** A thread that has ended, for want of memory perhaps, is replaced; what it had in hand has failed. */
  const running = async (): Promise<StoreThread> => {
    if (isClosed) throw closedError()
    if ((await current.catch(() => undefined))?.isRunning !== true) current = open()
    return current
  }
  const remote = (thread: StoreThread): Store =>
    wrapStoreCalls((operation, given) => thread.run(operation, given))
  return wrapStore('sqlite', async operation => operation(remote(await running())), {
    sweep: async time => remote(await running()).sweep(time),
    maintain: async () => remote(await running()).maintain(),
    async close() {
      if (isClosed) return
      isClosed = true
      const thread = await current.catch(() => undefined)
      await thread?.close()
    },
  })
}

type Call = (operation: StoreOperation, given: readonly unknown[]) => Promise<unknown>

/** A store whose operations are calls by name. */
function wrapStoreCalls(call: Call): Store {
  const handler: ProxyHandler<object> = {
    get(_, name) {
      if (name === 'kind') return 'sqlite'
      if (name === 'watchEvents') return watchEvents
      return (...given: unknown[]) => call(name as StoreOperation, given)
    },
  }
  // Every other member is an operation that takes and returns data.
  return new Proxy({}, handler) as Store
}

/** The thread, as seen from the event loop. */
class StoreThread {
  readonly opened: Promise<unknown>
  isRunning = true
  readonly #worker: Worker
  readonly #clocks: () => StoreThreadData['clocks']
  readonly #waiting = new Map<number, (reply: StoreReply | StoreError) => void>()
  #lastId = 0

  constructor(worker: Worker, clocks: () => StoreThreadData['clocks']) {
    this.#worker = worker
    this.#clocks = clocks
    this.opened = this.#reply(0)
    worker.on('message', (reply: StoreReply) => this.#waiting.get(reply.id)?.(reply))
    worker.on('error', error => this.#end(error))
    worker.on('exit', () => this.#end(undefined))
  }

  async run(operation: StoreOperation, given: readonly unknown[]): Promise<unknown> {
    const id = ++this.#lastId
    const unloaded = unloadGiven(operation, given)
    const isLong = unloaded !== undefined && copyCost(unloaded.texts) > sliceLength
    if (isLong) {
      for (const slice of slicesOf(unloaded.texts)) {
        this.#post({ id, slice })
        await nextTurn()
      }
    }
    const rest = isLong ? [unloaded.rest] : given
    const first = this.#ask(id, { id, operation, given: rest, isLong, ...this.#clocks() })
    const reply = await first
    if ('value' in reply) return reply.value
    return 'rest' in reply
      ? loadResult(operation, { rest: reply.rest, texts: await this.#texts(id) })
      : undefined
  }

  /** Each is asked for, so that others have their turns before the next one comes. */
  async #texts(id: number): Promise<readonly Item[]> {
    const collector = new TextCollector()
    for (let isLast = false; !isLast; ) {
      const reply = await this.#ask(id, { next: id })
      if (!('slice' in reply)) break
      collector.add(reply.slice)
      isLast = reply.isLast
    }
    return collector.texts
  }

  #ask(id: number, message: StoreMessage): Promise<StoreReply> {
    if (!this.isRunning) return Promise.reject(stopped(undefined))
    const reply = this.#reply(id)
    this.#post(message)
    return reply
  }

  #post(message: StoreMessage): void {
    if (this.isRunning) this.#worker.postMessage(message)
  }

  async close(): Promise<void> {
    if (this.isRunning) await this.run('close', [])
    await this.#worker.terminate()
  }

  /** A store at rest is no reason for the process to run on. */
  #reply(id: number): Promise<StoreReply> {
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, reply => {
        this.#waiting.delete(id)
        if (this.#waiting.size === 0) this.#worker.unref()
        if (reply instanceof StoreError) reject(reply)
        else if ('failure' in reply) reject(errorOf(reply.failure))
        else resolve(reply)
      })
    })
  }

  #end(cause: unknown): void {
    this.isRunning = false
    for (const settle of [...this.#waiting.values()]) settle(stopped(cause))
  }
}

function errorOf({ code, message, reason = message }: StoreFailure): Error {
  return code === undefined ? new Error(message) : new StoreError(code, message, { reason })
}

function stopped(cause: unknown): StoreError {
  return new StoreError('unavailable', 'The thread of the store has stopped. It is started again.', { cause })
}

/** The code of the thread: beside this file, once compiled. `undefined` where this runtime cannot run it. */
export function threadFile(): URL | undefined {
  if (!import.meta.url.startsWith('file:') || !import.meta.url.endsWith('.js')) return undefined
  const file = new URL('./store-thread.js', import.meta.url)
  return existsSync(file) ? file : undefined
}
