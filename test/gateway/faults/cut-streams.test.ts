/** An upstream that breaks off in the middle of a stream: every client hears of it, and nobody asks again. */
import type { ServerResponse } from 'node:http'
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { adapters, jsonPost, startUpstream } from '../../support/faults/adapters.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import { countingIds, createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { bodyFor, endOf, eventsOf, framesOf, pairs, paths, wires } from '../../support/faults/wires.ts'
import { checkEventOrder } from '../../support/streams/event-order.ts'

interface Started {
  readonly client: ReceivedAnswer
  readonly asked: PendingRequest
  readonly requests: () => number
  readonly timers: () => number
}

/** A stream whose first `k` events have come. */
async function begin(wire: Wire, upstreamWire: Wire, frames: readonly string[], k: number): Promise<Started> {
  const { gateway, upstream, clock } = createHarness({ wire: upstreamWire, newId: countingIds() })
  const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
  const asked = await upstream.next()
  asked.stream()
  await clock.settle()
  for (const frame of frames.slice(0, k)) asked.data(frame)
  await clock.settle()
  return { client, asked, requests: () => upstream.requests.length, timers: () => clock.timers }
}

const lastWords: { readonly [W in Wire]: RegExp } = {
  chat: /\[DONE\]/,
  responses: /"response\.completed"/,
  messages: /"message_stop"/,
}
/** A Chat answer has ended with its reason to end; some servers never send the mark after it. */
const lastWordsBeforeEnd = { ...lastWords, chat: /"finish_reason":"\w/ }

describe.each(pairs)('a %s client of a %s upstream', (wire, upstreamWire) => {
  test.each([
    ['is reset', 'fail', lastWords],
    ['ends without its last event', 'end', lastWordsBeforeEnd],
  ] as const)(
    'A stream that %s after any event is reported as failed once, and not requested again.',
    async (_, how, words) => {
      const frames = await framesOf(upstreamWire)
      const whole = await begin(wire, upstreamWire, frames, frames.length)
      whole.asked.end()
      await whole.client.done
      expect(endOf(wire, whole.client.text).end).toBe('good')
      const firstGood = frames.findIndex(frame => words[upstreamWire].test(frame)) + 1
      expect(firstGood).toBeGreaterThan(3)
      for (let k = 1; k < firstGood; k++) {
        const { client, asked, requests, timers } = await begin(wire, upstreamWire, frames, k)
        const before = client.text
        asked[how]()
        await client.done
        expect(whole.client.text.startsWith(before), `${k} events: what came is passed on`).toBe(true)
        if (wire === upstreamWire) expect(eventsOf(before).length).toBe(k)
        expect(client.status).toBe(200)
        expect(client.text.startsWith(before)).toBe(true)
        expect(endOf(wire, client.text), `${k} events`).toMatchObject({
          end: 'failed',
          message: expect.stringMatching(
            how === 'fail' ? /cut off; \d+ events? had come: read ECONNRESET/ : /ended before/,
          ),
        })
        expect(checkEventOrder(wire, client.text), `${k} events`).toEqual([])
        expect(client.isEnded).toBe(true)
        expect(requests()).toBe(1)
        expect(timers()).toBe(0)
      }
    },
  )

  test('A reset after the last event is not a failure.', async () => {
    const frames = await framesOf(upstreamWire)
    const { client, asked } = await begin(wire, upstreamWire, frames, frames.length)
    asked.fail()
    await client.done
    expect(endOf(wire, client.text).end).toBe('good')
  })

  test('A reset between the head and the first event becomes an error of the wire and is not retried.', async () => {
    const { client, asked, requests } = await begin(wire, upstreamWire, [], 0)
    asked.fail()
    await client.done
    expect(client.status).toBe(502)
    expect(client.text).toContain('0 events had come')
    expect(requests()).toBe(1)
  })
})

describe.each(adapters)('over sockets, through %s', (_, open) => {
  test.each(wires)(
    'A %s client gets every event that came before the reset, and then the failure.',
    async wire => {
      const frames = await framesOf(wire)
      let requests = 0
      let k = 0
      let answering: ServerResponse | undefined
      const upstream = await startUpstream((request, response) => {
        request.resume()
        requests++
        answering = response
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (const frame of frames.slice(0, k)) response.write(frame)
      })
      const gateway = createGateway({ upstreams: [{ name: 'up', wire, baseUrl: upstream.baseUrl }] })
      const adapter = await open(gateway)
      for (k = 1; k < 7; k++) {
        const response = await adapter.request(paths[wire], jsonPost(bodyFor(wire, { stream: true })))
        let text = ''
        for await (const bytes of response.body ?? []) {
          text += Buffer.from(bytes).toString('utf8')
          // What is under way when a connection is reset is lost; so it is reset when all of it is here.
          if (text === frames.slice(0, k).join('')) answering?.socket?.resetAndDestroy()
        }
        expect(text.startsWith(frames.slice(0, k).join(''))).toBe(true)
        expect(endOf(wire, text)).toMatchObject({
          end: 'failed',
          message: expect.stringContaining('cut off'),
        })
        expect(requests).toBe(k)
      }
      await adapter.close()
      await gateway.close()
      await upstream.close()
    },
  )
})

test.each(wires)(
  'A %s stream that was cut off is stored as failed, with what the client received.',
  async wire => {
    const frames = await framesOf(wire, { text: 'It rains in Oslo today.' })
    const store = createMemoryStore({ now: () => startOfTime })
    const { gateway, upstream, clock } = createHarness({ wire, store, upstream: { state: 'gateway' } })
    const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    for (const frame of frames.slice(0, frames.findIndex(frame => /It/.test(frame)) + 1)) asked.data(frame)
    asked.fail()
    await client.done
    const id = /"id":"(resp_[^"]+)"/.exec(client.text)?.[1]
    const stored = sendTo(gateway, `/v1/responses/${id}`)
    await stored.done
    const { status, error, output } = stored.json() as {
      status: string
      error: { message: string }
      output: { status: string; content: { text: string }[] }[]
    }
    expect([status, output[0]?.status]).toEqual(['failed', 'incomplete'])
    const told = eventsOf(client.text).flatMap(({ data }) => (data.includes('response.failed') ? [data] : []))
    expect(told.map(data => JSON.parse(data).response)).toEqual([stored.json()])
    expect(error.message).toContain('cut off')
    const text = output[0]?.content[0]?.text ?? ''
    expect(text).not.toBe('')
    expect('It rains in Oslo today.'.startsWith(text)).toBe(true)
  },
)

test.each(pairs)(
  'An answer for a %s client that a %s upstream cuts off is an error, not half an answer.',
  async (wire, upstreamWire) => {
    const { gateway, upstream, clock } = createHarness({ wire: upstreamWire })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
    const asked = await upstream.next()
    asked.head(200).data('{"id":"x",')
    await clock.settle()
    asked.fail()
    await client.done
    expect(client.status).toBe(502)
    expect(client.text).toMatch(/cut off; 10 bytes had come/)
    expect(upstream.requests.length).toBe(1)
  },
)
