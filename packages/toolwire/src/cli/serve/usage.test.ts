import { expect, test } from 'vitest'
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
  const keeping = keepUsage({ prices }, upstreams, undefined, world)
  const facts: Partial<ExchangeFacts> = {
    route: 'POST /v1/messages',
    upstream,
    model: 'asked',
    upstreamModel: model,
    usage,
  }
  let seen: number | undefined
  pass(keeping.pricing, facts, ({ facts: all }) => {
    queueMicrotask(() => {
      seen = all.cost
    })
  })
  await Promise.resolve()
  expect(seen).toBe(cost)
  pass(keeping.observer, { ...facts, ...(cost !== undefined && { cost }) })
  expect(await keeping.read(0)).toMatchObject([
    { model, requests: 1, cost: (cost ?? 0) * 1e6, unpriced: cost === undefined ? 1 : 0 },
  ])
})
