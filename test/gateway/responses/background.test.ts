/** Responses that are worked on while nobody waits: a receipt at once, and the rest whenever it is asked for. */
import { createTestHost, fails, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Harness, Json } from '../../support/open-responses/gateway.ts'
import { clientOf, openHarness, until } from '../../support/open-responses/gateway.ts'
import { checkResponse } from '../../support/open-responses/schema.ts'

const ask = { model: 'm', input: 'One.', background: true }

/** A model that answers when it is told to. */
function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open: () => open() }
}

async function start({ post }: Pick<Harness, 'post'>, body: Json = {}): Promise<Json> {
  const told = await post('/v1/responses', { ...ask, ...body })
  expect(told.status, told.text).toBe(200)
  return told.json()
}

const poll = ({ get }: Pick<Harness, 'get'>, id: unknown, status: string): Promise<Json> =>
  until(
    () => get(`/v1/responses/${id}`),
    body => body.status === status,
  )

describe.each(['chat', 'messages', 'responses'] as const)('in the background, over %s', wire => {
  const upstream = { state: 'gateway' } as const

  test('A background response is queued, in progress and completed, always as the contract demands.', async () => {
    const gate = createGate()
    const setting = openHarness(wire, [() => gate.opened.then(() => says('Done.', { reasoning: 'Hm.' }))], {
      upstream,
    })
    const receipt = await start(setting, { instructions: 'Be brief.', metadata: { a: 'b' } })
    expect(checkResponse(receipt)).toEqual([])
    expect(receipt).toMatchObject({
      status: 'queued',
      background: true,
      output: [],
      usage: null,
      instructions: 'Be brief.',
      metadata: { a: 'b' },
    })
    const working = await poll(setting, receipt.id, 'in_progress')
    expect(checkResponse(working)).toEqual([])
    gate.open()
    const done = await poll(setting, receipt.id, 'completed')
    expect(checkResponse(done)).toEqual([])
    expect(done).toMatchObject({ id: receipt.id, background: true, created_at: receipt.created_at })
    expect((done.output as Json[]).map(({ type }) => type)).toEqual(['reasoning', 'message'])
  })

  test('The upstream does not learn that a response runs in the background, and nothing is lost.', async () => {
    const setting = openHarness(wire, [says('A.')], { losses: 'strict', upstream })
    const { id } = await start(setting)
    await poll(setting, id, 'completed')
    expect(Object.keys(setting.model.requests[0]?.body ?? {})).not.toContain('background')
  })

  test('A background response that the upstream refuses fails with the message of the upstream.', async () => {
    const setting = openHarness(wire, [fails(400, 'Too clever.')], { upstream })
    const { id } = await start(setting)
    const failed = await poll(setting, id, 'failed')
    expect(checkResponse(failed)).toEqual([])
    expect(failed.error).toEqual({ code: expect.any(String), message: 'Too clever.' })
  })

  test('A background response fails when the upstream cannot be reached.', async () => {
    const setting = openHarness(wire, [{ fault: 'unreachable' }], { upstream })
    const { id } = await start(setting)
    expect((await poll(setting, id, 'failed')).error).toMatchObject({ code: 'upstream_unreachable' })
  })

  test('A completed background response can be continued like any other.', async () => {
    const setting = openHarness(wire, [says('A.'), says('B.')], { upstream })
    const { id } = await start(setting)
    await poll(setting, id, 'completed')
    await start(setting, { previous_response_id: id, input: 'Two.', background: false })
    expect(JSON.stringify(setting.model.requests[1]?.body)).toMatch(/One\..*A\..*Two\./)
  })
})

describe('cancel', () => {
  const openStalled = (): Harness => openHarness('chat', [says('Never.', { fault: { stall: 0 } })])

  test('Cancelling ends the work and returns the cancelled response.', async () => {
    const setting = openStalled()
    const { id } = await start(setting)
    const told = await setting.post(`/v1/responses/${id}/cancel`, {})
    expect([told.status, told.json()]).toMatchObject([200, { id, status: 'cancelled', error: null }])
    expect(checkResponse(told.json())).toEqual([])
    expect((await setting.get(`/v1/responses/${id}`)).json()).toEqual(told.json())
  })

  test('Cancelling twice, or after the end, changes nothing.', async () => {
    const setting = openHarness('chat', [says('A.'), says('Never.', { fault: { stall: 0 } })])
    const first = await start(setting)
    const done = await poll(setting, first.id, 'completed')
    expect((await setting.post(`/v1/responses/${first.id}/cancel`, {})).json()).toEqual(done)
    const second = await start(setting)
    const cancelled = await setting.post(`/v1/responses/${second.id}/cancel`, {})
    expect((await setting.post(`/v1/responses/${second.id}/cancel`, {})).json()).toEqual(cancelled.json())
  })

  test('Cancelling a response that is not in the background is refused.', async () => {
    const setting = openHarness('chat', [says('A.')])
    const { id } = await start(setting, { background: false })
    const told = await setting.post(`/v1/responses/${id}/cancel`, {})
    expect([told.status, told.json().error]).toMatchObject([400, { code: 'not_a_background_response' }])
  })

  test('Cancelling the response of another client is refused, and the response goes on.', async () => {
    const gate = createGate()
    const { gateway } = openHarness('chat', [() => gate.opened.then(() => says('A.'))], {
      keys: ['one', 'two'],
    })
    const mine = clientOf(gateway, 'one')
    const { id } = await start(mine)
    expect((await clientOf(gateway, 'two').post(`/v1/responses/${id}/cancel`, {})).status).toBe(404)
    gate.open()
    await poll(mine, id, 'completed')
  })

  test('Deleting a background response ends the work as well.', async () => {
    const setting = openStalled()
    const { id } = await start(setting)
    await poll(setting, id, 'in_progress')
    expect((await setting.remove(`/v1/responses/${id}`)).json()).toMatchObject({ deleted: true })
    expect((await setting.get(`/v1/responses/${id}`)).status).toBe(404)
    const work = setting.facts.find(({ route }) => route.startsWith('BACKGROUND'))
    expect(work?.failure?.code).toBe('cancelled')
    expect(work?.abandoned).toBe(true)
  })
})

describe('what cannot be done in the background', () => {
  test.each([
    ['what is not to be stored', { store: false }, 'background'],
    ['nor as a stream', { store: false, stream: true }, 'background'],
  ])('A background response is refused: %s.', async (_, more, param) => {
    const { post, model } = openHarness('chat', [])
    const told = await post('/v1/responses', { ...ask, ...more })
    expect([told.status, told.json().error]).toMatchObject([400, { param }])
    expect(model.requests).toEqual([])
  })
})

test('A gateway that is closed leaves no response in progress.', async () => {
  const store = createMemoryStore()
  const setting = openHarness('chat', [says('Never.', { fault: { stall: 0 } })], { store })
  const { id } = await start(setting)
  await setting.gateway.close()
  const { get } = openHarness('chat', [], { store })
  const failed = (await get(`/v1/responses/${id}`)).json()
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'server_restart' } })
  expect(checkResponse(failed)).toEqual([])
})

test('A background response that takes too long fails.', async () => {
  const host = createTestHost()
  const clock = { now: host.now, date: () => 1_800_000_000_000 + host.now(), after: host.after }
  const setting = openHarness('chat', [says('Never.', { fault: { stall: 0 } })], {
    clock,
    store: createMemoryStore({ now: clock.date }),
    upstream: { timeouts: { firstByteMs: 5_000 } },
  })
  const { id } = await start(setting)
  await poll(setting, id, 'in_progress')
  await until(
    async () => {
      await host.advance(1_000)
      return setting.get(`/v1/responses/${id}`)
    },
    ({ status }) => status === 'failed',
  )
  const { error } = (await setting.get(`/v1/responses/${id}`)).json()
  expect(error).toMatchObject({ code: 'upstream_first_byte_timeout' })
})
