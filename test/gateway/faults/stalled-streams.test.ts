/** Silence: of an upstream that does not begin, or falls silent, and of a gateway toward its client. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { defineTool } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { GatewayServerTool, Timeouts } from '../../../packages/toolwire/src/gateway/settings.ts'
import { startUpstream } from '../../support/faults/adapters.ts'
import { createManualClock } from '../../support/faults/clock.ts'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import {
  answerOf,
  bodyFor,
  endOf,
  errorIn,
  framesOf,
  pairs,
  paths,
  textTurn,
  wires,
} from '../../support/faults/wires.ts'
import { collectFacts } from '../../support/gateway/watch-facts.ts'

const pings: { readonly [W in Wire]: string } = {
  chat: 'data: \n\n',
  responses: 'event: keepalive\ndata: {"type":"keepalive"}\n\n',
  messages: 'event: ping\ndata: {"type": "ping"}\n\n',
}

interface Silent extends Harness {
  readonly client: ReceivedAnswer
  readonly asked: PendingRequest
}

describe.each(pairs)('a %s client of a %s upstream', (wire, upstreamWire) => {
  const startSilent = async (timeouts: Partial<Timeouts>): Promise<Silent> => {
    const harness = createHarness({ wire: upstreamWire, upstream: { timeouts }, heartbeatMs: 0 })
    const [first = '', second = ''] = await framesOf(upstreamWire)
    const client = sendTo(harness.gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await harness.upstream.next()
    asked.stream()
    await harness.clock.settle()
    asked.data(first + second)
    return { ...harness, client, asked }
  }

  test('A stream in which nothing comes is aborted after the idle timeout.', async () => {
    const { client, asked, clock, upstream } = await startSilent({ idleMs: 60_000 })
    await clock.advance(59_999)
    expect([client.isEnded, asked.isAborted]).toEqual([false, false])
    await clock.advance(1)
    await client.done
    expect(asked.isAborted).toBe(true)
    expect(endOf(wire, client.text)).toEqual({
      end: 'failed',
      message:
        'Upstream "up" sent nothing for 60000 ms; 2 events had come and the end of the answer was outstanding.',
    })
    expect(upstream.requests.length).toBe(1)
    expect(clock.timers).toBe(0)
  })

  const signs = [
    ['comments', ': heartbeat\n\n'],
    ['pings', pings[upstreamWire]],
    ['pings cut in two', pings[upstreamWire].slice(9) + pings[upstreamWire].slice(0, 9)],
  ]

  test.each(signs)('A stream in which only %s come lives until the ping timeout.', async (_, sign = '') => {
    const { client, asked, clock } = await startSilent({ idleMs: 20_000, pingMs: 60_000 })
    for (let second = 1; second < 60; second++) {
      await clock.advance(1000)
      asked.data(sign)
    }
    expect([client.isEnded, asked.isAborted]).toEqual([false, false])
    await clock.advance(1000)
    await client.done
    expect(asked.isAborted).toBe(true)
    expect(endOf(wire, client.text)).toEqual({
      end: 'failed',
      message:
        'Upstream "up" sent no event for 60000 ms; 2 events and 59 pings had come, the last event 60 s ago, ' +
        'the last ping 1 s ago, and the end of the answer was outstanding.',
    })
    expect(clock.timers).toBe(0)
  })

  test.each(signs)('A stream whose %s end too is aborted after the idle timeout.', async (_, sign = '') => {
    const { client, asked, clock } = await startSilent({ idleMs: 20_000, pingMs: 60_000 })
    await clock.advance(15_000)
    asked.data(sign)
    await clock.advance(19_999)
    expect(client.isEnded).toBe(false)
    await clock.advance(1)
    await client.done
    expect(endOf(wire, client.text).message).toContain(
      '2 events and 1 ping had come, the last event 35 s ago, the last ping 20 s ago,',
    )
    expect(clock.timers).toBe(0)
  })

  test('By default pings keep a stream alive for ten minutes, and silence for five.', async () => {
    const silent = await startSilent({})
    await silent.clock.advance(299_999)
    expect(silent.client.isEnded).toBe(false)
    await silent.clock.advance(1)
    await silent.client.done
    const pinging = await startSilent({})
    for (let second = 10; second < 600; second += 10) {
      await pinging.clock.advance(10_000)
      pinging.asked.data(pings[upstreamWire])
    }
    await pinging.clock.advance(9_999)
    expect(pinging.client.isEnded).toBe(false)
    await pinging.clock.advance(1)
    await pinging.client.done
  })

  test('A long event that comes in pieces resets the idle timeout as long as more of it comes.', async () => {
    const { gateway, upstream, clock } = createHarness({
      wire: upstreamWire,
      upstream: { timeouts: { idleMs: 1000, pingMs: 1000 } },
      heartbeatMs: 0,
    })
    const [first = '', ...rest] = await framesOf(upstreamWire)
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    asked.data(first)
    for (const piece of rest
      .join('')
      .replaceAll('data: {', `data: {${' '.repeat(4000)}`)
      .match(/[\s\S]{1,500}/g) ?? []) {
      await clock.advance(900)
      asked.data(piece)
    }
    asked.end()
    await client.done
    expect(endOf(wire, client.text).end).toBe('good')

    const second = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const again = await upstream.next()
    again.stream()
    await clock.settle()
    again.data(`data: {${' '.repeat(100)}`)
    await clock.advance(500)
    for (let beat = 0; beat < 4; beat++) {
      again.data(': heartbeat\n')
      await clock.advance(100)
    }
    again.data('data: more\n')
    await clock.advance(999)
    expect(second.isEnded).toBe(false)
    again.data(': heartbeat\n')
    await clock.advance(1)
    await second.done
    expect(again.isAborted).toBe(true)
    expect(clock.timers).toBe(0)
  })

  test('Events reset the idle timeout.', async () => {
    const { gateway, upstream, clock } = createHarness({
      wire: upstreamWire,
      upstream: { timeouts: { idleMs: 1000 } },
    })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    for (const frame of await framesOf(upstreamWire)) {
      asked.data(frame)
      await clock.advance(900)
    }
    asked.end()
    await client.done
    expect(endOf(wire, client.text).end).toBe('good')
  })
})

describe.each(wires)('signs of life for a %s client', wire => {
  test('Nothing is sent before the upstream answers, so that a late refusal has its status and headers.', async () => {
    const { gateway, upstream, clock } = createHarness({ heartbeatMs: 15_000, upstream: { retries: 0 } })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    await clock.advance(60_000)
    expect([client.status, client.text]).toEqual([undefined, ''])
    const error = { message: 'Too fast.', type: 'requests', code: 'rate_limit_exceeded' }
    asked.json(429, { error }, { 'retry-after': '7' })
    await client.done
    expect([client.status, client.headers['retry-after']]).toEqual([429, '7'])
    expect(clock.timers).toBe(0)
  })

  test('Keep-alives come between events, and only when nothing else is sent.', async () => {
    const { gateway, upstream, clock } = createHarness({ heartbeatMs: 15_000 })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    const frames = await framesOf('chat', textTurn)
    asked.data(frames[0] ?? '')
    await clock.advance(10_000)
    asked.data(frames[1] ?? '')
    await clock.advance(14_000)
    expect(client.text).not.toContain('keep-alive')
    await clock.advance(1000)
    expect(client.text.endsWith(': keep-alive\n\n')).toBe(true)
    asked.data(frames.slice(2).join('')).end()
    await client.done
    expect(endOf(wire, client.text).end).toBe('good')
    expect(client.text.match(/keep-alive/g)?.length).toBe(1)
  })

  test('Keep-alives come while a tool of the gateway runs.', async () => {
    let finish = (): void => {}
    const { gateway, upstream, clock } = createHarness({
      heartbeatMs: 15_000,
      tools: [
        defineTool({
          name: 'slow',
          parameters: { type: 'object' },
          handler: () =>
            new Promise<string>(resolve => {
              finish = () => resolve('done')
            }),
        }),
      ],
    })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    const calling = { calls: [{ name: 'slow', id: 'call_9', arguments: {} }] }
    asked.data((await framesOf('chat', calling)).join('')).end()
    await clock.settle()
    const before = client.text.length
    await clock.advance(70_000)
    expect(client.text.slice(before)).toBe(': keep-alive\n\n'.repeat(4))
    finish()
    const again = await upstream.next()
    again.stream()
    await clock.settle()
    again.data((await framesOf('chat', textTurn)).join('')).end()
    await client.done
    expect(endOf(wire, client.text).end).toBe('good')
  })
})

describe.each(wires)('an upstream out of reach, told to a %s client', wire => {
  test.each([false, true])(
    'An upstream that never begins to answer is reported as a timeout (streamed: %s).',
    async stream => {
      const { gateway, upstream, clock } = createHarness({
        heartbeatMs: 0,
        upstream: { timeouts: { firstByteMs: 5000 } },
      })
      const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream }) })
      const asked = await upstream.next()
      await clock.advance(4999)
      expect(client.isEnded).toBe(false)
      await clock.advance(1)
      await client.done
      expect(client.status).toBe(504)
      expect(errorIn(wire, client.json())).toBe(
        'Upstream "up" did not begin to answer within 5000 ms (POST http://up.test/v1/chat/completions).',
      )
      expect(asked.isAborted).toBe(true)
      // It may have begun to work on it, so it is not asked twice.
      expect(upstream.requests.length).toBe(1)
      expect(clock.timers).toBe(0)
    },
  )

  test('An upstream that cannot be connected to in time is reported as a timeout.', async () => {
    const timeout = Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' })
    const { gateway, upstream, clock } = createHarness({
      upstream: { timeouts: { connectMs: 700 }, retries: 1 },
      answer: asked => asked.fail(timeout),
    })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
    await clock.advance(10_000)
    await client.done
    expect(client.status).toBe(504)
    expect(errorIn(wire, client.json())).toMatch(
      /Upstream "up" could not be reached \(POST http:\/\/up\.test\/v1\/chat\/completions\): .*Connect Timeout/,
    )
    expect(upstream.requests.map(({ request }) => request.connectMs)).toEqual([700, 700])
  })

  test('An upstream that falls silent in the middle of an answer is reported as a timeout.', async () => {
    const { gateway, upstream, clock } = createHarness({ upstream: { timeouts: { idleMs: 2000 } } })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
    const asked = await upstream.next()
    asked.head(200).data('{"a":')
    await clock.advance(2000)
    await client.done
    expect(client.status).toBe(504)
    expect(errorIn(wire, client.json())).toContain(
      '5 bytes had come and the end of the answer was outstanding',
    )
    expect(asked.isAborted).toBe(true)
  })

  test('An upstream that takes longer than the total timeout is reported.', async () => {
    const { gateway, upstream, clock } = createHarness({
      heartbeatMs: 0,
      upstream: { timeouts: { totalMs: 9000, idleMs: 0, firstByteMs: 0 } },
    })
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    for (const frame of (await framesOf('chat')).slice(0, 2)) asked.data(frame)
    await clock.advance(9000)
    await client.done
    expect(endOf(wire, client.text)).toEqual({
      end: 'failed',
      message: 'The exchange took longer than 9000 ms.',
    })
    expect(asked.isAborted).toBe(true)
  })
})

test('A refused connection is tried again, then reported with its address and the reason.', async () => {
  const gone = await startUpstream(() => {})
  await gone.close()
  const clock = createManualClock()
  const { observer, facts } = collectFacts()
  const gateway = createGateway({
    upstreams: [{ name: 'up', wire: 'chat', baseUrl: gone.baseUrl }],
    clock,
    observer,
  })
  const client = sendTo(gateway, paths.chat, { body: bodyFor('chat') })
  let isOver = false
  const over = client.done.then(() => {
    isOver = true
  })
  while (!isOver) await clock.advance(1)
  await over
  expect(client.status).toBe(502)
  expect(errorIn('chat', client.json())).toContain(`${gone.baseUrl}/chat/completions`)
  expect(client.text).toContain('ECONNREFUSED')
  expect(facts).toMatchObject([{ retries: 2 }])
  await gateway.close()
})

test('An internal failure in the middle of a stream is reported inside it.', async () => {
  // Not made by `defineTool`, so running it is refused when the model calls it.
  const broken = { name: 'slow', parameters: { type: 'object' } } as unknown as GatewayServerTool
  const { gateway, upstream, clock } = createHarness({ tools: [broken], heartbeatMs: 0 })
  const client = sendTo(gateway, paths.chat, { body: bodyFor('chat', { stream: true }) })
  const asked = await upstream.next()
  asked.stream()
  await clock.settle()
  const calling = { text: 'Wait.', calls: [{ name: 'slow', id: 'call_9', arguments: {} }] }
  asked.data((await framesOf('chat', calling)).join('')).end()
  await client.done
  expect(endOf('chat', client.text)).toEqual({
    end: 'failed',
    message: 'The gateway failed at this request. Its log says why.',
  })
  expect(client.isEnded).toBe(true)
})

test('An answer to a request for a stream becomes a stream, and the other way round.', async () => {
  const { gateway, upstream, clock } = createHarness()
  const streamed = sendTo(gateway, paths.messages, { body: bodyFor('messages', { stream: true }) })
  ;(await upstream.next()).json(200, await answerOf('chat'))
  await streamed.done
  expect(endOf('messages', streamed.text).end).toBe('good')
  const whole = sendTo(gateway, paths.messages, { body: bodyFor('messages') })
  const asked = await upstream.next()
  asked.stream()
  await clock.settle()
  asked.data((await framesOf('chat')).slice(0, 3).join('')).end()
  await whole.done
  expect(whole.status).toBe(502)
  expect(errorIn('messages', whole.json())).toMatch(/ended before/)
})
