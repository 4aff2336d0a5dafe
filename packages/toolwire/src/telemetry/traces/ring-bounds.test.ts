/** How much the ring keeps, of whom, and what goes first. */
import type { Diagnostic } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { factsOf, pass } from '../exchange.test-helper.ts'
import type { Observation, ViewName } from '../observer.ts'
import { pageBytes } from './byte-tape.ts'
import { createTraceRing } from './trace-ring.ts'

const exchange = { route: 'POST /v1/responses', status: 200 }
const record = (name: ViewName, text: string) => (observation: Observation) => {
  observation.viewHead(name, { line: 'POST /v1/responses', headers: { accept: '*/*' } })
  observation.view(name, text)
}

describe('the bounds of the ring', () => {
  test('The oldest ended exchange is dropped before any running one.', () => {
    const ring = createTraceRing({ entries: 3 })
    const running = ring.begin(factsOf({ id: 'running', route: 'POST /v1/messages' }))
    for (const id of ['a', 'b', 'c']) pass(ring, { ...exchange, id })
    expect(ring.list(9).map(({ id }) => id)).toEqual(['c', 'b', 'running'])
    running.end()
    expect(ring.get('running')?.summary.state).toBe('ended')
  })

  test('An exchange that is dropped while it runs records nothing more.', () => {
    const ring = createTraceRing({ entries: 1 })
    const first = ring.begin(factsOf({ id: 'first', route: 'POST /v1/messages' }))
    record('client-request', 'x')(first)
    const second = ring.begin(factsOf({ id: 'second', route: 'POST /v1/messages' }))
    expect(first.wantsViews).toBe(false)
    record('client-answer', 'x')(first)
    first.end()
    expect(ring.list(9).map(({ id }) => id)).toEqual(['second'])
    second.end()
    expect(ring.list(9).map(({ id }) => id)).toEqual(['second'])
  })

  test('A view that would take all memory is cut.', () => {
    const ring = createTraceRing({ bytes: 10_000 })
    pass(ring, exchange, record('client-request', 'x'.repeat(8000)))
    pass(ring, { ...exchange, id: 'req_2' }, observation => {
      for (let i = 0; i < 100; i++) observation.view('client-answer', 'y'.repeat(500))
    })
    expect(ring.bytes).toBeLessThanOrEqual(10_000)
    expect(ring.get('req_1')).toBeUndefined()
  })

  test('The bounds hold for facts of any size.', () => {
    const ring = createTraceRing({ bytes: 4 * 1024 * 1024 })
    const loss = {
      code: 'field_dropped',
      severity: 'warning',
      path: ['p'.repeat(10_000)],
      message: 'm'.repeat(10_000),
    } as const
    for (let i = 0; i < 20; i++) {
      pass(ring, {
        ...exchange,
        id: `req_${i}`,
        model: 'm'.repeat(1_000_000),
        clientCalls: new Array<string>(5000).fill('c'.repeat(1000)),
        losses: new Array(5000).fill({ ...loss, path: [...loss.path] }),
      })
    }
    const newest = ring.get('req_19')
    expect(newest?.summary).toMatchObject({ losses: 5000, client_calls: 5000 })
    expect(newest?.losses).toHaveLength(200)
    expect(JSON.stringify(ring.list(50).map(({ id }) => ring.get(id))).length).toBeLessThan(4 * 1024 * 1024)
  })

  test('What is dropped while others are read is left out, and is not found.', async () => {
    const ring = createTraceRing({ entries: 4 })
    const view = record('client-request', JSON.stringify({ input: 'x'.repeat(300_000) }))
    for (const id of ['a', 'b', 'c', 'd']) pass(ring, { ...exchange, id }, view)
    const { list, get } = ring.inTurns
    const [all, first] = [list(9), get('a')]
    for (const id of ['e', 'f']) pass(ring, { ...exchange, id })
    expect((await all).map(({ id }) => id)).toEqual(['d', 'c'])
    expect(await first).toBeUndefined()
  })

  test('What is known of a stream of many pieces takes as much memory as there is of it.', () => {
    const ring = createTraceRing()
    for (let i = 0; i < 50; i++)
      pass(ring, { ...exchange, id: `before_${i}` }, record('client-request', 'x'.repeat(10_000)))
    const before = ring.bytes
    const pieces = 20_000
    pass(ring, { ...exchange, id: 'long' }, observation => {
      for (let i = 0; i < pieces; i++) observation.view('client-answer', 'data')
      expect(ring.bytes - before).toBeLessThan(pieces * 50)
    })
    expect(ring.bytes - before).toBeLessThan(pieces * 50)
    expect(ring.list(100)).toHaveLength(51)
    expect(ring.get('long')?.views['client-answer']?.parts[0]?.text).toBe('data'.repeat(pieces))
  })

  test.each([100_000, 1_000_000])(
    'An exchange that is longer than all of the memory is cut, and there when it has ended: %i.',
    bytes => {
      const ring = createTraceRing({ bytes })
      pass(ring, { ...exchange, id: 'long' }, record('client-request', 'x'.repeat(1_100_000)))
      const [trace] = ring.list(9)
      expect(trace).toMatchObject({ id: 'long', state: 'ended' })
      const [part] = ring.get('long')?.views['client-request']?.parts ?? []
      expect(part).toMatchObject({ size: 1_100_000, cut: true })
      expect(part?.text.length).toBeGreaterThan(bytes / 3)
      expect(ring.bytes).toBeLessThanOrEqual(bytes)
    },
  )

  test('An exchange that asks for more memory than there is drops no other one.', () => {
    const ring = createTraceRing({ bytes: 200_000, viewBytes: 10_000_000 })
    pass(ring, { ...exchange, id: 'other' })
    const running = ring.begin(factsOf({ id: 'running', route: 'POST /v1/messages' }))
    running.view('client-request', Buffer.alloc(1_000_000))
    expect(ring.list(9).map(({ id }) => id)).toEqual(['running', 'other'])
  })

  test('A response that two running exchanges know is found in the latest, whichever end before.', () => {
    const ring = createTraceRing()
    const first = ring.begin(factsOf({ id: 'first', route: 'POST /v1/responses' }))
    for (const id of ['older', 'newer'])
      ring.begin(factsOf({ id, route: 'POST /v1/responses', responseId: 'resp_1' }))
    expect(ring.get('resp_1')?.summary.id).toBe('newer')
    first.end()
    expect(ring.get('resp_1')?.summary.id).toBe('newer')
  })

  test('A key that becomes known later is masked in what was written out before, too.', () => {
    const ring = createTraceRing({ viewBytes: 10 })
    const failure = { code: 'upstream_error', message: 'The key canary-0123456789 is wrong.' }
    pass(ring, { ...exchange, id: 'failed', failure }, record('client-request', 'x'.repeat(1000)))
    expect(ring.get('failed')?.failure?.message).toContain('canary-0123456789')
    ring.hide(['canary-0123456789'])
    expect(ring.get('failed')?.failure?.message).toBe('The key *** is wrong.')
  })

  test('What has passed last counts for its owner, also beside facts that are written out.', () => {
    const ring = createTraceRing({ bytes: 100_000 })
    const losses = [{ code: 'dropped', severity: 'warning', path: [], message: 'x'.repeat(10_000) }] as const
    const most = { ...exchange, owner: 'ann', losses: losses as unknown as readonly Diagnostic[] }
    pass(ring, { ...most, id: 'most' }, record('client-request', 'x'.repeat(30_000)))
    pass(ring, { ...exchange, id: 'less', owner: 'bob' }, record('client-request', 'x'.repeat(30_000)))
    pass(ring, { ...exchange, id: 'new' }, record('client-request', 'x'.repeat(30_000)))
    expect(ring.list(9).map(({ id }) => id)).toEqual(['new', 'less'])
  })

  type Step = {
    readonly who: number
    readonly what: 'begin' | 'head' | 'bytes' | 'text' | 'end'
    readonly size: number
  }
  const steps = fc.array(
    fc.record<Step>({
      who: fc.nat(12),
      what: fc.constantFrom('begin', 'head', 'bytes', 'text', 'text', 'bytes', 'end'),
      size: fc.oneof(fc.nat(50), fc.nat(20_000)),
    }),
    { maxLength: 150 },
  )

  test('The bounds hold at every moment, in any order of events.', () => {
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 6 }),
        fc.nat(60_000),
        fc.nat(30_000),
        (all, entries, bytes, viewBytes) => {
          const ring = createTraceRing({ entries, bytes, viewBytes })
          const open = new Map<number, Observation>()
          let count = 0
          for (const { who, what, size } of all) {
            const found = what === 'begin' ? undefined : open.get(who)
            const observation =
              found ?? ring.begin(factsOf({ id: `req_${count++}`, route: 'POST /v1/messages' }))
            open.set(who, observation)
            const name =
              (['client-request', 'upstream-answer', 'client-answer'] as const)[size % 3] ?? 'client-request'
            if (what === 'head') observation.viewHead(name, { line: 'x'.repeat(size), headers: { a: 'b' } })
            if (what === 'bytes') observation.view(name, new Uint8Array(size))
            if (what === 'text') observation.view(name, 'é'.repeat(size))
            if (what === 'end') {
              observation.end()
              open.delete(who)
            }
            expect(ring.bytes).toBeLessThanOrEqual(bytes)
            expect(ring.list(1000).length).toBeLessThanOrEqual(entries)
          }
          for (const { id } of ring.list(1000)) {
            for (const view of Object.values(ring.get(id)?.views ?? {})) {
              const kept = view.parts.reduce((sum, { text, cut }) => sum + (cut ? '' : text).length, 0)
              expect(kept).toBeLessThanOrEqual(viewBytes)
            }
          }
          for (const observation of open.values()) observation.end()
          expect(ring.bytes).toBeLessThanOrEqual(bytes)
        },
      ),
    )
  })

  test('Small pieces of text are counted before the trace is read.', () => {
    const ring = createTraceRing()
    pass(ring, exchange, observation => {
      for (let i = 0; i < 100; i++) observation.view('client-answer', 'data: {}')
    })
    const held = ring.bytes
    expect(ring.get('req_1')?.views['client-answer']?.parts[0]?.size).toBe(800)
    expect(ring.bytes).toBe(held)
  })

  test.each([true, false])(
    'Equal views of client and upstream are stored once, their bytes lent: %s.',
    isLent => {
      const text = 'x'.repeat(10_000)
      const bytes = Buffer.from(text)
      const ring = createTraceRing()
      pass(ring, exchange, observation => {
        for (const name of [
          'client-request',
          'upstream-request',
          'upstream-answer',
          'client-answer',
        ] as const)
          observation.view(name, bytes, isLent)
      })
      const views = Object.values(ring.get('req_1')?.views ?? {})
      expect(views.map(({ parts: [part] }) => part?.text)).toEqual([text, text, text, text])
      expect(ring.bytes).toBeLessThan(30_000)
    },
  )

  test('The counted bytes are close to what is stored.', () => {
    const ring = createTraceRing({ entries: 1000 })
    for (let i = 0; i < 40; i++)
      pass(ring, { ...exchange, id: `req_${i}` }, observation =>
        observation.view('client-answer', Buffer.alloc(10_000, 'x')),
      )
    expect(ring.bytes).toBeGreaterThan(400_000)
    // Each takes whole pages.
    expect(ring.bytes).toBeLessThan(400_000 + 40 * (pageBytes + 2000))
  })
})

describe('traces of several owners', () => {
  test.each([{ entries: 10 }, { bytes: 60_000 }])(
    'An owner who sends more and more requests displaces its own traces, at the limits %j.',
    limits => {
      const ring = createTraceRing(limits)
      const view = record('client-request', 'x'.repeat(2000))
      pass(ring, { ...exchange, id: 'req_quiet', owner: 'ann' }, view)
      for (let i = 0; i < 100; i++) pass(ring, { ...exchange, id: `req_flood${i}`, owner: 'bob' }, view)
      expect(ring.get('req_quiet', 'ann')).toBeDefined()
      expect(ring.get('req_flood99', 'bob')).toBeDefined()
      expect(ring.get('req_flood0', 'bob')).toBeUndefined()
    },
  )
})
