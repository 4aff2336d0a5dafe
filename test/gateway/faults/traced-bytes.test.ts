/** What a trace has of a stream: the bytes that came and those that went, however it was cut, and none of another exchange. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTraceRing } from '../../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { bodyFor, framesOf, paths, wires } from '../../support/faults/wires.ts'

/** Where a stream is cut, by bytes or at the end of an event; after which pieces others have their turn; and where it breaks off. */
const sending = fc.record({
  cuts: fc.array(fc.nat(3000), { maxLength: 12 }),
  atEvents: fc.boolean(),
  pauses: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
  end: fc.option(fc.nat(3000)),
})

function* piecesOf(
  bytes: Buffer,
  { cuts, atEvents, end }: { cuts: number[]; atEvents: boolean; end: number | null },
) {
  const all = bytes.subarray(0, end ?? bytes.length)
  const ends = cuts.map(cut => (atEvents ? all.indexOf('\n\n', cut) + 2 : cut))
  let from = 0
  for (const to of [...ends.sort((a, b) => a - b), all.length]) {
    if (to > from && to <= all.length) yield all.subarray(from, to)
    from = Math.max(from, Math.min(to, all.length))
  }
}

const plain = { cuts: [], atEvents: false, pauses: [], end: null }

test.each([
  ...wires.map(wire => [wire, wire] as const),
  ['responses', 'chat'],
  ['messages', 'chat'],
] as const)('A trace of streams for %s from %s has the bytes of both sides.', async (wire, upstreamWire) => {
  const frames = await Promise.all(
    ['Hello.', 'Grüße 😀 '.repeat(20), 'x '.repeat(200)].map(async text =>
      Buffer.from((await framesOf(upstreamWire, { text })).join('')),
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(sending, { minLength: 1, maxLength: 4 }), async sendings => {
      // Little enough for pages to be used again.
      const ring = createTraceRing({ bytes: 150_000, viewBytes: 20_000 })
      const sent: string[] = []
      const { gateway, clock } = createHarness({
        wire: upstreamWire,
        upstream: { retries: 0 },
        heartbeatMs: 0,
        observer: ring,
        async answer(asked) {
          const at = sent.push('') - 1
          const sending = sendings[at % sendings.length] ?? plain
          asked.stream()
          for (const [i, piece] of [...piecesOf(frames[at % 3] ?? Buffer.alloc(0), sending)].entries()) {
            asked.data(piece)
            sent[at] += piece.toString('latin1')
            if (sending.pauses[i % sending.pauses.length]) await nextTurn()
          }
          asked.end()
        },
      })
      const clients = [1, 2, 3, 4, 5, 6].map(() =>
        sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) }),
      )
      for (const client of clients) {
        while (!client.isEnded) {
          await clock.settle()
          await nextTurn()
        }
      }
      for (const { headers, text } of clients) {
        const views = ring.get(headers['x-request-id'] ?? '')?.views
        const parts = [views?.['upstream-answer']?.parts[0], views?.['client-answer']?.parts[0]]
        if (parts.some(part => part === undefined || part.cut)) continue
        expect(parts[1]).toMatchObject({ text, size: Buffer.byteLength(text) })
        expect(sent.map(bytes => Buffer.from(bytes, 'latin1').toString())).toContain(parts[0]?.text)
      }
    }),
    { numRuns: 30 },
  )
})

test.each(wires)('A trace has all headers that a streamed client of %s gets.', async wire => {
  const ring = createTraceRing()
  const frames = (await framesOf(wire, { text: 'Hello.' })).join('')
  const { gateway } = createHarness({
    wire,
    observer: ring,
    answer: asked => asked.stream().data(frames).end(),
  })
  const client = sendTo(gateway, paths[wire], { body: { ...bodyFor(wire), stream: true } })
  await client.done
  const [{ id = '' } = {}] = ring.list(1)
  expect(ring.get(id)?.views['client-answer']?.parts[0]?.headers).toEqual(client.headers)
  expect(client.headers['content-type']).toContain('text/event-stream')
})
