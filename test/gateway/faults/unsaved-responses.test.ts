/** The end of a background response and a store in trouble: it is kept as soon as possible, and never forgotten. */
import { expect, test } from 'vitest'
import { createUnsavedResponses } from '../../../packages/toolwire/src/gateway/responses-api/unsaved-responses.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { ResponseRecord, Store } from '../../../packages/toolwire/src/store/store.ts'
import { StoreError } from '../../../packages/toolwire/src/store/store-error.ts'
import { createManualClock, startOfTime } from '../../support/faults/clock.ts'
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

/** The gateway does not tell an end that the store may still take, and says when to ask again. */
async function pollInVain({ gateway, clock, id }: Working): Promise<void> {
  const client = sendTo(gateway, `/v1/responses/${id}`)
  await clock.settle()
  await client.done
  expect(client.status, client.text).toBe(503)
  expect(client.json()).toMatchObject({ error: { code: 'store_unavailable' } })
  expect(client.headers['retry-after']).toBe('5')
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

test('What is remembered of a long response is the failed one, not the pieces of the completed.', async () => {
  const store = createFailingStore(createMemoryStore({ now: () => startOfTime }))
  store.failure = 'full'
  const unsaved = createUnsavedResponses(store, createManualClock(), 1e9)
  const response = JSON.stringify({ id: 'resp_1', status: 'completed', output: [] })
  const key = { owner: 'ann', id: 'resp_1' }
  const record = {
    ...key,
    createdAt: 0,
    expiresAt: 1e15,
    status: 'completed',
    response,
    input: [],
    output: [],
  }
  const pieces = { responsePieces: [response.slice(0, 9), response.slice(9)] }
  const writer = unsaved.retryingWriter(AbortSignal.abort())
  await expect(writer.saveResponse({ ...record, ...pieces })).rejects.toThrow('full')
  store.failure = 'none'
  const found = await unsaved.takeUnsaved('ann', 'resp_1')
  if (found === undefined || found === 'over') throw new Error('It is not remembered.')
  expect(found.responsePieces).toBeUndefined()
  expect(JSON.parse(found.response)).toMatchObject({ status: 'failed' })
})

test('A response that a full store did not take is reported as failed as soon as that is stored.', async () => {
  const working = await begin()
  const { clock, store, inner, asked, facts, id, gateway } = working
  const before = store.calls.length
  store.failure = 'full'
  asked.json(200, await answerOf('chat'))
  await clock.advance(60_000)
  expect(gateway.active).toBe(0)
  const saves = store.calls.slice(before).filter(call => call === 'saveResponse').length
  expect(saves).toBeGreaterThan(3)
  expect(saves).toBeLessThan(12)
  expect(facts.at(-1)).toMatchObject({
    route: 'BACKGROUND /v1/responses',
    failure: { code: 'store_unavailable' },
  })
  const [owner] = facts.flatMap(({ owner: name }) => (name === undefined ? [] : [name]))
  await pollInVain(working)
  expect((await inner.getResponse(owner ?? '', id))?.status).toBe('in_progress')
  store.failure = 'none'
  expect(await poll(working)).toMatchObject(unavailable)
  expect((await inner.getResponse(owner ?? '', id))?.status).toBe('failed')
  expect(await poll(working)).toMatchObject(unavailable)
})

test('A response that a store did not take is stored later though nobody asks its own gateway for it.', async () => {
  const { clock, store, inner, asked, facts, id, gateway } = await begin()
  store.failure = 'full'
  asked.json(200, await answerOf('chat'))
  await clock.advance(60_000)
  const [owner = ''] = facts.flatMap(({ owner: name }) => (name === undefined ? [] : [name]))
  expect((await inner.getResponse(owner, id))?.status).toBe('in_progress')
  store.failure = 'none'
  await clock.advance(10_000)
  expect((await inner.getResponse(owner, id))?.status).toBe('failed')
  expect([clock.timers, gateway.active]).toEqual([0, 0])
})

test('An end that a store had taken, though it said otherwise, stays as it was taken.', async () => {
  const { clock, store, inner, asked, facts, id } = await begin()
  store.failure = 'full'
  asked.json(200, await answerOf('chat'))
  await clock.advance(60_000)
  const owner = facts.find(({ owner: name }) => name !== undefined)?.owner ?? ''
  const record = await inner.getResponse(owner, id)
  if (record === undefined) throw new Error('The response is not there.')
  await inner.saveResponse({ ...record, status: 'completed' })
  store.failure = 'none'
  await clock.advance(10_000)
  expect((await inner.getResponse(owner, id))?.status).toBe('completed')
  expect(clock.timers).toBe(0)
})

test('Whoever asks for an end that a store had taken, though it said otherwise, gets what was taken.', async () => {
  const working = await begin()
  const { clock, store, inner, asked, facts, id } = working
  store.failure = 'full'
  asked.json(200, await answerOf('chat'))
  await clock.advance(60_000)
  const owner = facts.find(({ owner: name }) => name !== undefined)?.owner ?? ''
  const record = await inner.getResponse(owner, id)
  if (record === undefined) throw new Error('The response is not there.')
  // Between the moment when the gateway reads it and the moment when it offers its own end.
  const { saveResponse } = inner
  inner.saveResponse = async (...args) => {
    inner.saveResponse = saveResponse
    await saveResponse.call(inner, { ...record, status: 'completed', response: '{"status":"completed"}' })
    await saveResponse.apply(inner, args)
  }
  store.failure = 'none'
  expect((await poll(working)).status).toBe('completed')
  expect(clock.timers).toBe(0)
})

test('An end that cannot be stored for its size is stored without what is long, and told only then.', async () => {
  const inner = createMemoryStore({ now: () => startOfTime, maxBytes: 20_000 })
  const unsaved = createUnsavedResponses(createFailingStore(inner), createManualClock(), 1e9)
  await inner.saveResponse(longRecord('resp_1', 'in_progress', 10))
  const writer = unsaved.retryingWriter(AbortSignal.abort())
  await expect(writer.saveResponse(longRecord('resp_1', 'completed', 30_000))).rejects.toThrow()
  const found = await unsaved.takeUnsaved('ann', 'resp_1')
  const response = { id: 'resp_1', status: 'failed', output: [], instructions: null, model: 'm' }
  expect(found).toMatchObject({ status: 'failed', input: [], output: [] })
  expect(JSON.parse((found as ResponseRecord).response)).toMatchObject(response)
  expect(await inner.getResponse('ann', 'resp_1')).toEqual(found)
})

test('Ends that take too much room are shortened, and none is forgotten for it.', async () => {
  const inner = createMemoryStore({ now: () => startOfTime })
  const store = createFailingStore(inner)
  const unsaved = createUnsavedResponses(store, createManualClock(), 50_000)
  const ids = ['resp_1', 'resp_2', 'resp_3']
  for (const id of ids) {
    await inner.saveResponse(longRecord(id, 'in_progress', 10))
    store.failure = 'full'
    const writer = unsaved.retryingWriter(AbortSignal.abort())
    await expect(writer.saveResponse(longRecord(id, 'completed', 40_000))).rejects.toThrow('full')
    store.failure = 'none'
  }
  for (const id of ids) expect(await unsaved.takeUnsaved('ann', id)).toMatchObject({ id, status: 'failed' })
})

function longRecord(id: string, status: string, length: number): ResponseRecord {
  const instructions = 'x'.repeat(length)
  const response = JSON.stringify({ id, status, model: 'm', instructions, output: [], tools: [] })
  return { owner: 'ann', id, createdAt: 0, expiresAt: 1e15, status, response, input: [], output: [] }
}

test('An end stays remembered while the store cannot delete the response.', async () => {
  const working = await begin()
  const { clock, store, inner, asked, gateway, id } = working
  store.failure = 'full'
  asked.json(200, await answerOf('chat'))
  await clock.advance(120_000)
  const { deleteResponse } = inner
  inner.deleteResponse = () => Promise.reject(new StoreError('unavailable', 'Not now.'))
  const client = sendTo(gateway, `/v1/responses/${id}`, { method: 'DELETE' })
  await client.done
  expect(client.status).toBe(503)
  inner.deleteResponse = deleteResponse
  store.failure = 'none'
  expect(await poll(working)).toMatchObject(unavailable)
})

test('A gateway that is closed offers nothing to a store any more.', async () => {
  const { clock, store, asked, gateway } = await begin()
  store.failure = 'full'
  asked.json(200, await answerOf('chat'))
  await clock.advance(60_000)
  expect(clock.timers).toBe(1)
  await gateway.close()
  expect(clock.timers).toBe(0)
})

test('A response that failed is reported with its own reason when it could not be stored.', async () => {
  const working = await begin()
  const { clock, store, asked } = working
  store.failure = 'full'
  asked.json(400, { error: { message: 'Too clever.', type: 'invalid_request_error' } })
  await clock.advance(120_000)
  await pollInVain(working)
  store.failure = 'none'
  expect(await poll(working)).toMatchObject({ status: 'failed', error: { message: 'Too clever.' } })
  const work = working.facts.find(({ route }) => route.startsWith('BACKGROUND'))
  expect(work?.failure?.code).toBe('upstream_400')
  expect(work?.internal).toContain('The disk is full.')
})

test('A response that was cancelled while the store is full counts as cancelled once that is stored.', async () => {
  const working = await begin()
  const { gateway, clock, store, id } = working
  store.failure = 'full'
  const client = sendTo(gateway, `/v1/responses/${id}/cancel`, { method: 'POST' })
  await clock.settle()
  await client.done
  expect(client.status).toBe(503)
  await pollInVain(working)
  store.failure = 'none'
  expect(await poll(working)).toMatchObject({ id, status: 'cancelled' })
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
