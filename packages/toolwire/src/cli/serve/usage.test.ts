import { expect, test } from 'vitest'
import { ownerWith } from '../../gateway/http/guard.ts'
import { pass } from '../../telemetry/exchange.test-helper.ts'
import type { ExchangeFacts } from '../../telemetry/observer.ts'
import { keepUsage } from './usage.ts'

const world = { every: () => () => {} }
const upstreams = [
  { name: 'hosted', wire: 'messages', baseUrl: 'https://api.anthropic.com/v1' },
  { name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' },
]
const usage = { input: 1e6, output: 0, cacheRead: 5e5 }

test.each([
  ['hosted', 'claude-opus-5', 2.75],
  ['hosted', 'claude-unheard-of', undefined],
  ['local', 'claude-opus-5', undefined],
  ['local', 'qwen3:8b', 0.1],
])('An exchange of %s with %s costs %s dollars.', async (upstream, model, cost) => {
  const prices = [{ model: 'qwen*', input: 0.1, output: 1, source: 'mine', date: '' }]
  const settings = { prices, tenants: [], upstreams }
  const keeping = keepUsage(() => settings, undefined, world)
  const facts: Partial<ExchangeFacts> = {
    route: 'POST /v1/messages',
    upstream,
    model: 'asked',
    upstreamModel: model,
    usage,
  }
  let seen: (number | undefined)[] = []
  pass(keeping.pricing, facts, ({ facts: all }) => {
    queueMicrotask(() => {
      seen = [all.cost, all.inputCost]
    })
  })
  await Promise.resolve()
  // Nothing was written, so all of it is for the input.
  expect(seen).toEqual([cost, cost])
  pass(keeping.observer, { ...facts, ...(cost !== undefined && { cost }) })
  expect(await keeping.read(0)).toMatchObject([
    { model, requests: 1, cost: (cost ?? 0) * 1e6, unpriced: cost === undefined ? 1 : 0 },
  ])
})

test('What a tenant has used is told under its name, and that of other keys under their owners.', async () => {
  const settings = { prices: [], tenants: [{ name: 'agents', key: 'a' }], upstreams }
  const keeping = keepUsage(() => settings, undefined, world)
  const facts = { route: 'POST /v1/messages', upstream: 'local', model: 'm', usage }
  for (const owner of [ownerWith('a'), ownerWith('b')]) pass(keeping.observer, { ...facts, owner })
  expect(await keeping.read(0)).toMatchObject([{ owner: 'agents' }, { owner: ownerWith('b') }])
  expect(await keeping.read(0, ownerWith('a'))).toMatchObject([{ owner: 'agents' }])
})

test('Prices and upstreams of a configuration that was read again count from then on.', async () => {
  const price = { model: 'm', output: 1, source: 'mine', date: '' }
  let settings = { prices: [{ ...price, input: 1 }], tenants: [], upstreams }
  const keeping = keepUsage(() => settings, undefined, world)
  const costs: (number | undefined)[] = []
  const exchange = {
    route: 'POST /v1/messages',
    upstream: 'local',
    model: 'm',
    usage: { input: 1e6, output: 0 },
  }
  const cost = (): void =>
    pass(keeping.pricing, exchange, ({ facts }) => queueMicrotask(() => costs.push(facts.cost)))
  cost()
  await Promise.resolve()
  settings = { ...settings, prices: [{ ...price, input: 3 }] }
  cost()
  await Promise.resolve()
  expect(costs).toEqual([1, 3])
})

test.each([
  { input: 1000, long: false },
  { input: 3000, long: true },
])(
  'What came from the cache is priced apart, also at the rates of long inputs ($input tokens).',
  async ({ input, long }) => {
    const rates = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12 }
    const dear = { input: 20, output: 100, cacheRead: 4, cacheWrite: 24 }
    const prices = [{ model: 'm', ...rates, long: { above: 2000, ...dear }, source: 'mine', date: '' }]
    const settings = { prices, tenants: [], upstreams }
    const keeping = keepUsage(() => settings, undefined, world)
    let seen: number | undefined
    const used = { input, output: 7, cacheRead: 600, cacheWrite: 100 }
    const facts = { upstream: 'local', model: 'm', upstreamModel: 'm', usage: used }
    pass(keeping.pricing, facts, ({ facts: all }) => {
      queueMicrotask(() => {
        seen = all.cachedCost
      })
    })
    await Promise.resolve()
    expect(seen).toBeCloseTo((600 * (long ? 4 : 1)) / 1e6, 9)
  },
)
