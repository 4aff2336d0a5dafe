/** Streamed background responses: the events come at once, go on without a listener, and can be heard again. */
import { fails, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { StoreError } from '../../../packages/toolwire/src/store/store-error.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import type { HarnessOptions } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import { createFailingStore } from '../../support/faults/store.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { bodyFor, framesOf, paths, wires } from '../../support/faults/wires.ts'
import { collectFacts } from '../../support/gateway/watch-facts.ts'
import type { Harness, Json } from '../../support/open-responses/gateway.ts'
import { openHarness, clientOf as visitAs } from '../../support/open-responses/gateway.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'
import { checkEventOrder } from '../../support/streams/event-order.ts'

const ask = { model: 'm', input: 'One.', background: true, stream: true }
const responsesIn = (text: string): Json[] =>
  eventsOf(text).flatMap(({ response }) => (response === undefined ? [] : [response as Json]))
const lastOf = (text: string): Json => responsesIn(text).at(-1) ?? {}
const idIn = (text: string): string => String(responsesIn(text)[0]?.id)

/** Only the listening ends, and not the response. */
const cutOff = { type: 'error', error: { code: 'store_unavailable' } }

function bound(target: object, name: PropertyKey): unknown {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}

/** Everything after the event of that number. */
function after(text: string, number: number): string {
  const frames = text.split(/(?<=\n\n)/)
  return frames.slice(frames.findIndex(frame => frame.includes(`"sequence_number":${number}}`)) + 1).join('')
}

interface Working extends ReturnType<typeof createHarness> {
  readonly client: ReceivedAnswer
  readonly asked: PendingRequest
  readonly frames: readonly string[]
  hear(query?: string, id?: string): ReceivedAnswer
}

/** A response whose upstream has been asked and has said nothing yet. */
async function begin(options: HarnessOptions = {}): Promise<Working> {
  const store = createMemoryStore({ now: () => startOfTime })
  const setting = createHarness({ store, heartbeatMs: 0, ...options })
  const body = bodyFor('responses', { background: true, stream: true })
  const client = sendTo(setting.gateway, paths.responses, { body })
  const asked = await setting.upstream.next()
  asked.stream()
  await setting.clock.settle()
  return {
    ...setting,
    client,
    asked,
    frames: await framesOf('chat'),
    hear: (query = '', id = idIn(client.text)) =>
      sendTo(setting.gateway, `/v1/responses/${id}?stream=true${query}`),
  }
}

describe.each(wires)('over %s', wire => {
  const upstream = { state: 'gateway' } as const

  test('A streamed background response has the events of any stream, and is stored before its end is sent.', async () => {
    const setting = openHarness(wire, [says('Once upon a time.', { reasoning: 'Hm.' })], { upstream })
    const told = await setting.post('/v1/responses', ask)
    expect([told.status, told.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(checkEventOrder('responses', told.text)).toEqual([])
    const last = lastOf(told.text)
    expect(last).toMatchObject({ status: 'completed', background: true, model: 'm', store: true })
    expect((await setting.get(`/v1/responses/${last.id}`)).json()).toEqual(last)
    expect(responsesIn(told.text)[0]).toMatchObject({
      id: last.id,
      created_at: last.created_at,
      background: true,
      model: 'm',
    })
  })

  test('A background stream can be replayed from the beginning or from any event on.', async () => {
    const setting = openHarness(wire, [says('Once upon a time.')], { upstream })
    const { text } = await setting.post('/v1/responses', ask)
    const path = `/v1/responses/${idIn(text)}?stream=true`
    const again = await setting.get(path)
    expect(again.text).toBe(text)
    // The number of an error before the first event.
    expect((await setting.get(`${path}&starting_after=-1`)).text).toBe(text)
    expect(checkStream(again.writes)).toEqual([])
    for (const { sequence_number } of eventsOf(text)) {
      const rest = await setting.get(`${path}&starting_after=${sequence_number}`)
      expect(rest.text).toBe(after(text, Number(sequence_number)))
    }
  })
})

test('The id of a background stream is sent before the upstream answers.', async () => {
  const { client, hear, clock, asked, frames } = await begin()
  expect(eventsOf(client.text).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
  const whole = sendTo((await begin()).gateway, `/v1/responses/${idIn(client.text)}`)
  await whole.done
  expect(whole.status).toBe(404)
  const listener = hear()
  await clock.settle()
  expect(listener.text).toBe(client.text)
  asked.data(frames.join('')).end()
  await Promise.all([client.done, listener.done])
  expect(listener.text).toBe(client.text)
})

test('A client that leaves a background stream can come back for the rest.', async () => {
  const { client, hear, clock, asked, frames, upstream } = await begin()
  for (const frame of frames.slice(0, 3)) asked.data(frame)
  await clock.settle()
  client.disconnect()
  await client.done
  const heard = eventsOf(client.text).at(-1)?.sequence_number
  expect(asked.isAborted).toBe(false)
  for (const frame of frames.slice(3, 6)) asked.data(frame)
  await clock.settle()
  const listener = hear(`&starting_after=${heard}`)
  await clock.settle()
  expect(eventsOf(listener.text)[0]?.sequence_number).toBe(Number(heard) + 1)
  for (const frame of frames.slice(6)) asked.data(frame)
  asked.end()
  await listener.done
  // The failure that ended the listening is no event of the response, and has the number of the last one.
  const [told = ''] = client.text.split('event: error')
  expect(checkEventOrder('responses', told + listener.text)).toEqual([])
  expect(lastOf(listener.text).status).toBe('completed')
  expect([upstream.requests.length, clock.timers]).toEqual([1, 0])
})

test('A slow listener gets all events, and makes nobody else wait.', async () => {
  const { client, gateway, clock, asked, frames } = await begin()
  const slow = sendTo(gateway, `/v1/responses/${idIn(client.text)}?stream=true`, { hasRoom: () => false })
  asked.data(frames.join('')).end()
  await client.done
  await clock.settle()
  expect(slow.text.length).toBeLessThan(client.text.length)
  for (let turns = 0; turns < 50 && !slow.isEnded; turns++) {
    slow.drain()
    await clock.settle()
  }
  await slow.done
  expect(slow.text).toBe(client.text)
})

test('The time that listeners wait does not count as work of the gateway.', async () => {
  const { observer, facts } = collectFacts()
  const { client, clock, asked, frames, hear } = await begin({ observer })
  const second = hear()
  await clock.advance(5000)
  asked.data(frames.join('')).end()
  await Promise.all([client.done, second.done])
  const known = { totalMs: 5000, overheadMs: 0 }
  expect(facts).toMatchObject([known, known, known])
})

describe('how it fails', () => {
  test.each(wires)(
    'A background stream that a %s upstream refuses fails with the message of the upstream.',
    async wire => {
      const setting = openHarness(wire, [fails(400, 'Too clever.')], { upstream: { state: 'gateway' } })
      const { text } = await setting.post('/v1/responses', ask)
      expect(checkEventOrder('responses', text)).toEqual([])
      expect(lastOf(text)).toMatchObject({ status: 'failed', error: { message: 'Too clever.' } })
      expect((await setting.get(`/v1/responses/${idIn(text)}`)).json()).toEqual(lastOf(text))
    },
  )

  test('A cancelled background stream ends for its listener, and is stored as cancelled.', async () => {
    const { client, gateway, clock, asked, frames } = await begin()
    for (const frame of frames.slice(0, 3)) asked.data(frame)
    await clock.settle()
    const cancel = sendTo(gateway, `/v1/responses/${idIn(client.text)}/cancel`, { method: 'POST' })
    await Promise.all([cancel.done, client.done])
    expect(cancel.json()).toMatchObject({ status: 'cancelled', error: null })
    expect((cancel.json().output as Json[])[0]).toMatchObject({ type: 'message', status: 'incomplete' })
    expect(checkEventOrder('responses', client.text)).toEqual([])
    expect(lastOf(client.text)).toEqual(cancel.json())
    expect(eventsOf(client.text).at(-1)?.type).toBe('response.failed')
  })

  test('A cancellation that cannot be stored is not told to whoever listens.', async () => {
    const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
    const { client, gateway, clock, asked, frames } = await begin({ store })
    for (const frame of frames.slice(0, 3)) asked.data(frame)
    await clock.settle()
    store.failure = 'full'
    const cancel = sendTo(gateway, `/v1/responses/${idIn(client.text)}/cancel`, { method: 'POST' })
    await clock.advance(120_000)
    await Promise.all([cancel.done, client.done])
    expect(cancel.status).toBe(503)
    expect(eventsOf(client.text).at(-1)).toMatchObject(cutOff)
    expect(client.text).not.toContain('cancelled')
    store.failure = 'none'
    await clock.advance(10_000)
    const poll = sendTo(gateway, `/v1/responses/${idIn(client.text)}`)
    await poll.done
    expect(poll.json()).toMatchObject({ status: 'cancelled' })
    expect([clock.timers, gateway.active]).toEqual([0, 0])
  })

  test('Whoever goes on after the number of a failure that ended the listening misses no event.', async () => {
    const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
    const { client, gateway, clock, asked, frames } = await begin({ store })
    for (const frame of frames.slice(0, 3)) asked.data(frame)
    await clock.settle()
    store.failure = 'full'
    const cancel = sendTo(gateway, `/v1/responses/${idIn(client.text)}/cancel`, { method: 'POST' })
    await clock.advance(120_000)
    await Promise.all([cancel.done, client.done])
    const [last, cut] = eventsOf(client.text).slice(-2)
    expect(cut).toMatchObject({ ...cutOff, sequence_number: last?.sequence_number })
  })

  test('An answer that the store refuses for good is told and stored as failed.', async () => {
    const inner = createMemoryStore({ now: () => startOfTime })
    const saveResponse: typeof inner.saveResponse = async (record, events) => {
      if (record.status === 'completed') throw new StoreError('too_large', 'Too large.')
      await inner.saveResponse(record, events)
    }
    const store = new Proxy(inner, {
      get: (target, name) => (name === 'saveResponse' ? saveResponse : bound(target, name)),
    })
    const { client, gateway, clock, asked, frames } = await begin({ store })
    asked.data(frames.join('')).end()
    await clock.advance(1_000)
    await client.done
    expect(checkEventOrder('responses', client.text)).toEqual([])
    expect(lastOf(client.text)).toMatchObject({ status: 'failed' })
    const poll = sendTo(gateway, `/v1/responses/${idIn(client.text)}`)
    await poll.done
    expect(poll.json()).toEqual(lastOf(client.text))
    expect([clock.timers, gateway.active]).toEqual([0, 0])
  })

  test('The end of an answer that cannot be stored is not told, neither in the stream nor in a poll, before it is stored.', async () => {
    const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
    const { client, gateway, clock, asked, frames } = await begin({ store })
    store.failure = 'full'
    asked.data(frames.join('')).end()
    await clock.advance(120_000)
    await client.done
    const failed = { status: 'failed', error: { code: 'store_unavailable' } }
    expect(eventsOf(client.text).at(-1)).toMatchObject(cutOff)
    expect(lastOf(client.text)).toMatchObject({ status: 'in_progress' })
    const poll = async (): Promise<Json> => {
      const asked = sendTo(gateway, `/v1/responses/${idIn(client.text)}`)
      await asked.done
      return asked.json()
    }
    expect(await poll()).toMatchObject({ error: { code: 'store_unavailable' } })
    store.failure = 'none'
    expect(await poll()).toMatchObject(failed)
    expect([clock.timers, gateway.active]).toEqual([0, 0])
  })

  test('A background stream whose start cannot be stored fails, and no model is called.', async () => {
    const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
    const { gateway, clock, upstream } = createHarness({ store, heartbeatMs: 0 })
    const body = bodyFor('responses', { background: true, stream: true })
    const client = sendTo(gateway, paths.responses, { body })
    while (!store.calls.includes('saveResponse')) await Promise.resolve()
    store.failure = 'full'
    await clock.advance(120_000)
    await client.done
    expect(eventsOf(client.text).at(-1)).toMatchObject(cutOff)
    store.failure = 'none'
    await clock.advance(10_000)
    expect([upstream.requests.length, clock.timers, gateway.active]).toEqual([0, 0, 0])
  })

  test('A gateway that is closed leaves no listener waiting.', async () => {
    const { client, gateway, clock } = await begin()
    await gateway.close()
    await client.done
    expect([client.isEnded, clock.timers, gateway.active]).toEqual([true, 0, 0])
  })
})

describe('what cannot be streamed again', () => {
  const refusalOf = async ({ get }: Pick<Harness, 'get'>, path: string): Promise<[number, Json]> => {
    const told = await get(path)
    return [told.status, told.json().error as Json]
  }
  const gone = { param: 'stream', code: 'events_gone' }

  test('A response that was not streamed in the background cannot be streamed again.', async () => {
    const setting = openHarness('chat', [says('A.'), says('B.')])
    const first = (await setting.post('/v1/responses', { model: 'm', input: 'One.' })).json()
    const second = (await setting.post('/v1/responses', { ...ask, stream: false })).json()
    for (const { id } of [first, second]) {
      const [status, error] = await refusalOf(setting, `/v1/responses/${id}?stream=true`)
      expect([status, error]).toMatchObject([400, gone])
      expect(error.message).toMatch(/without "stream"/)
    }
  })

  test('The response of another client, or a deleted one, cannot be streamed again.', async () => {
    const { gateway } = openHarness('chat', [says('A.')], { keys: ['one', 'two'] })
    const mine = visitAs(gateway, 'one')
    const { text } = await mine.post('/v1/responses', ask)
    const path = `/v1/responses/${idIn(text)}`
    expect((await visitAs(gateway, 'two').get(`${path}?stream=true`)).status).toBe(404)
    await mine.remove(path)
    expect((await mine.get(`${path}?stream=true`)).status).toBe(404)
  })

  test('A response that another process has worked on cannot be streamed again.', async () => {
    const store = createMemoryStore()
    const { text } = await openHarness('chat', [says('A.')], { store }).post('/v1/responses', ask)
    const other = openHarness('chat', [], { store })
    expect(await refusalOf(other, `/v1/responses/${idIn(text)}?stream=true`)).toMatchObject([400, gone])
  })

  test.each(['-2', 'x', '1.5', ''])(
    'A replay from %j, which is not the number of an event, is refused.',
    async number => {
      const setting = openHarness('chat', [says('A.')])
      const { text } = await setting.post('/v1/responses', ask)
      const path = `/v1/responses/${idIn(text)}?stream=true&starting_after=${number}`
      expect(await refusalOf(setting, path)).toMatchObject([400, { param: 'starting_after' }])
    },
  )
})
