/** Streams that are odd but right are read as they are meant; streams that are wrong fail in the client's words. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { countingIds, createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import { bodyFor, endOf, framesOf, pairs, paths, wires } from '../../support/faults/wires.ts'

/** What a client is told when the upstream sends these chunks. */
async function told(
  wire: Wire,
  upstreamWire: Wire,
  chunks: readonly (string | Uint8Array)[],
): Promise<ReceivedAnswer> {
  const { gateway, upstream, clock } = createHarness({ wire: upstreamWire, newId: countingIds() })
  const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
  const asked = await upstream.next()
  asked.stream()
  await clock.settle()
  for (const chunk of chunks) asked.data(chunk)
  asked.end()
  await clock.settle()
  await client.done
  return client
}

type Rewrite = (frames: readonly string[]) => readonly (string | Uint8Array)[]

const bytesOf = (frames: readonly string[]): Buffer => Buffer.from(frames.join(''))
const each =
  (change: (frame: string) => string): Rewrite =>
  frames =>
    frames.map(change)

const oddities: readonly (readonly [name: string, rewrite: Rewrite])[] = [
  ['lines that end in CR LF', each(frame => frame.replaceAll('\n', '\r\n'))],
  ['lines that end in CR', each(frame => frame.replaceAll('\n', '\r'))],
  ['a byte order mark', frames => ['\ufeff', ...frames]],
  ['no space after the colon', each(frame => frame.replaceAll(/^(\w+): /gm, '$1:'))],
  ['JSON over several lines', each(frame => frame.replaceAll('{"', '{\ndata: "'))],
  ['JSON padded with spaces', each(frame => frame.replaceAll(/\}\n\n$/g, '   }\n\n'))],
  [
    'comments and fields nobody knows',
    each(frame => `: OPENROUTER PROCESSING\n\nid: 7\nretry: 10\nx-y: z\n${frame}`),
  ],
  ['empty events', each(frame => `event: nothing\n\n${frame}`)],
  ['every byte by itself', frames => [...bytesOf(frames)].map(byte => Uint8Array.of(byte))],
  ['all in one piece', frames => [bytesOf(frames)]],
]

describe.each(pairs.filter(([wire, upstreamWire]) => wire !== upstreamWire))(
  'a %s client of a %s upstream',
  (wire, upstreamWire) => {
    test('Oddly written streams decode to what plain ones decode to, wherever they are cut.', async () => {
      const frames = await framesOf(upstreamWire, {
        text: 'Grüße 🌧️ aus Ōsaka',
        calls: [{ name: 'weather', id: 'c', arguments: { city: 'Ōsaka' } }],
      })
      const plain = await told(wire, upstreamWire, frames)
      expect(endOf(wire, plain.text).end).toBe('good')
      for (const [name, rewrite] of oddities) {
        const odd = await told(wire, upstreamWire, rewrite(frames))
        expect(odd.text, name).toBe(plain.text)
      }
      const bytes = bytesOf(frames)
      for (let at = 1; at < bytes.length; at += 101) {
        const cut = await told(wire, upstreamWire, [bytes.subarray(0, at), bytes.subarray(at)])
        expect(cut.text, `cut at ${at}`).toBe(plain.text)
      }
    })
  },
)

test.each(wires)('Oddly written streams pass unchanged between two ends of the %s wire.', async wire => {
  const frames = await framesOf(wire)
  for (const [name, rewrite] of oddities) {
    const sent = rewrite(frames)
    const client = await told(wire, wire, sent)
    const text = Buffer.concat(sent.map(chunk => Buffer.from(chunk as string))).toString('utf8')
    expect(client.text.replace(/^\ufeff/, ''), name).toBe(text.replace(/^\ufeff/, ''))
  }
})

describe.each(pairs)(
  'a %s client of a %s upstream, and an event whose JSON is broken',
  (wire, upstreamWire) => {
    test('An event that cannot be parsed fails the stream wherever it stands, and nothing after it counts.', async () => {
      const frames = await framesOf(upstreamWire)
      const events = frames.findIndex(frame => frame.includes('[DONE]'))
      const count = events === -1 ? frames.length : events
      for (let at = 0; at < count; at++) {
        const spoiled = frames.map((frame, i) =>
          i === at ? frame.replace(/data: .*/, 'data: {"type":"x",') : frame,
        )
        const client = await told(wire, upstreamWire, spoiled)
        const { text, status } = client
        // On one wire the client reads the very event; it must not be told that all is well.
        if (wire === upstreamWire) expect(text, `event ${at}`).toContain('{"type":"x",')
        else {
          expect(status).toBe(200)
          expect(endOf(wire, text), `event ${at}`).toMatchObject({
            end: 'failed',
            message: expect.stringMatching(new RegExp(`\\b${at + 1}\\b`)),
          })
        }
      }
    })
  },
)

test.each(pairs)(
  'An endless line fails the stream of a %s client once it is longer than the limit for events of a %s upstream.',
  async (wire, upstreamWire) => {
    const { gateway, upstream, clock } = createHarness({
      wire: upstreamWire,
      limits: { eventLength: 10_000 },
    })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    const frames = await framesOf(upstreamWire)
    for (const frame of frames.slice(0, 2)) asked.data(frame)
    const before = client.text
    let given = 0
    // Where nothing is converted, an event may be twice as long.
    const longest = wire === upstreamWire ? 20_000 : 10_000
    while (!asked.isAborted && given < 120) {
      asked.data('data: '.padEnd(1000, 'x'))
      given++
      await clock.advance(10)
    }
    await clock.advance(1000)
    await client.done
    // One event too long, and then a quarter of a second in which it could have said something useful.
    expect(given).toBeGreaterThan(longest / 1000)
    expect(given).toBeLessThan(longest / 1000 + 30)
    expect(asked.isAborted).toBe(true)
    expect(client.text.startsWith(before)).toBe(true)
    expect(client.text).not.toContain('xxxx')
    expect(endOf(wire, client.text)).toMatchObject({
      end: 'failed',
      message: expect.stringContaining(String(longest)),
    })
  },
)

test('A stream that is longer than the limit fails.', async () => {
  const { gateway, upstream, clock } = createHarness({ limits: { streamLength: 5000 } })
  const client = sendTo(gateway, paths.messages, { body: bodyFor('messages', { stream: true }) })
  const asked = await upstream.next()
  asked.stream()
  await clock.settle()
  const [first = '', second = ''] = await framesOf('chat')
  asked.data(first)
  for (let i = 0; i < 100; i++) asked.data(second)
  await clock.advance(1000)
  await client.done
  expect(endOf('messages', client.text)).toMatchObject({
    end: 'failed',
    message: expect.stringContaining('5000'),
  })
  expect(asked.isAborted).toBe(true)
})

test('An answer that is longer than the limit is refused before it is read to its end.', async () => {
  const { gateway, upstream } = createHarness({ limits: { answerBytes: 1000 } })
  const client = sendTo(gateway, paths.responses, { body: bodyFor('responses') })
  const asked = await upstream.next()
  asked.head(200).data('x'.repeat(600)).data('x'.repeat(600))
  await client.done
  expect(asked.isAborted).toBe(true)
  expect(client.status).toBe(502)
  expect(client.text).toContain('longer than 1000 bytes')
})

test.each(pairs.filter(([wire, upstreamWire]) => wire !== upstreamWire))(
  'A %s client of a %s upstream gets the end of a stream that breaks, though more comes than there is memory for.',
  async (wire, upstreamWire) => {
    const { gateway, upstream, clock } = createHarness({
      wire: upstreamWire,
      limits: { memoryBytes: 400_000 },
    })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    const [first = ''] = await framesOf(upstreamWire, { text: 'Hello' })
    for (const chunk of [first, 'data: {nonsense\n\n', `: ${'x'.repeat(1_000_000)}\n\n`]) {
      asked.data(chunk)
      await clock.settle()
    }
    asked.end()
    await client.done
    expect(endOf(wire, client.text).end).toBe('failed')
  },
)
