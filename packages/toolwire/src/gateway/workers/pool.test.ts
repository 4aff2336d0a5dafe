import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { clientGone } from '../errors.ts'
import { Abort } from '../http/abort.ts'
import type { Thread } from './pool.ts'
import { createWorkerPool, WorkerPool } from './pool.ts'
import type { Reply } from './protocol.ts'

/** A thread that answers only when the test wants it to; it forgets requests by itself. */
class FakeThread implements Thread {
  readonly jobs: string[] = []
  isStopped = false
  readonly #listeners = new Map<string, ((value: never) => void)[]>()

  on(event: string, listener: (value: never) => void): void {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener])
  }

  emit(event: 'message' | 'error' | 'exit', value: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value as never)
  }

  postMessage(message: unknown): void {
    const { job } = message as { job: string }
    if (job === 'release') queueMicrotask(() => this.emit('message', { value: undefined }))
    else this.jobs.push(job)
  }

  reply(reply: Reply): void {
    this.emit('message', reply)
  }

  ref(): void {}
  unref(): void {}

  async terminate(): Promise<number> {
    this.isStopped = true
    return 1
  }
}

function createPool(size: number): { pool: WorkerPool; threads: FakeThread[] } {
  const threads: FakeThread[] = []
  const start = async (): Promise<Thread> => {
    const thread = new FakeThread()
    threads.push(thread)
    return thread
  }
  return { pool: new WorkerPool({ size, clock: systemClock, start }), threads }
}

const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
const signal = new Abort()
const bytes = { bytes: new Uint8Array() }
const takeBytes = (pool: WorkerPool, by: Abort = signal): Promise<unknown> =>
  pool.with(by, worker => worker.run('takeBytes', undefined))

test('A worker is used for one request after the other, and requests wait for it in their order.', async () => {
  const { pool, threads } = createPool(1)
  const order: number[] = []
  const requests = [1, 2, 3].map(number => takeBytes(pool).then(() => order.push(number)))
  for (const _ of requests) {
    await settle()
    threads[0]?.reply({ value: bytes })
  }
  await Promise.all(requests)
  expect(order).toEqual([1, 2, 3])
  expect(threads).toHaveLength(1)
  await pool.close()
  expect(threads[0]?.isStopped).toBe(true)
})

test('No more requests wait than fit, and the one too many may try again later.', async () => {
  const { pool } = createPool(1)
  const waiting = Array.from({ length: 101 }, () => takeBytes(pool).catch(() => undefined))
  const refused = await takeBytes(pool).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'workers_busy', status: 503, headers: { 'retry-after': '5' } })
  expect(waiting).toHaveLength(101)
})

test('A worker that ends fails its request with the reason, and the next request gets a new one.', async () => {
  const { pool, threads } = createPool(1)
  for (const [event, value, words] of [
    ['error', Object.assign(new Error('x'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }), 'too little memory'],
    ['exit', 134, 'It ended with code 134.'],
  ] as const) {
    const failing = takeBytes(pool).catch((error: unknown) => error)
    await settle()
    threads.at(-1)?.emit(event, value)
    expect(await failing).toMatchObject({
      code: 'worker_failed',
      status: 503,
      message: expect.stringContaining(words),
    })
  }
  const next = takeBytes(pool)
  await settle()
  threads.at(-1)?.reply({ value: bytes })
  expect(await next).toBe(bytes)
  expect(threads).toHaveLength(3)
})

test('A worker that ends while it is idle is not lent again.', async () => {
  const { pool, threads } = createPool(1)
  const first = takeBytes(pool)
  await settle()
  threads[0]?.reply({ value: bytes })
  await first
  threads[0]?.emit('exit', 1)
  const second = takeBytes(pool)
  await settle()
  threads[1]?.reply({ value: bytes })
  expect(await second).toBe(bytes)
})

test('A client that leaves stops the job it waited for, and is not waited for in the queue.', async () => {
  const { pool, threads } = createPool(1)
  const [running, queued] = [new Abort(), new Abort()]
  const requests = [takeBytes(pool, running), takeBytes(pool, queued), takeBytes(pool)]
  const outcomes = requests.map(request => request.catch((error: unknown) => error))
  await settle()
  queued.abort()
  running.abort(clientGone())
  await settle()
  threads[1]?.reply({ value: bytes })
  expect(await Promise.all(outcomes)).toMatchObject([{ code: 'client_gone' }, { code: 'client_gone' }, bytes])
  expect(threads[0]?.isStopped).toBe(true)
})

test('A failure of a job is the error that the worker met, and the worker goes on.', async () => {
  const { pool, threads } = createPool(1)
  const failing = takeBytes(pool).catch((error: unknown) => error)
  await settle()
  const error = { kind: 'too_large', message: 'Too many.', code: 'c', param: undefined, status: 413 } as const
  threads[0]?.reply({ error: { ...error, cause: undefined } })
  expect(await failing).toMatchObject({ kind: 'too_large', message: 'Too many.', code: 'c', status: 413 })
  expect(threads[0]?.isStopped).toBe(false)
})

test('There are no workers where none are wanted, or where their code is not compiled.', () => {
  expect(
    createWorkerPool({ size: 0, clock: systemClock, file: new URL('file:///worker.js') }),
  ).toBeUndefined()
  expect(createWorkerPool({ size: 2, clock: systemClock })).toBeUndefined()
})
