/** A gateway that stops: nothing new begins, what runs may finish, and what does not finish in time is told so. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { adapters, jsonPost, openNodeAdapter, openSocket } from '../../support/faults/adapters.ts'
import { startOfTime } from '../../support/faults/clock.ts'
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
  paths,
  textTurn,
  wires,
} from '../../support/faults/wires.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

const closing = closeAfterEach()

const seconds = /^[1-9]\d*$/

describe('while it stops', () => {
  test('A stopping gateway is live but not ready, and refuses new exchanges on every wire with a retry-after.', async () => {
    const { gateway, upstream, clock } = createHarness()
    const running = sendTo(gateway, paths.chat, { body: bodyFor('chat') })
    const asked = await upstream.next()
    const drained = gateway.drain(30_000)
    const ready = sendTo(gateway, '/ready')
    const live = sendTo(gateway, '/live')
    await Promise.all([ready.done, live.done])
    expect([ready.status, live.status]).toEqual([503, 200])
    expect(ready.headers['retry-after']).toMatch(seconds)
    for (const wire of wires) {
      const late = sendTo(gateway, paths[wire], { body: bodyFor(wire) })
      await late.done
      expect(late.status).toBe(503)
      expect(late.headers['retry-after']).toMatch(seconds)
      expect(errorIn(wire, late.json())).toContain('shutting down')
    }
    expect(upstream.requests.length).toBe(1)
    asked.json(200, await answerOf('chat'))
    await running.done
    await drained
    expect(running.status).toBe(200)
    expect(clock.timers).toBe(0)
  })

  test('When the gateway stops, fifty streams either finish or end with an error.', async () => {
    const { gateway, upstream, clock } = createHarness({ heartbeatMs: 0 })
    const frames = await framesOf('chat')
    const streams: {
      readonly wire: Wire
      readonly client: ReceivedAnswer
      readonly asked: PendingRequest
    }[] = []
    for (let i = 0; i < 50; i++) {
      const wire = wires[i % 3] ?? 'chat'
      const client = sendTo(gateway, paths[wire], { body: bodyFor(wire, { stream: true }) })
      const asked = await upstream.next()
      asked.stream()
      await clock.settle()
      for (const frame of frames.slice(0, 3)) asked.data(frame)
      streams.push({ wire, client, asked })
    }
    expect(gateway.active).toBe(50)
    const drained = gateway.drain(10_000)
    await clock.advance(9_999)
    for (const { asked } of streams.slice(0, 25)) asked.data(frames.slice(3).join('')).end()
    await clock.settle()
    expect(gateway.active).toBe(25)
    await clock.advance(1)
    await drained
    for (const [i, { wire, client, asked }] of streams.entries()) {
      await client.done
      expect(client.isEnded).toBe(true)
      if (i < 25) expect(endOf(wire, client.text).end).toBe('good')
      else {
        expect(endOf(wire, client.text)).toEqual({ end: 'failed', message: 'The gateway is shutting down.' })
        expect(asked.isAborted).toBe(true)
      }
    }
    expect(clock.timers).toBe(0)
  })

  test('A request that came late and ends last does not keep the gateway from stopping.', async () => {
    let answer = (): void => {}
    const store = createMemoryStore()
    const slow = new Promise<undefined>(resolve => {
      answer = () => resolve(undefined)
    })
    store.getResponse = () => slow
    const { gateway, upstream } = createHarness({ store })
    const running = sendTo(gateway, paths.chat, { body: bodyFor('chat') })
    const asked = await upstream.next()
    const drained = gateway.drain(30_000)
    const late = sendTo(gateway, '/v1/responses/resp_1')
    asked.json(200, await answerOf('chat'))
    await running.done
    answer()
    await late.done
    await drained
    expect(gateway.active).toBe(0)
  })

  test('A stopping gateway does not wait beyond the deadline for a client that is still sending.', async () => {
    const { gateway, clock } = createHarness()
    const parts: string[] = []
    const handled = gateway.handle(
      {
        method: 'POST',
        target: paths.messages,
        headers: { host: 'localhost', 'content-type': 'application/json' },
        signal: new AbortController().signal,
        body: () => new Promise(() => {}),
      },
      { head: () => {}, write: () => true, end: text => void parts.push(String(text)), onDrain: () => {} },
    )
    const drained = gateway.drain(5000)
    await clock.advance(5000)
    await drained
    await handled
    expect(errorIn('messages', JSON.parse(parts.join('')))).toBe('The gateway is shutting down.')
  })

  test('Both drain and close resolve when the gateway has stopped.', async () => {
    const { gateway, upstream, clock } = createHarness()
    const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { stream: true }) })
    const asked = await upstream.next()
    asked.stream()
    await clock.settle()
    asked.data((await framesOf('chat'))[0] ?? '')
    const drained = gateway.drain(30_000)
    const closed = gateway.close()
    await Promise.all([drained, closed])
    await client.done
    expect(endOf('responses', client.text)).toEqual({
      end: 'failed',
      message: 'The gateway is shutting down.',
    })
    expect(clock.timers).toBe(0)
  })

  test('Background responses may finish while the gateway stops.', async () => {
    const store = createMemoryStore({ now: () => startOfTime })
    const { gateway, upstream, clock } = createHarness({ store })
    const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { background: true }) })
    const asked = await upstream.next()
    await client.done
    expect(gateway.active).toBe(1)
    const drained = gateway.drain(1000)
    await clock.advance(999)
    asked.json(200, await answerOf('chat'))
    await drained
    const stored = sendTo(gateway, `/v1/responses/${client.json().id}`)
    await stored.done
    expect(stored.json()).toMatchObject({ status: 'completed' })
    expect([gateway.active, clock.timers]).toEqual([0, 0])
  })

  test('Background responses that do not finish in time are stored as failed.', async () => {
    const store = createMemoryStore({ now: () => startOfTime })
    const { gateway, upstream, clock } = createHarness({ store })
    const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { background: true }) })
    const asked = await upstream.next()
    await client.done
    const drained = gateway.drain(1000)
    await clock.advance(1000)
    await drained
    expect(asked.isAborted).toBe(true)
    const stored = sendTo(gateway, `/v1/responses/${client.json().id}`)
    await stored.done
    expect(stored.json()).toMatchObject({ status: 'failed', error: { code: 'server_restart' } })
  })

  test('A listener of a background response gets an error when the gateway stops.', async () => {
    const store = createMemoryStore({ now: () => startOfTime })
    const { gateway, upstream, clock } = createHarness({ store, heartbeatMs: 0 })
    const body = bodyFor('responses', { background: true, stream: true })
    const client = sendTo(gateway, paths.responses, { body })
    const asked = await upstream.next()
    asked.stream().data((await framesOf('chat'))[0] ?? '')
    await clock.settle()
    const drained = gateway.drain(1000)
    await clock.advance(1000)
    await drained
    await client.done
    const last = client.text.trimEnd().split('\n\n').at(-1)
    expect(last).toMatch(/^event: error\ndata: .*"code":"shutting_down"/)
    expect([gateway.active, clock.timers]).toEqual([0, 0])
  })

  test('A stopping gateway refuses new background responses.', async () => {
    const store = createMemoryStore({ now: () => startOfTime })
    let go = (): void => {}
    store.check = () =>
      new Promise(resolve => {
        go = resolve
      })
    const { gateway, upstream, clock } = createHarness({ store })
    const client = sendTo(gateway, paths.responses, { body: bodyFor('responses', { background: true }) })
    await clock.settle()
    const drained = gateway.drain(1000)
    await clock.advance(1000)
    go()
    await drained
    await client.done
    expect(client.status).toBe(503)
    expect(client.headers['retry-after']).toMatch(seconds)
    expect([upstream.requests.length, gateway.active, clock.timers]).toEqual([0, 0, 0])
  })
})

test.each(adapters)('A stream through %s runs to its end while the gateway stops.', async (_, open) => {
  const { gateway, upstream } = createHarness()
  const adapter = await open(gateway)
  closing.push(() => adapter.close())
  const answer = adapter.request(paths.chat, jsonPost(bodyFor('chat', { stream: true })))
  const asked = await upstream.next()
  asked.stream()
  const frames = await framesOf('chat', textTurn)
  asked.data(frames[0] ?? '')
  const response = await answer
  const drained = gateway.drain(30_000)
  const late = await adapter.request(paths.chat, jsonPost(bodyFor('chat')))
  expect(late.status).toBe(503)
  asked.data(frames.slice(1).join('')).end()
  expect(endOf('chat', await response.text()).end).toBe('good')
  await drained
})

test('A server that has stopped listening refuses connections while a stream goes on.', async () => {
  const { gateway, upstream } = createHarness()
  const adapter = await openNodeAdapter(gateway)
  const answer = adapter.request(
    paths.chat,
    jsonPost(bodyFor('chat', { stream: true }), { connection: 'close' }),
  )
  const asked = await upstream.next()
  asked.stream()
  const frames = await framesOf('chat', textTurn)
  asked.data(frames[0] ?? '')
  const response = await answer
  const stopped = new Promise(resolve => adapter.server.close(resolve))
  let accepted = 0
  adapter.server.on('connection', () => accepted++)
  // The port is free now, and another process may listen there at once.
  await openSocket(adapter.port).then(
    socket => socket.destroy(),
    () => {},
  )
  expect([adapter.server.listening, accepted]).toEqual([false, 0])
  const drained = gateway.drain(30_000)
  asked.data(frames.slice(1).join('')).end()
  expect(endOf('chat', await response.text()).end).toBe('good')
  await drained
  adapter.server.closeAllConnections()
  await stopped
})
