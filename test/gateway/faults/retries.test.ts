/** Upstreams in trouble: asked again when that can help, as late as they say, and never more than a budget allows. */
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createManualClock, startOfTime } from '../../support/faults/clock.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { createFakeUpstream } from '../../support/faults/upstream.ts'
import {
  answerOf,
  bodyFor,
  endOf,
  errorIn,
  framesOf,
  paths,
  textTurn,
  wires,
} from '../../support/faults/wires.ts'

const inSeconds = (seconds: number): string => new Date(startOfTime + seconds * 1000).toUTCString()
const trouble = {
  error: { message: 'Slow down.', type: 'requests', param: null, code: 'rate_limit_exceeded' },
}

describe('how long the gateway waits before it asks again', () => {
  test.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['parts of seconds', { 'retry-after': '0.25' }, 250],
    ['milliseconds', { 'retry-after-ms': '1234', 'retry-after': '9' }, 1234],
    ['a date', { 'retry-after': inSeconds(5) }, 5000],
    ['a date that is past', { 'retry-after': inSeconds(-100) }, 0],
    ['zero', { 'retry-after': '0' }, 0],
    // Half of the first wait, and as much of the other half as chance says.
    ['nothing', {}, 300],
    ['what nobody understands', { 'retry-after': 'soon' }, 300],
    ['another limit’s reset', { 'anthropic-ratelimit-requests-reset': '2023-11-14T22:13:50Z' }, 300],
  ] as const)('The gateway waits as long as the upstream demands in %s.', async (_, headers, wait) => {
    const { gateway, upstream, clock } = createHarness()
    const client = sendTo(gateway, paths.chat, { body: bodyFor('chat') })
    const first = await upstream.next()
    first.json(429, trouble, headers)
    await clock.settle()
    if (wait > 0) await clock.advance(wait - 1)
    expect(upstream.requests.length).toBe(1)
    await clock.advance(wait > 0 ? 1 : 0)
    expect(upstream.requests.length).toBe(2)
    ;(await upstream.next()).json(200, await answerOf('chat'))
    await client.done
    expect(client.status).toBe(200)
    expect(client.headers['retry-after']).toBeUndefined()
    expect(clock.timers).toBe(0)
  })

  test.each([408, 409, 429, 500, 502, 503, 504, 529])(
    'A request that was refused with %s is sent again.',
    async status => {
      const { gateway, upstream, clock } = createHarness()
      const client = sendTo(gateway, paths.messages, { body: bodyFor('messages', { stream: true }) })
      ;(await upstream.next()).json(status, trouble)
      await clock.advance(1000)
      const again = await upstream.next()
      again.stream()
      await clock.settle()
      again.data((await framesOf('chat', textTurn)).join('')).end()
      await client.done
      expect(endOf('messages', client.text).end).toBe('good')
    },
  )

  test.each([400, 401, 403, 404, 413, 422, 501])(
    'A request that was refused with %s is not sent again.',
    async status => {
      const { gateway, upstream, clock } = createHarness()
      const client = sendTo(gateway, paths.chat, { body: bodyFor('chat') })
      ;(await upstream.next()).json(status, trouble)
      await clock.advance(60_000)
      await client.done
      expect(client.status).toBe(status)
      // After a 404 the list of models may be asked for, to name those that there are.
      expect(upstream.requests.filter(({ request }) => request.method === 'POST').length).toBe(1)
    },
  )

  test('A request is not sent again when the upstream forbids it.', async () => {
    const { gateway, upstream, clock } = createHarness()
    const client = sendTo(gateway, paths.chat, { body: bodyFor('chat') })
    ;(await upstream.next()).json(503, trouble, { 'x-should-retry': 'false' })
    await clock.advance(60_000)
    await client.done
    expect(client.status).toBe(503)
    expect(upstream.requests.length).toBe(1)
  })
})

describe.each(wires)('a %s client, when asking again did not help', wire => {
  test.each([
    ['429', 429, { 'retry-after': '3', 'retry-after-ms': '2500', 'x-ratelimit-remaining-requests': '0' }],
    ['503 with a date', 503, { 'retry-after': inSeconds(4) }],
    ['429 without any advice', 429, {}],
  ] as const)(
    'A client gets status, message and retry headers of the upstream, and no invented ones: %s.',
    async (_, status, headers) => {
      const { gateway, upstream, clock } = createHarness({
        heartbeatMs: 0,
        answer: asked => asked.json(status, trouble, headers),
      })
      const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
      await clock.advance(60_000)
      await client.done
      expect(upstream.requests.length).toBe(3)
      expect(client.status).toBe(status)
      expect(errorIn(wire, client.json())).toContain('Slow down.')
      const { 'content-type': _type, ...advice } = client.headers
      for (const name of ['retry-after', 'retry-after-ms', 'x-ratelimit-remaining-requests']) {
        expect(advice[name]).toBe((headers as Record<string, string>)[name])
      }
      expect(clock.timers).toBe(0)
    },
  )

  test('A client gets the refusal at once when the upstream demands a long wait.', async () => {
    const { gateway, upstream, clock } = createHarness()
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
    ;(await upstream.next()).json(429, trouble, { 'retry-after': '3600' })
    await clock.settle()
    await client.done
    expect(client.status).toBe(429)
    expect(client.headers['retry-after']).toBe('3600')
    expect(upstream.requests.length).toBe(1)
  })

  test('No request is sent again once the client has received anything.', async () => {
    const { gateway, upstream, clock } = createHarness()
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    const [first = '', second = ''] = await framesOf('chat')
    asked.data(first + second)
    asked.data('data: {"error":{"message":"Overloaded.","type":"overloaded_error","code":503}}\n\n').end()
    await clock.advance(60_000)
    await client.done
    expect(endOf(wire, client.text)).toMatchObject({
      end: 'failed',
      message: expect.stringContaining('Overloaded.'),
    })
    expect(upstream.requests.length).toBe(1)
  })

  test('The request of a client that leaves during the wait is not sent again.', async () => {
    const { gateway, upstream, clock } = createHarness()
    const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
    ;(await upstream.next()).json(429, trouble, { 'retry-after': '10' })
    await clock.settle()
    client.disconnect()
    await client.done
    await clock.advance(60_000)
    expect(upstream.requests.length).toBe(1)
    expect(clock.timers).toBe(0)
  })
})

test('A hundred clients of an upstream in trouble cause little more than a hundred requests.', async () => {
  const { gateway, upstream, clock } = createHarness({ answer: asked => asked.json(503, trouble) })
  const clients = Array.from({ length: 100 }, () => sendTo(gateway, paths.chat, { body: bodyFor('chat') }))
  await clock.advance(60_000)
  await Promise.all(clients.map(({ done }) => done))
  expect(clients.every(({ status }) => status === 503)).toBe(true)
  // Ten at first, and a fifth of one for each request, of which the first ones find it full.
  expect(upstream.requests.length).toBeGreaterThan(100)
  expect(upstream.requests.length).toBeLessThanOrEqual(130)
})

test('An upstream in trouble does not use up the retries of another.', async () => {
  const clock = createManualClock()
  const bad = createFakeUpstream(asked => asked.json(503, trouble))
  const other = createFakeUpstream(asked => asked.json(503, trouble))
  const gateway = createGateway({
    upstreams: [
      { name: 'bad', wire: 'chat', baseUrl: 'http://bad.test', models: ['bad'], transport: bad.transport },
      {
        name: 'other',
        wire: 'chat',
        baseUrl: 'http://other.test',
        models: ['other'],
        transport: other.transport,
      },
    ],
    clock,
  })
  const ask = async (model: string): Promise<void> => {
    const client = sendTo(gateway, paths.chat, { body: bodyFor('chat', { model }) })
    await clock.advance(5000)
    await client.done
  }
  for (let i = 0; i < 40; i++) await ask('bad')
  expect(bad.requests.length).toBeLessThan(40 + 10 + 40 / 5 + 1)
  await ask('other')
  expect(other.requests.length).toBe(3)
})

test.each(wires)('An error page in HTML reaches a %s client as plain text.', async wire => {
  const { gateway, upstream } = createHarness({ upstream: { retries: 0 } })
  const client = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
  ;(await upstream.next())
    .head(502, { 'content-type': 'text/html' })
    .data('<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>')
    .end()
  await client.done
  expect(client.status).toBe(502)
  expect(errorIn(wire, client.json())).toBe('Upstream "up" answered with status 502: 502 Bad Gateway nginx')
})
