import { expect, test, vi } from 'vitest'
import type { StoredTrace } from '../../platform/stored-trace.ts'
import { pass, wholeExchange } from '../exchange.test-helper.ts'
import { ByteTape } from './byte-tape.ts'
import { KeptTraces } from './kept-traces.ts'
import { createTraceRing, type TraceRing } from './trace-ring.ts'

const bounds = { entries: 1000, bytes: 1e9 }
const later = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Exchanges with these numbers, and an answer of so many bytes each. */
function end(ring: TraceRing, from: number, to: number, bytes = 10): void {
  for (let i = from; i < to; i++)
    pass(ring, { ...wholeExchange, id: `req_${i}`, responseId: `resp_${i}` }, observation => {
      observation.view('client-request', '{"model":"m"}')
      observation.view('client-answer', 'x'.repeat(bytes))
    })
}

/** A store whose writes end when the test says so. */
function slowKeeper() {
  const writes: { ids: string[]; bytes: number; done(): void; fail(): void }[] = []
  const addTraces = (traces: readonly StoredTrace[]): Promise<void> =>
    new Promise((done, fail) => {
      const ids = traces.map(({ id }) => id)
      const bytes = traces.reduce((sum, { trace }) => sum + trace.length, 0)
      writes.push({ ids, bytes, done, fail: () => fail(new Error('busy')) })
    })
  return { writes, addTraces }
}

test('Only one write is under way, and what ends meanwhile is written after it.', async () => {
  const ring = createTraceRing()
  const keeper = slowKeeper()
  const kept = new KeptTraces(ring, keeper, bounds)
  end(ring, 0, 2)
  void kept.flush()
  end(ring, 2, 3)
  void kept.flush()
  await later()
  expect(keeper.writes).toHaveLength(1)
  keeper.writes[0]?.done()
  await later()
  expect(keeper.writes.map(({ ids }) => ids)).toEqual([['req_0', 'req_1'], ['req_2']])
  const closed = kept.close()
  keeper.writes[1]?.done()
  await closed
  expect(keeper.writes).toHaveLength(2)
})

test('What a store refuses is written later, together with what has ended since.', async () => {
  const ring = createTraceRing()
  const keeper = slowKeeper()
  const kept = new KeptTraces(ring, keeper, bounds)
  end(ring, 0, 2)
  const first = kept.flush()
  end(ring, 2, 3)
  const second = kept.flush()
  await later()
  for (const write of keeper.writes) write.fail()
  await Promise.all([first, second])
  const third = kept.flush()
  await later()
  expect(keeper.writes.at(-1)?.ids).toEqual(['req_0', 'req_1', 'req_2'])
  keeper.writes.at(-1)?.done()
  await third
})

test('A write is bounded in bytes, however much has ended, and the rest follows.', async () => {
  const ring = createTraceRing()
  const keeper = slowKeeper()
  const kept = new KeptTraces(ring, keeper, bounds)
  end(ring, 0, 60, 100_000)
  const flushed = kept.flush()
  const count = (): number => keeper.writes.reduce((sum, { ids }) => sum + ids.length, 0)
  for (let i = 0; count() < 60 && i < 60; i++) {
    keeper.writes.at(-1)?.done()
    await later()
  }
  keeper.writes.at(-1)?.done()
  await flushed
  expect(count()).toBe(60)
  expect(Math.max(...keeper.writes.map(({ bytes }) => bytes))).toBeLessThan(2_000_000)
})

test('Keeping an exchange looks at that exchange, and not at the others in memory.', async () => {
  const ring = createTraceRing()
  const kept = new KeptTraces(ring, { addTraces: async () => {} }, bounds)
  end(ring, 0, 100)
  await kept.flush()
  const looks = vi.spyOn(ByteTape.prototype, 'read')
  end(ring, 100, 110)
  await kept.flush()
  expect(new Set(looks.mock.contexts).size).toBe(10)
  looks.mockRestore()
})

test('What the ring drops before it is read is not written without its views.', async () => {
  const ring = createTraceRing({ entries: 4 })
  const written: string[] = []
  const addTraces = async (traces: readonly StoredTrace[]): Promise<void> =>
    void written.push(...traces.map(({ trace }) => trace))
  const kept = new KeptTraces(ring, { addTraces }, bounds)
  end(ring, 0, 4, 120_000)
  const flushed = kept.flush()
  end(ring, 4, 8, 120_000)
  await flushed
  expect(written.length).toBeGreaterThanOrEqual(4)
  expect(Math.min(...written.map(({ length }) => length))).toBeGreaterThan(120_000)
})

test('A store in trouble does not hold what the ring has dropped.', async () => {
  const ring = createTraceRing({ entries: 3 })
  const keeper = slowKeeper()
  const kept = new KeptTraces(ring, keeper, bounds)
  end(ring, 0, 3)
  const first = kept.flush()
  await later()
  keeper.writes[0]?.fail()
  await first
  end(ring, 3, 5)
  void kept.flush()
  await later()
  expect(keeper.writes[1]?.ids).toEqual(['req_2', 'req_3', 'req_4'])
})
