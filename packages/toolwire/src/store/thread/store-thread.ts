/** What the thread of an SQLite store runs: the store, and one answer for each operation. */
import { parentPort, workerData } from 'node:worker_threads'
import { openSqliteStore } from '../sqlite-store.ts'
import type { Store } from '../store.ts'
import { StoreError } from '../store-error.ts'
import type { StoreFailure, StoreMessage, StoreReply, StoreThreadData } from './threaded-store.ts'

const { clocks: atFirst, ...options } = workerData as StoreThreadData
/** The caller's time, as of its latest operation. */
let clocks = atFirst

const opening = openSqliteStore({ ...options, now: () => clocks.now, elapsed: () => clocks.elapsed })
void answer(0, async () => void (await opening))

parentPort?.on('message', ({ id, operation, given, now, elapsed }: StoreMessage) => {
  clocks = { now, elapsed }
  void answer(id, async () => {
    const store = await opening
    // What is given was checked by the compiler on the other side.
    const act = store[operation] as ((...values: readonly unknown[]) => Promise<unknown>) | undefined
    return act?.apply(store satisfies Store, [...given])
  })
})

async function answer(id: number, act: () => Promise<unknown>): Promise<void> {
  let reply: StoreReply
  try {
    reply = { id, value: await act() }
  } catch (error) {
    reply = { id, failure: failureOf(error) }
  }
  parentPort?.postMessage(reply)
}

function failureOf(error: unknown): StoreFailure {
  if (error instanceof StoreError) return { code: error.code, message: error.message, reason: error.reason }
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
