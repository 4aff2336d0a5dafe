/** A store in trouble: it harms only those who need it, and they hear of it before a model is paid for. */
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { StoreError } from '../../../packages/toolwire/src/store/store-error.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { FailingStore, StoreFailure } from '../../support/faults/store.ts'
import { createFailingStore } from '../../support/faults/store.ts'
import { answerOf, bodyFor, endOf, errorIn, framesOf, paths, textTurn } from '../../support/faults/wires.ts'
import { checkEventOrder } from '../../support/streams/event-order.ts'

interface Troubled extends Harness {
  readonly store: FailingStore
}

async function createTroubled(): Promise<Troubled> {
  const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
  const whole = await answerOf('chat')
  const frames = await framesOf('chat', textTurn)
  const setting = createHarness({
    store,
    heartbeatMs: 0,
    answer(asked) {
      if (asked.body.stream === true) asked.stream().data(frames.join('')).end()
      else asked.json(200, whole)
    },
  })
  return { ...setting, store }
}

async function ask(setting: Harness, target: string, body?: object): Promise<ReceivedAnswer> {
  const client = sendTo(setting.gateway, target, body === undefined ? {} : { body })
  // Longer than a store may take to answer.
  await setting.clock.advance(60_000)
  await client.done
  return client
}

describe.each<StoreFailure>(['down', 'silent'])('a store that is %s', trouble => {
  test('Requests that store nothing do not need the store.', async () => {
    const setting = await createTroubled()
    setting.store.failure = trouble
    for (const stream of [false, true]) {
      const answers = [
        await ask(setting, paths.chat, bodyFor('chat', { stream })),
        await ask(setting, paths.messages, bodyFor('messages', { stream })),
        await ask(setting, paths.responses, bodyFor('responses', { stream, store: false })),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    }
    // The key of the seal is asked for; as long as there is no answer, the gateway's own is used.
    expect(setting.store.calls.filter(call => call !== 'secret')).toEqual([])
  })

  test.each([
    ['whole', {}],
    ['streamed', { stream: true }],
    ['in the background', { background: true }],
    ['continued', { previous_response_id: 'resp_1' }],
    ['in a conversation', { conversation: 'conv_1' }],
    ['with a reference', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ])('A response that cannot be stored is refused before the model is called: %s.', async (_, more) => {
    const setting = await createTroubled()
    setting.store.failure = trouble
    const client = await ask(setting, paths.responses, bodyFor('responses', more))
    expect(client.status).toBe(503)
    expect(client.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(errorIn('responses', client.json())).toMatch(/^The store is not available: /)
    expect(client.text).toContain('store_unavailable')
    expect(setting.upstream.requests.length).toBe(0)
    expect(setting.clock.timers).toBe(0)
  })

  test('With a store in trouble the gateway is live but not ready.', async () => {
    const setting = await createTroubled()
    expect((await ask(setting, '/ready')).status).toBe(200)
    setting.store.failure = trouble
    const ready = await ask(setting, '/ready')
    expect(ready.status).toBe(503)
    expect(ready.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(ready.json().status).toBe('store unavailable')
    expect((await ask(setting, '/live')).status).toBe(200)
    setting.store.failure = 'none'
    expect((await ask(setting, '/ready')).status).toBe(200)
    expect((await ask(setting, paths.responses, bodyFor('responses'))).status).toBe(200)
  })

  test('The routes that read the store report its trouble.', async () => {
    const setting = await createTroubled()
    setting.store.failure = trouble
    for (const path of [
      '/v1/responses/resp_1',
      '/v1/responses/resp_1/input_items',
      '/v1/conversations/conv_1',
    ]) {
      const client = await ask(setting, path)
      expect(client.status).toBe(503)
      expect(errorIn('responses', client.json())).toContain('store')
    }
  })

  test('An answer that cannot be stored does not count as completed.', async () => {
    const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
    const { gateway, upstream, clock } = createHarness({ store, heartbeatMs: 0 })
    const whole = sendTo(gateway, paths.responses, { body: bodyFor('responses') })
    const asked = await upstream.next()
    store.failure = trouble
    asked.json(200, await answerOf('chat'))
    await clock.advance(60_000)
    await whole.done
    expect(whole.status).toBe(503)

    store.failure = 'none'
    const streamed = sendTo(gateway, paths.responses, { body: bodyFor('responses', { stream: true }) })
    const again = await upstream.next()
    again.stream()
    await clock.settle()
    const frames = await framesOf('chat', textTurn)
    for (const frame of frames.slice(0, 2)) again.data(frame)
    await clock.settle()
    store.failure = trouble
    again.data(frames.slice(2).join('')).end()
    await clock.advance(60_000)
    await streamed.done
    expect(endOf('responses', streamed.text)).toEqual({
      end: 'failed',
      message: expect.stringMatching(/^The store is not available: /),
    })
    expect(checkEventOrder('responses', streamed.text)).toEqual([])
    // It is offered to the store until it is certain what became of it.
    store.failure = 'none'
    await clock.advance(20_000)
    expect(clock.timers).toBe(0)
  })
})

test('On a full disk nothing is sent upstream that cannot be stored, and reading and deleting go on.', async () => {
  const setting = await createTroubled()
  const stored = (await ask(setting, paths.responses, bodyFor('responses'))).json()
  const created = (await ask(setting, '/v1/conversations', { items: [] })).json()
  setting.store.failure = 'full'
  const sent = setting.upstream.requests.length
  const ready = await ask(setting, '/ready')
  expect([ready.status, ready.json()]).toEqual([
    503,
    { status: 'store unavailable', reason: 'The disk is full.' },
  ])
  for (const more of [{}, { stream: true }, { background: true }, { previous_response_id: stored.id }]) {
    const client = await ask(setting, paths.responses, bodyFor('responses', more))
    expect([client.status, client.text]).toEqual([503, expect.stringContaining('The disk is full.')])
  }
  expect(setting.upstream.requests.length).toBe(sent)
  expect((await ask(setting, paths.chat, bodyFor('chat'))).status).toBe(200)
  expect((await ask(setting, paths.responses, bodyFor('responses', { store: false }))).status).toBe(200)
  for (const path of [`/v1/responses/${stored.id}`, `/v1/conversations/${created.id}`]) {
    expect((await ask(setting, path)).status).toBe(200)
    const deleted = sendTo(setting.gateway, path, { method: 'DELETE' })
    await deleted.done
    expect(deleted.json()).toMatchObject({ deleted: true })
    expect((await ask(setting, path)).status).toBe(404)
  }
  setting.store.failure = 'none'
  expect((await ask(setting, '/ready')).status).toBe(200)
})

test('A closed store counts as unavailable.', async () => {
  const setting = await createTroubled()
  await setting.store.close()
  expect((await ask(setting, '/ready')).status).toBe(503)
  expect((await ask(setting, paths.responses, bodyFor('responses'))).status).toBe(503)
  expect((await ask(setting, paths.chat, bodyFor('chat'))).status).toBe(200)
  expect(setting.upstream.requests.length).toBe(1)
})

describe('the end of a stream whose receipt is lost', () => {
  async function stream(
    lost: number,
    isTaken: boolean,
  ): Promise<Harness & { readonly client: ReceivedAnswer }> {
    const inner = createMemoryStore({ now: () => startOfTime })
    const frames = await framesOf('chat', textTurn)
    const { saveResponse } = inner
    let left = lost
    inner.saveResponse = async (record, events) => {
      if (left <= 0 || isTaken) await saveResponse.call(inner, record, events)
      if (left-- > 0) throw new StoreError('unavailable', 'The connection was lost.')
    }
    const setting = createHarness({ store: inner, heartbeatMs: 0 })
    const client = sendTo(setting.gateway, paths.responses, { body: bodyFor('responses', { stream: true }) })
    const asked = await setting.upstream.next()
    asked.stream().data(frames[0] ?? '')
    await setting.clock.settle()
    asked.data(frames.slice(1).join('')).end()
    // Not so long that it is offered again.
    await setting.clock.advance(5_000)
    await client.done
    expect(checkEventOrder('responses', client.text)).toEqual([])
    return { ...setting, client }
  }
  const poll = async ({ gateway }: Harness, { text }: ReceivedAnswer): Promise<unknown> => {
    const asked = sendTo(gateway, `/v1/responses/${/"id":"(resp_\w+)"/.exec(text)?.[1]}`)
    await asked.done
    return asked.json().status
  }

  test.each([1, 2])('After %i losses it is told as it was stored.', async lost => {
    for (const isTaken of [true, false]) {
      const setting = await stream(lost, isTaken)
      expect(setting.client.text).toContain('event: response.completed')
      expect(await poll(setting, setting.client)).toBe('completed')
      expect(setting.clock.timers).toBe(0)
    }
  })

  test('What no store takes is told as failed, and stored so as soon as there is one.', async () => {
    const setting = await stream(3, false)
    expect(setting.client.text).toContain('event: response.failed')
    expect(await poll(setting, setting.client)).toBeUndefined()
    await setting.clock.advance(20_000)
    expect(await poll(setting, setting.client)).toBe('failed')
    expect(setting.clock.timers).toBe(0)
  })
})
