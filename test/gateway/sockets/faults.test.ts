/** What goes wrong on a socket: everything is told, nothing is waited for without end, and nothing is left. */
import { setImmediate as nextTask } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createFetchHandler } from '../../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import type { Harness, HarnessOptions } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { framesOf, wires } from '../../support/faults/wires.ts'
import type { HandshakeRefusal, Message, TestSocket } from '../../support/gateway/socket.ts'
import { isLast, openTestSocket } from '../../support/gateway/socket.ts'

const create = (more: object = {}): object => ({
  type: 'response.create',
  model: 'm',
  input: 'Hello',
  store: false,
  ...more,
})

interface Stage extends Harness {
  readonly socket: TestSocket
}

async function open(options: HarnessOptions = {}): Promise<Stage> {
  const harness = createHarness(options)
  return { ...harness, socket: await openTestSocket(harness.gateway) }
}

function expectNothingLeft({ gateway, clock }: Pick<Stage, 'gateway' | 'clock'>): void {
  expect([gateway.active, gateway.sockets, gateway.memoryUsed, clock.timers]).toEqual([0, 0, 0, 0])
}

const errorOf = (message: Message | undefined): Message => (message?.error ?? {}) as Message
const refused = (
  gateway: Gateway,
  options: Parameters<typeof openTestSocket>[1],
): Promise<HandshakeRefusal> =>
  openTestSocket(gateway, options).then(
    () => Promise.reject(new Error('The socket was opened.')),
    (error: HandshakeRefusal) => error,
  )

async function settle({ clock }: Pick<Stage, 'clock'>): Promise<void> {
  await clock.settle()
  await nextTask()
}

async function streamAll(asked: PendingRequest, frames: readonly string[]): Promise<void> {
  asked.stream()
  for (const frame of frames) asked.data(frame)
  asked.end()
}

describe.each(wires)('over an upstream on %s', wire => {
  test('A client that is cut off in any phase leaves nothing, and the upstream is let go.', async () => {
    const frames = await framesOf(wire)
    for (let k = -1; k <= frames.length; k++) {
      const stage = await open({ wire })
      stage.socket.send(create())
      stage.socket.send(create())
      stage.socket.send(create({ stream_id: 'other' }))
      const asked = await stage.upstream.next()
      if (k >= 0) {
        asked.stream()
        for (const frame of frames.slice(0, k)) asked.data(frame)
        await settle(stage)
      }
      stage.socket.disconnect()
      await settle(stage)
      expect(asked.isAborted, `after ${k} events`).toBe(true)
      expect(stage.upstream.requests).toHaveLength(2)
      expectNothingLeft(stage)
    }
  })

  test('An upstream that breaks off ends the response with an error and a failed response, and the socket goes on.', async () => {
    const frames = await framesOf(wire)
    const stage = await open({ wire })
    stage.socket.send(create())
    const asked = await stage.upstream.next()
    asked
      .stream()
      .data(frames[0] ?? '')
      .data(frames[1] ?? '')
    await settle(stage)
    asked.fail()
    const failed = await stage.socket.first(({ type }) => type === 'response.failed')
    expect(failed.response).toMatchObject({ status: 'failed' })
    await settle(stage)
    stage.socket.send(create())
    void streamAll(await stage.upstream.next(), frames)
    await stage.socket.first(({ type }) => type === 'response.completed')
    stage.socket.disconnect()
    await settle(stage)
    expectNothingLeft(stage)
  })

  test('A client that reads slowly makes the upstream wait, and gets everything in the end.', async () => {
    const frames = await framesOf(wire, { text: 'word '.repeat(40_000) })
    const stage = await open({ wire })
    stage.socket.stall()
    stage.socket.send(create())
    const asked = await stage.upstream.next()
    asked.stream()
    for (const frame of frames.slice(0, -2)) {
      if (asked.isPaused) break
      asked.data(frame)
      await settle(stage)
    }
    expect(asked.isPaused).toBe(true)
    stage.socket.drain()
    await settle(stage)
    expect(asked.isPaused).toBe(false)
    stage.socket.disconnect()
    await settle(stage)
    expectNothingLeft(stage)
  })
})

test('A client that vanishes without a word is noticed by a ping that nobody answers.', async () => {
  const stage = await open()
  await stage.clock.advance(30_000)
  expect(stage.socket.pings).toBe(1)
  // A pong.
  stage.socket.send('')
  await stage.clock.advance(30_000)
  expect([stage.socket.pings, stage.gateway.sockets]).toEqual([2, 1])
  await stage.clock.advance(30_000)
  expect(stage.socket.closed).toBeDefined()
  expectNothingLeft(stage)
})

test('A client that reads nothing at all is cut off after the limit.', async () => {
  const stage = await open({ limits: { clientStallMs: 90_000 } })
  stage.socket.stall()
  stage.socket.send('?')
  for (let minute = 0; minute < 6; minute++) await stage.clock.advance(30_000)
  expect(stage.socket.closed).toBeDefined()
  expectNothingLeft(stage)
})

test('A client that sends and never reads is no longer listened to, until it reads.', async () => {
  const stage = await open()
  stage.socket.stall()
  let sent = 0
  while (!stage.socket.isPaused && sent < 100_000) {
    stage.socket.send('?')
    sent++
  }
  expect(stage.socket.isPaused).toBe(true)
  expect(sent).toBeLessThan(10_000)
  stage.socket.drain()
  expect(stage.socket.isPaused).toBe(false)
  stage.socket.disconnect()
  expectNothingLeft(stage)
})

test('A flood of lanes and of waiting messages is refused beyond the limits, each on its own lane.', async () => {
  const stage = await open({ limits: { socketLanes: 4, socketQueue: 3 } })
  for (let lane = 0; lane < 20; lane++) stage.socket.send(create({ stream_id: `lane-${lane}` }))
  for (let more = 0; more < 20; more++) stage.socket.send(create({ stream_id: 'lane-0' }))
  await settle(stage)
  expect(stage.gateway.active).toBe(4)
  const refusals = stage.socket.received.filter(({ type }) => type === 'error')
  expect(refusals).toHaveLength(16 + 17)
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ status: 429, error: { code: 'too_many_requests' } })
  }
  expect(refusals[0]?.stream_id).toBe('lane-4')
  expect(refusals.at(-1)?.stream_id).toBe('lane-0')
  stage.socket.disconnect()
  await settle(stage)
  expectNothingLeft(stage)
})

test('A message whose request waits for its turn holds its memory until then.', async () => {
  const stage = await open({ limits: { exchanges: 1, queueMs: 2_000 } })
  stage.socket.send(create())
  await stage.upstream.next()
  const before = stage.gateway.memoryUsed
  const input = 'x'.repeat(300_000)
  stage.socket.send(create({ input, stream_id: 'other' }))
  await settle(stage)
  expect(stage.gateway.memoryUsed - before).toBeGreaterThan(input.length)
  await stage.clock.advance(2_000)
  await settle(stage)
  expect(stage.socket.received.at(-1)).toMatchObject({ type: 'error', stream_id: 'other' })
  expect(stage.gateway.memoryUsed).toBeLessThan(before + input.length)
  stage.socket.disconnect()
  await settle(stage)
  expectNothingLeft(stage)
})

test.each([
  ['no JSON', '?', 'invalid_message'],
  ['a list', '[]', 'invalid_message'],
  ['no type', '{}', 'invalid_message'],
  ['a name that is written twice', '{"type":"response.create","type":"x"}', 'invalid_message'],
  ['a name with escapes', '{"typ\\u0065":"response.create"}', 'invalid_message'],
  ['a type that nobody knows', '{"type":"session.update"}', 'unknown_message_type'],
  ['a lane that is no name', '{"type":"response.create","stream_id":"a b"}', 'invalid_stream_id'],
  ['a background response', '{"type":"response.create","background":true}', 'unsupported_parameter'],
  ['no model', '{"type":"response.create","input":"x"}', 'missing_model'],
  ['JSON that is broken inside', '{"type":"response.create","model":"m","input":[}', 'invalid_message'],
  ['JSON that is broken inside to steer', '{"type":"response.steer","input":tru}', 'invalid_message'],
  ['a lane that is a number', '{"type":"response.create","stream_id":5}', 'invalid_stream_id'],
])(
  'A message with %s is refused with a status and a code, and the socket goes on.',
  async (_, text, code) => {
    const stage = await open()
    stage.socket.send(text)
    const refusal = await stage.socket.first(({ type }) => type === 'error')
    expect(refusal.status).toBe(400)
    expect(errorOf(refusal)).toMatchObject({ code, type: 'invalid_request_error' })
    expect(stage.socket.closed).toBeUndefined()
    stage.socket.send(create())
    await stage.upstream.next()
    stage.socket.disconnect()
    await settle(stage)
    expectNothingLeft(stage)
  },
)

test('A binary message closes the socket with the code for it.', async () => {
  const stage = await open()
  stage.socket.sendBinary()
  await stage.socket.whenClosed()
  expect(stage.socket.closed).toMatchObject({ code: 1003 })
  expectNothingLeft(stage)
})

test('A message for which there is no memory closes the socket before it is complete.', async () => {
  const stage = await open({ limits: { memoryBytes: 1024 * 1024 } })
  stage.socket.send(`{"type":"response.create","input":"${'x'.repeat(2 * 1024 * 1024)}"}`)
  await stage.socket.whenClosed()
  expect(stage.socket.closed).toMatchObject({ code: 1013 })
  expectNothingLeft(stage)
})

test('A response cannot be steered, and the client gets its input back.', async () => {
  const stage = await open()
  const previous_response_id = 'resp_1'
  stage.socket.send({ type: 'response.steer', stream_id: 'a', previous_response_id, input: 'Stop.' })
  expect(stage.socket.received).toMatchObject([
    {
      type: 'response.steer.failed',
      stream_id: 'a',
      error: { code: 'steering_not_supported' },
      steer: { previous_response_id: 'resp_1', input: 'Stop.' },
    },
  ])
})

test('A response takes no input while it is written, and the client gets its input back.', async () => {
  const stage = await open()
  const input = [{ type: 'function_call_output', call_id: 'call_1', output: 'Rain.' }]
  stage.socket.send({ type: 'response.inject', response_id: 'resp_1', input })
  expect(stage.socket.received).toMatchObject([
    { type: 'response.inject.failed', response_id: 'resp_1', input, error: { code: 'response_not_found' } },
  ])
})

test('After an hour a socket takes no more, ends what is under way, and closes.', async () => {
  const frames = await framesOf('chat')
  const stage = await open({ limits: { socketMs: 60_000 }, upstream: { timeouts: { totalMs: 600_000 } } })
  stage.socket.send(create())
  stage.socket.send(create())
  const asked = await stage.upstream.next()
  stage.socket.send('')
  await stage.clock.advance(30_000)
  stage.socket.send('')
  await stage.clock.advance(30_000)
  const refusal = stage.socket.received.at(-1)
  expect(refusal).toMatchObject({
    status: 400,
    error: { code: 'websocket_connection_limit_reached' },
  })
  stage.socket.send(create())
  expect(errorOf(stage.socket.received.at(-1))).toMatchObject({ code: 'websocket_connection_limit_reached' })
  void streamAll(asked, frames)
  await stage.socket.first(({ type }) => type === 'response.completed')
  await stage.socket.whenClosed()
  expect(stage.socket.closed).toMatchObject({ code: 1001 })
  expectNothingLeft(stage)
})

test('A gateway that stops ends the responses under way, refuses others, and closes its sockets.', async () => {
  const frames = await framesOf('chat')
  const stage = await open()
  const idle = await openTestSocket(stage.gateway)
  stage.socket.send(create())
  stage.socket.send(create())
  const asked = await stage.upstream.next()
  const drained = stage.gateway.drain(10_000)
  await idle.whenClosed()
  expect(idle.closed).toMatchObject({ code: 1001 })
  expect(errorOf(stage.socket.received.at(-1))).toMatchObject({ code: 'shutting_down' })
  expect((await refused(stage.gateway, {})).status).toBe(503)
  void streamAll(asked, frames)
  await drained
  expect(stage.socket.received.filter(isLast).at(-1)?.type).toBe('response.completed')
  await stage.socket.whenClosed()
  await stage.gateway.close()
  await settle(stage)
  expectNothingLeft(stage)
})

test('A gateway that is closed cuts the sockets whose clients do not close.', async () => {
  const stage = await open()
  stage.socket.stall()
  stage.socket.send(create())
  await stage.upstream.next()
  await stage.gateway.close()
  await settle(stage)
  expectNothingLeft(stage)
})

test('Host, Origin and key are checked before a socket is opened.', async () => {
  const { gateway } = createHarness({ keys: ['k'] })
  const authorization = 'Bearer k'
  expect((await refused(gateway, { headers: { authorization, host: 'evil.test' } })).status).toBe(421)
  expect((await refused(gateway, { headers: { authorization, origin: 'https://evil.test' } })).status).toBe(
    403,
  )
  expect((await refused(gateway, { headers: { authorization: 'Bearer x' } })).status).toBe(401)
  expect((await refused(gateway, {})).status).toBe(401)
  expect(
    (await refused(gateway, { headers: { authorization }, target: '/v1/chat/completions' })).status,
  ).toBe(426)
  expect(gateway.sockets).toBe(0)
})

test('Without WebSockets, and behind a fetch handler, the client is told to do without: 426.', async () => {
  const off = createHarness({ webSockets: 'off' })
  expect((await refused(off.gateway, {})).status).toBe(426)
  const { gateway } = createHarness()
  const answer = await createFetchHandler(gateway)(new Request('http://localhost/v1/responses'))
  expect(answer.status).toBe(426)
  expect(await answer.json()).toMatchObject({ error: { code: 'upgrade_required' } })
})
