import { describe, expect, test, vi } from 'vitest'
import { heapInUse } from '../../../../../test/support/soak/leaks.ts'
import { factsOf, pass, wholeExchange } from '../exchange.test-helper.ts'
import type { Observation, ViewName } from '../observer.ts'
import { ByteTape } from './byte-tape.ts'
import { createTraceRing } from './trace-ring.ts'

const record = (name: ViewName, text: string) => (observation: Observation) => {
  observation.viewHead(name, { line: 'POST /v1/responses', headers: { accept: '*/*' } })
  observation.view(name, text)
}

describe('whoever watches', () => {
  const question = (text: string) =>
    record('client-request', JSON.stringify({ messages: [{ role: 'user', content: text }] }))

  test('A watch gets each exchange that began, grew or ended, once, and those of one owner.', () => {
    const ring = createTraceRing()
    const watch = ring.watch()
    pass(ring, { ...wholeExchange, id: 'req_mine', owner: 'me' }, question('Hello'))
    pass(ring, { ...wholeExchange, id: 'req_yours', owner: 'you' }, question('Hi'))
    const news = watch.take('me') as { id: string; prompt: string; state: string }[]
    expect(news).toMatchObject([
      { id: 'req_mine', prompt: 'Hello', state: 'ended', conversation: 'req_mine', turn: 1 },
    ])
    expect(watch.take('me')).toEqual([])
    watch.close()
    pass(ring, { ...wholeExchange, id: 'req_later', owner: 'me' }, question('Hello again'))
    expect(watch.take('me')).toEqual([])
  })

  test('A running exchange is told of with how much of its answer has come.', () => {
    const ring = createTraceRing()
    const watch = ring.watch()
    const observation = ring.begin(factsOf({ route: 'POST /v1/responses', owner: 'me' }))
    record('client-answer', 'data: 1\n\n')(observation)
    expect(watch.take()).toMatchObject([{ state: 'running', answer_bytes: 9 }])
    observation.view('client-answer', 'data: 2\n\n')
    expect(watch.take()).toMatchObject([{ state: 'running', answer_bytes: 18 }])
  })

  test('Reading a running exchange again and again looks at what came since, not at all of it.', () => {
    const ring = createTraceRing({ viewBytes: 10_000_000 })
    const watch = ring.watch()
    const observation = ring.begin(factsOf({ route: 'POST /v1/responses', owner: 'me' }))
    question('Hello')(observation)
    const read = vi.spyOn(ByteTape.prototype, 'read')
    const pieces = 300
    for (let i = 0; i < pieces; i++) {
      observation.view('client-answer', `data: {"type":"delta","delta":"${'x'.repeat(1000)}"}\n\n`)
      watch.take()
    }
    const bytes = read.mock.calls.reduce((sum, [, size]) => sum + size, 0)
    vi.restoreAllMocks()
    // The id of the answer is looked for in its beginning.
    expect(bytes).toBeLessThan(pieces * 5000)
  })

  test('A watch that nobody reads holds no exchange that the ring has dropped.', async () => {
    const ring = createTraceRing({ entries: 2 })
    const watch = ring.watch()
    const bodies = Array.from({ length: 20 }, (_, i) => {
      const body = Buffer.alloc(1000, 'x')
      pass(ring, { ...wholeExchange, id: `req_${i}` }, observation => observation.view('client-answer', body))
      return new WeakRef(body)
    })
    await heapInUse()
    expect(bodies.filter(body => body.deref() !== undefined).length).toBeLessThanOrEqual(3)
    expect(watch.take()).toHaveLength(2)
  })
})
