import { describe, expect, test } from 'vitest'
import { turnsDuring } from '../../../../../test/support/house/turns-during.ts'
import type { Settings } from '../../config/config.ts'
import { pass, wholeExchange } from '../../telemetry/exchange.test-helper.ts'
import type { Handler } from '../cluster/calls.ts'
import type { Peers } from '../cluster/peers.ts'
import { createStage } from './environment.test-helper.ts'
import { watchersFor } from './observers.ts'
import { keepUsage } from './usage.ts'

const settings = {
  log: {},
  trace: {},
  otel: false,
  keys: [],
  operatorKeys: [],
  sealKeys: [],
  prices: [],
  tenants: [],
  upstreams: [],
} as unknown as Settings

test('Another process that asks what was used, or how often, is told of what has ended until then.', async () => {
  const handlers = new Map<string, Handler>()
  const peers: Peers = {
    isSpeaker: true,
    askOthers: async () => [],
    askPrimary: async () => '',
    onConnection: () => {},
    on: (name, handler) => void handlers.set(name, handler),
  }
  const usage = keepUsage(() => settings, undefined, { every: () => () => {} }, peers)
  const about = { version: '1', store: 'none', usage, peers }
  const { watching, close } = await watchersFor(settings, about, createStage({}).io)
  if (watching.observer !== undefined) pass(watching.observer, wholeExchange)
  expect(await handlers.get('usage-rows')?.()).toMatchObject([{ requests: 1, input: 1200 }])
  if (watching.observer !== undefined) pass(watching.observer, wholeExchange)
  expect(await handlers.get('own-metrics')?.()).toMatch(/toolwire_requests_total\{.*\} 2/)
  await close()
})

test('Whoever reads is told of what has ended until then, and whoever closes of the rest.', async () => {
  const usage = keepUsage(() => settings, undefined, { every: () => () => {} })
  const { io, printed } = createStage({})
  const about = { version: '1', store: 'none', usage }
  const { watching, close } = await watchersFor(settings, about, io)
  const { observer, traces, metrics } = watching
  if (observer === undefined) return expect.fail()
  pass(observer, { ...wholeExchange, id: 'req_listed' })
  expect(await traces?.list(9)).toMatchObject([{ id: 'req_listed', state: 'ended' }])
  pass(observer, wholeExchange)
  expect(await watching.usage?.(0)).toMatchObject([{ requests: 2 }])
  pass(observer, wholeExchange)
  expect(await metrics?.()).toMatch(/toolwire_requests_total\{.*\} 3/)
  pass(observer, wholeExchange)
  await close()
  expect(printed.stderr.trim().split('\n')).toHaveLength(4)
  expect(usage.rows()).toMatchObject([{ requests: 4 }])
})

describe('whoever reads the traces of a gateway that serves others', () => {
  const long = 'x'.repeat(600_000)
  const exchanges = 8

  async function watched() {
    const { watching } = await watchersFor(settings, { version: '1', store: 'none' }, createStage({}).io)
    const { observer, traces } = watching
    if (observer === undefined || traces === undefined) return expect.fail()
    const watch = traces.watch?.()
    for (let i = 0; i < exchanges; i++) {
      pass(observer, { ...wholeExchange, id: `req_${i}` }, observation => {
        const body = JSON.stringify({ messages: [{ role: 'user', content: `${i} ${long}` }] })
        for (const name of ['client-request', 'upstream-request', 'client-answer'] as const)
          observation.view(name, Buffer.from(body))
      })
    }
    return { traces, watch }
  }

  test('The list lets others have a turn after each long request.', async () => {
    const { traces } = await watched()
    let list: readonly unknown[] = []
    const turns = await turnsDuring(async () => {
      list = await traces.list(10)
    })
    expect(list.length).toBe(exchanges)
    expect(turns).toBeGreaterThanOrEqual(exchanges)
  })

  test('So do the news of those who watch.', async () => {
    const { watch } = await watched()
    expect(await turnsDuring(() => watch?.take())).toBeGreaterThanOrEqual(exchanges)
  })

  test('One exchange is read view by view.', async () => {
    const { traces } = await watched()
    await traces.list(1)
    expect(await turnsDuring(() => traces.get('req_1'))).toBeGreaterThanOrEqual(3)
  })
})
