/** The end of a background response and a store in trouble: it is kept as soon as possible, and never forgotten. */
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { FailingStore, StoreFailure } from '../../support/faults/store.ts'
import { createFailingStore } from '../../support/faults/store.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, paths } from '../../support/faults/wires.ts'
import { collectFacts } from '../../support/gateway/watch-facts.ts'

interface Working extends Harness {
  readonly inner: Store
  readonly store: FailingStore
  readonly facts: ReturnType<typeof collectFacts>['facts']
  readonly id: string
  readonly asked: PendingRequest
}

/** A background response whose upstream has been asked. */
async function begin(): Promise<Working> {
  const inner = createMemoryStore({ now: () => startOfTime })
  const store = createFailingStore(inner)
  const { observer, facts } = collectFacts()
  const setting = createHarness({ store, observer, heartbeatMs: 0 })
  const client = sendTo(setting.gateway, paths.responses, {
    body: bodyFor('responses', { background: true }),
  })
  await client.done
  const asked = await setting.upstream.next()
  return { ...setting, inner, store, facts, id: String(client.json().id), asked }
}

async function poll({ gateway, clock, id }: Working): Promise<Record<string, unknown>> {
  const client = sendTo(gateway, `/v1/responses/${id}`)
  await clock.settle()
  await client.done
  expect(client.status, client.text).toBe(200)
  return client.json()
}

const unavailable = { status: 'failed', completed_at: null, error: { code: 'store_unavailable' } }

test.each<StoreFailure>(['full', 'down', 'silent'])(
  'A response that a store did not take while it was %s is completed once the store works again.',
  async trouble => {
    const working = await begin()
    const { clock, store, asked } = working
    store.failure = trouble
    asked.json(200, await answerOf('chat'))
    await clock.advance(3_000)
    store.failure = 'none'
    expect((await poll(working)).status).toBe('in_progress')
    await clock.advance(30_000)
    expect(await poll(working)).toMatchObject({ status: 'completed', error: null })
    expect([clock.timers, working.gateway.active]).toEqual([0, 0])
    expect(working.facts.at(-2)).toMatchObject({ route: 'BACKGROUND /v1/responses', finish: 'stop' })
    expect(working.facts.at(-2)?.failure).toBeUndefined()
  },
)

test('A response that a full store did not take is reported as failed, and stored later.', async () => {
  const working = await begin()
  const { clock, store, inner, asked, facts, id, gateway } = working
  const before = store.calls.length
  store.failure = 'full'
  asked.json(200, await answerOf('chat'))
  await clock.advance(120_000)
  expect([clock.timers, gateway.active]).toEqual([0, 0])
  const saves = store.calls.slice(before).filter(call => call === 'saveResponse').length
  expect(saves).toBeGreaterThan(3)
  expect(saves).toBeLessThan(12)
  expect(facts.at(-1)).toMatchObject({
    route: 'BACKGROUND /v1/responses',
    failure: { code: 'store_unavailable' },
  })
  const [owner] = facts.flatMap(({ owner: name }) => (name === undefined ? [] : [name]))
  expect(await poll(working)).toMatchObject(unavailable)
  expect((await inner.getResponse(owner ?? '', id))?.status).toBe('in_progress')
  store.failure = 'none'
  expect(await poll(working)).toMatchObject(unavailable)
  expect((await inner.getResponse(owner ?? '', id))?.status).toBe('failed')
  expect(await poll(working)).toMatchObject(unavailable)
})

test('A response that failed is reported with its own reason when it could not be stored.', async () => {
  const working = await begin()
  const { clock, store, asked } = working
  store.failure = 'full'
  asked.json(400, { error: { message: 'Too clever.', type: 'invalid_request_error' } })
  await clock.advance(120_000)
  expect(await poll(working)).toMatchObject({ status: 'failed', error: { message: 'Too clever.' } })
  const work = working.facts.find(({ route }) => route.startsWith('BACKGROUND'))
  expect(work?.failure?.code).toBe('upstream_400')
  expect(work?.internal).toContain('The disk is full.')
})

test('A response that was cancelled while the store is full counts as cancelled.', async () => {
  const working = await begin()
  const { gateway, clock, store, id } = working
  store.failure = 'full'
  const client = sendTo(gateway, `/v1/responses/${id}/cancel`, { method: 'POST' })
  await clock.settle()
  await client.done
  expect(client.json()).toMatchObject({ id, status: 'cancelled' })
})

test('A gateway that is closed does not wait for a store in trouble.', async () => {
  const { clock, store, asked, gateway } = await begin()
  store.failure = 'full'
  asked.json(200, await answerOf('chat'))
  await clock.advance(1_000)
  expect(gateway.active).toBe(1)
  await gateway.close()
  expect([clock.timers, gateway.active]).toEqual([0, 0])
})

test('A deleted response is gone, though its end was never stored.', async () => {
  const working = await begin()
  const { clock, store, asked, gateway, id } = working
  store.failure = 'full'
  asked.json(200, await answerOf('chat'))
  await clock.advance(120_000)
  await sendTo(gateway, `/v1/responses/${id}`, { method: 'DELETE' }).done
  store.failure = 'none'
  const client = sendTo(gateway, `/v1/responses/${id}`)
  await client.done
  expect(client.status).toBe(404)
})
