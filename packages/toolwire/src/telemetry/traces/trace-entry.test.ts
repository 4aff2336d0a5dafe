/** What the ring keeps of exchanges that have ended, and what it gives back. */
import { expect, test } from 'vitest'
import { factsOf, pass, wholeExchange } from '../exchange.test-helper.ts'
import type { UpstreamAttempt } from '../observer.ts'
import { pageBytes } from './byte-tape.ts'
import { createTraceRing } from './trace-ring.ts'

const attempts: UpstreamAttempt[] = Array.from({ length: 600 }, (_, i) => ({
  upstream: 'local',
  round: 1,
  startedAt: 1000 + i,
}))

test.each([false, true])(
  'A trace says the same before and after the end of its exchange, cut: %s.',
  async isCut => {
    const ring = createTraceRing(isCut ? { viewBytes: 1000 } : {})
    const { losses: notes = [] } = wholeExchange
    const costs = { cost: 0.25, inputCost: 0.125, cachedCost: 0.0625 }
    const asked = attempts.slice(0, isCut ? 600 : 2)
    const more = {
      lane: 'a/b',
      client: 'codex',
      owner: 'ann',
      tenant: 'agents',
      notes,
      attempts: asked,
    }
    const failure = { code: 'stream_failed', message: 'No end.' }
    const observation = ring.begin(factsOf({ ...wholeExchange, ...costs, ...more, failure }))
    observation.view('client-request', JSON.stringify({ input: 'x'.repeat(2000) }))
    const [running] = ring.list(1)
    const trace = ring.get('req_abcdefghijklmnop')
    if (running === undefined || trace === undefined) return expect.fail()
    const { summary: _, ...rest } = trace
    expect([running.lane, rest.notes?.length, rest.attempts?.length]).toEqual(['b', 1, isCut ? 500 : 2])
    observation.end()
    expect(ring.list(1)).toEqual([{ ...JSON.parse(JSON.stringify(running)), state: 'ended' }])
    expect(ring.get('req_abcdefghijklmnop')).toMatchObject(rest)
  },
)

test('The pages of what is dropped are used again, whether it has ended or runs.', () => {
  const bytes = 200_000
  const ring = createTraceRing({ bytes, entries: 5 })
  const facts = { route: 'POST /v1/responses', status: 200 }
  for (let i = 0; i < 200; i++) {
    const running = ring.begin(factsOf({ ...facts, id: `running_${i}` }))
    running.view('client-request', Buffer.alloc(20_000))
    pass(ring, { ...facts, id: `ended_${i}` }, observation =>
      observation.view('client-answer', 'x'.repeat(20_000)),
    )
  }
  expect(ring.pool.take()).toBeLessThan(bytes / pageBytes)
})
