import { expect, test } from 'vitest'
import { Abort } from '../http/abort.ts'
import { ByteBudget, Holding } from '../http/byte-budget.ts'
import { defaultLimits, type Limits } from '../settings.ts'
import type { WorkerPool } from '../workers/pool.ts'
import type { MessageJob, ReadMessage } from '../workers/protocol.ts'
import { readMessage } from './message.ts'
import { MessageReader } from './message-reader.ts'

const inlineBytes = 1_000
const long = 'x'.repeat(inlineBytes)
const message = (name: string, input = ''): Buffer =>
  Buffer.from(JSON.stringify({ type: name, stream_id: 'lane', input }))

/** A reader whose worker reads a message when the test says so. */
function setUp({ limit = 100_000 }: { readonly limit?: number } = {}) {
  const budget = new ByteBudget({ limit, ownerLimit: limit })
  const memory = new Holding(budget, 'ann')
  const gone = new Abort()
  const limits = { ...defaultLimits, inlineBytes } as Limits
  const jobs: (() => void)[] = []
  const run = (_: string, { bytes, limits }: MessageJob): Promise<ReadMessage> =>
    new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('The worker is gone.'))
      gone.addEventListener('abort', fail)
      jobs.push(() => {
        if (Buffer.from(bytes).includes('worker dies')) return fail()
        const { body, ...facts } = readMessage(bytes, limits, () => {})
        resolve({ bytes: body(), lane: facts.lane, message: facts })
      })
    })
  const workers = { with: (_: unknown, use: (worker: unknown) => unknown) => use({ run }) }
  const told: string[] = []
  const reader = new MessageReader({
    limits,
    workers: workers as unknown as WorkerPool,
    memory,
    signal: gone,
    onMessage({ type, body }, bytes) {
      // As the session does for one that waits for its lane.
      memory.take(bytes, 'request')
      told.push(`${type} ${JSON.parse(body().toString()).input.length}`)
      memory.give(bytes)
    },
    onRefused: ({ code = 'failed' }, lane = 'none') => told.push(`${code} ${lane}`),
  })
  const settle = (): Promise<void> => new Promise(resolve => setTimeout(resolve))
  const work = async (): Promise<void> => {
    await settle()
    for (const job of jobs.splice(0)) job()
    await settle()
  }
  return { reader, told, work, memory, gone, settle }
}

test('Messages are told in their order, long or not, and those that cannot be read among them.', async () => {
  const { reader, told, work, memory } = setUp()
  reader.take(message('a'))
  reader.take(message('b', long))
  reader.take(message('c'))
  reader.take(Buffer.from('[]'))
  reader.take(message('d', 'worker dies'.padEnd(inlineBytes)))
  reader.take(message('e', long))
  reader.take(message('f'))
  expect(told).toEqual(['a 0'])
  await work()
  expect(told).toEqual(['a 0', 'b 1000', 'c 0', 'invalid_message none'])
  await work()
  await work()
  reader.take(message('g'))
  expect(told.slice(4)).toEqual(['internal_error none', 'e 1000', 'f 0', 'g 0'])
  expect(memory.bytes).toBe(0)
})

test('A message that waits takes memory once, and gives it back before it is told.', async () => {
  const bytes = message('a', 'x'.repeat(50_000))
  const { reader, told, work } = setUp({ limit: bytes.length + 1_100 })
  reader.take(bytes)
  await work()
  expect(told).toEqual(['a 50000'])
})

test('A flood of short messages behind a long one is refused when the memory for them is taken.', async () => {
  const { reader, told, work, memory } = setUp()
  reader.take(message('first', long))
  const refused: unknown[] = []
  for (let sent = 0; sent < 10_000; sent++) {
    try {
      reader.take(message('more'))
    } catch (error) {
      refused.push(error)
    }
  }
  expect(refused.length).toBeGreaterThan(9_000)
  await work()
  expect(told).toHaveLength(10_001 - refused.length)
  expect(memory.bytes).toBe(0)
})

test('Of a socket that is gone nothing more is told, and what it took is given back once.', async () => {
  const { reader, told, work, memory, gone, settle } = setUp()
  reader.take(message('a', long))
  reader.take(message('b'))
  await settle()
  gone.abort()
  memory.release()
  await work()
  expect([told, memory.bytes]).toEqual([[], 0])
})
