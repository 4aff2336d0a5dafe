/** Two gateways on one store: what one is told, the other obeys, and what a dead one leaves is ended. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { openSqliteStore } from '../../../packages/toolwire/src/store/sqlite-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import type { ManualClock } from '../../support/faults/clock.ts'
import { createManualClock, startOfTime } from '../../support/faults/clock.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { createFakeUpstream } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, framesOf, paths, textTurn } from '../../support/faults/wires.ts'

let folder = ''
const stores: Store[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-shared-'))
})
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const now = (): number => startOfTime

async function openTwo(kind: string): Promise<readonly [Store, Store]> {
  const open = (): Promise<Store> => openSqliteStore({ path: join(folder, 'store.db'), now })
  const memory = createMemoryStore({ now })
  const two = kind === 'memory' ? ([memory, memory] as const) : ([await open(), await open()] as const)
  stores.push(...two)
  return two
}

interface Two {
  readonly clock: ManualClock
  /** The gateway that works on the response, and another one. */
  readonly worker: Gateway
  readonly other: Gateway
  readonly asked: PendingRequest
  readonly id: string
}

async function begin(kind: string, more: object = {}): Promise<Two> {
  const clock = createManualClock()
  const { transport, next } = createFakeUpstream()
  const upstreams = [{ name: 'up', wire: 'chat', baseUrl: 'http://up.test/v1', transport }]
  const [worker, other] = (await openTwo(kind)).map(store =>
    createGateway({ upstreams, clock, store, heartbeatMs: 0 }),
  ) as [Gateway, Gateway]
  const client = sendTo(worker, paths.responses, {
    body: bodyFor('responses', { background: true, ...more }),
  })
  const asked = await next()
  await clock.settle()
  const id = /"id":"(resp_\w+)"/.exec(client.text)?.[1] ?? ''
  return { clock, worker, other, asked, id }
}

async function ask({ clock }: Two, gateway: Gateway, path: string, method = 'GET'): Promise<ReceivedAnswer> {
  const client = sendTo(gateway, path, { method })
  for (let waited = 0; waited < 15_000 && !client.isEnded; waited += 100) await clock.advance(100)
  await client.done
  return client
}

/** Its last events are on their way to the store, which has a thread of its own. */
async function idle({ clock, worker }: Two): Promise<void> {
  while (worker.active > 0) await clock.advance(100)
}

describe.each(['sqlite', 'memory'])('two gateways on one %s store', kind => {
  test.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('A cancellation reaches the gateway that works on the response: %s.', async (_, more) => {
    const two = await begin(kind, more)
    const cancelled = await ask(two, two.other, `/v1/responses/${two.id}/cancel`, 'POST')
    expect([cancelled.status, cancelled.json().status]).toEqual([200, 'cancelled'])
    expect(two.asked.isAborted).toBe(true)
    await idle(two)
    const read = await ask(two, two.worker, `/v1/responses/${two.id}`)
    expect(read.json()).toMatchObject({ status: 'cancelled', error: null })
    expect(two.clock.timers).toBe(0)
  })

  test.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('A response that the other gateway deletes stays deleted, and its work ends: %s.', async (_, more) => {
    const two = await begin(kind, more)
    const deleted = await ask(two, two.other, `/v1/responses/${two.id}`, 'DELETE')
    expect(deleted.json()).toMatchObject({ deleted: true })
    await two.clock.advance(2_000)
    expect(two.asked.isAborted).toBe(true)
    await idle(two)
    for (const gateway of [two.worker, two.other]) {
      expect((await ask(two, gateway, `/v1/responses/${two.id}`)).status).toBe(404)
    }
    expect(two.clock.timers).toBe(0)
  })

  test('A response that ends at the moment it is deleted elsewhere stays deleted.', async () => {
    const two = await begin(kind, { stream: true })
    await ask(two, two.other, `/v1/responses/${two.id}`, 'DELETE')
    two.asked
      .stream()
      .data((await framesOf('chat', textTurn)).join(''))
      .end()
    await two.clock.advance(60_000)
    for (const gateway of [two.worker, two.other]) {
      expect((await ask(two, gateway, `/v1/responses/${two.id}`)).status).toBe(404)
    }
    expect([two.worker.active, two.clock.timers]).toEqual([0, 0])
  })

  test('A response that has ended before the cancellation is returned as it is.', async () => {
    const two = await begin(kind)
    two.asked.json(200, await answerOf('chat'))
    await two.clock.advance(100)
    const cancelled = await ask(two, two.other, `/v1/responses/${two.id}/cancel`, 'POST')
    expect([cancelled.status, cancelled.json().status]).toEqual([200, 'completed'])
    expect(two.clock.timers).toBe(0)
  })
})
