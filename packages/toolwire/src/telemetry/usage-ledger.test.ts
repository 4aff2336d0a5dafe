import { expect, test } from 'vitest'
import { turnsDuring } from '../../../../test/support/house/turns-during.ts'
import type { UsageRow } from '../platform/usage-row.ts'
import { hourMs } from '../platform/usage-row.ts'
import { noon, pass } from './exchange.test-helper.ts'
import type { ExchangeFacts } from './observer.ts'
import { flushUsage, readUsage, UsageLedger } from './usage-ledger.ts'

const exchange: Partial<ExchangeFacts> = {
  route: 'POST /v1/responses',
  model: 'gpt-5',
  upstream: 'local',
  upstreamModel: 'qwen3',
  client: 'codex_cli_rs',
  owner: 'me',
  status: 200,
  usage: { input: 100, output: 10, cacheRead: 40 },
}

test('Exchanges are added up by hour, model, upstream, client and key.', async () => {
  const ledger = new UsageLedger()
  pass(ledger.observer, { ...exchange, cost: 0.25 })
  pass(ledger.observer, { ...exchange, cost: 0.5 })
  pass(ledger.observer, { ...exchange, at: noon + hourMs, status: 502, failure: { code: 'x', message: '' } })
  pass(ledger.observer, { ...exchange, owner: 'you' })
  // A background response is counted by the exchange that works on it.
  pass(ledger.observer, { ...exchange, finish: 'queued' })
  // Neither reached a model.
  pass(ledger.observer, { route: 'GET /live', status: 200 })
  pass(ledger.observer, { route: 'POST /v1/responses', status: 401, model: 'gpt-5' })
  expect(ledger.rows().map(({ hour, owner, requests }) => [hour - noon / hourMs, owner, requests])).toEqual([
    [0, 'me', 2],
    [1, 'me', 1],
    [0, 'you', 1],
  ])
  const [mine] = await readUsage(ledger.rows(), undefined, 0, 'me')
  expect(mine).toMatchObject({
    model: 'qwen3',
    client: 'codex_cli_rs',
    requests: 3,
    failures: 1,
    input: 300,
    output: 30,
    cacheRead: 120,
    cost: 750_000,
    unpriced: 1,
  })
  expect(await readUsage(ledger.rows(), undefined, noon / hourMs + 1)).toHaveLength(1)
})

test('Very many rows are added up in turns of the event loop, and none of what they say is lost.', async () => {
  const row = { hour: 1, model: 'm', upstream: 'u', owner: 'me', requests: 1, failures: 0, input: 2 }
  const more = { output: 0, cacheRead: 0, cost: 0, unpriced: 0 }
  const kept = Array.from({ length: 100_000 }, (_, i) => ({ ...row, ...more, client: `client-${i}` }))
  let rows: readonly UsageRow[] = []
  const turns = await turnsDuring(async () => {
    rows = await readUsage([], { readUsage: async () => kept }, 0)
  })
  expect(turns).toBeGreaterThan(10)
  expect(rows.length).toBeLessThan(5_002)
  expect(rows.reduce((sum, { input }) => sum + input, 0)).toBe(200_000)
})

test('A client that left is not counted as a failure.', () => {
  const ledger = new UsageLedger()
  const failure = { code: 'client_gone', message: '' }
  pass(ledger.observer, { ...exchange, abandoned: true, failure })
  pass(ledger.observer, { ...exchange, abandoned: true, failure, status: 499 })
  expect(ledger.rows()).toMatchObject([{ requests: 2, failures: 0 }])
})

test('Names that clients make up cannot make the ledger grow without bound.', () => {
  const ledger = new UsageLedger()
  for (let i = 0; i < 2000; i++) {
    pass(ledger.observer, { ...exchange, client: `client-${i}-${'x'.repeat(500)}` })
    if (i === 1000) ledger.take()
  }
  const rows = ledger.rows()
  expect(rows.length).toBeLessThan(502)
  expect(rows.find(({ client }) => client === '(others)')?.requests).toBeGreaterThan(900)
  expect(Math.max(...rows.map(({ client }) => client.length))).toBeLessThanOrEqual(100)
})

test('A key in the place of a name is masked.', () => {
  const ledger = new UsageLedger()
  pass(ledger.observer, { ...exchange, upstreamModel: 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789' })
  expect(JSON.stringify(ledger.rows())).not.toContain('abcdefghijklmnop')
})

test('What a store cannot take now is kept for the next time.', async () => {
  const ledger = new UsageLedger()
  const kept: UsageRow[] = []
  let isDown = true
  const keeper = {
    addUsage: async (rows: readonly UsageRow[]) => {
      if (isDown) throw new Error('full')
      kept.push(...rows)
    },
    readUsage: async () => kept,
  }
  pass(ledger.observer, exchange)
  await flushUsage(ledger, keeper)
  pass(ledger.observer, exchange)
  isDown = false
  await flushUsage(ledger, keeper)
  await flushUsage(ledger, keeper)
  expect(kept.map(({ requests }) => requests)).toEqual([2])
  pass(ledger.observer, exchange)
  expect((await readUsage(ledger.rows(), keeper, 0))[0]?.requests).toBe(3)
})
