/** What the thread of an SQLite store runs: the store, and one answer for each operation. */
import { parentPort, workerData } from 'node:worker_threads'
import { copyCost, sliceLength, slicesOf, TextCollector, type TextPiece } from '../../platform/text-slices.ts'
import { openSqliteStore } from '../sqlite-store.ts'
import type { Store } from '../store.ts'
import { StoreError } from '../store-error.ts'
import { loadGiven, unloadResult } from './long-values.ts'
import type { StoreFailure, StoreMessage, StoreReply, StoreThreadData } from './threaded-store.ts'

const { clocks: atFirst, ...options } = workerData as StoreThreadData
/** The caller's time, as of its latest operation. */
let clocks = atFirst
/** Slices of answers that the caller has not asked for yet, and of what it gives, by the ids of the operations. */
const sending = new Map<number, Generator<readonly TextPiece[]>>()
const taking = new Map<number, TextCollector>()

const opening = openSqliteStore({ ...options, now: () => clocks.now, elapsed: () => clocks.elapsed })
void answer(0, async () => ({ id: 0, value: void (await opening) }))

type Operation = Extract<StoreMessage, { operation: unknown }>

/** Begun together, because writes that begin together share a commit. */
let waiting: Operation[] = []

parentPort?.on('message', (message: StoreMessage) => {
  if ('next' in message) sendSlice(message.next)
  else if ('slice' in message) takeSlice(message)
  else if (waiting.push(message) === 1) setImmediate(runWaiting)
})

function runWaiting(): void {
  const operations = waiting
  waiting = []
  for (const operation of operations) void answer(operation.id, () => run(operation))
}

function takeSlice({ id, slice }: Extract<StoreMessage, { slice: unknown }>): void {
  const collector = taking.get(id) ?? new TextCollector()
  taking.set(id, collector)
  collector.add(slice)
}

function sendSlice(id: number): void {
  const { value: slice = [], done = true } = sending.get(id)?.next() ?? {}
  if (done) sending.delete(id)
  parentPort?.postMessage({ id, slice, isLast: done } satisfies StoreReply)
}

async function run({ id, operation, given, isLong, now, elapsed }: Operation): Promise<StoreReply> {
  clocks = { now, elapsed }
  const texts = taking.get(id)?.texts ?? []
  taking.delete(id)
  const store = await opening
  // What is given was checked by the compiler on the other side.
  const act = store[operation] as ((...values: readonly unknown[]) => Promise<unknown>) | undefined
  const whole = isLong ? loadGiven(operation, { rest: given[0], texts }) : given
  const value: unknown = await act?.apply(store satisfies Store, [...whole])
  const unloaded = unloadResult(operation, value)
  if (unloaded === undefined || copyCost(unloaded.texts) <= sliceLength) return { id, value }
  sending.set(id, slicesOf(unloaded.texts))
  return { id, rest: unloaded.rest }
}

async function answer(id: number, act: () => Promise<StoreReply>): Promise<void> {
  let reply: StoreReply
  try {
    reply = await act()
  } catch (error) {
    reply = { id, failure: failureOf(error) }
  }
  parentPort?.postMessage(reply)
}

function failureOf(error: unknown): StoreFailure {
  if (error instanceof StoreError) return { code: error.code, message: error.message, reason: error.reason }
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}
