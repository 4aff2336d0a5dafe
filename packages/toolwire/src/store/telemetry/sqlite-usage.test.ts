import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hourMs, type UsageRow } from '../../platform/usage-row.ts'
import { openSqliteStore } from '../open-sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-usage-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const now = Date.UTC(2026, 10, 17, 20)
const hour = now / hourMs
const row: UsageRow = {
  hour,
  model: 'qwen3',
  upstream: 'local',
  client: 'codex',
  owner: 'me',
  requests: 1,
  failures: 0,
  input: 100,
  output: 10,
  cacheRead: 40,
  cost: 5,
  unpriced: 0,
}

test('What was used survives a restart, and two gateways on one file add to the same rows.', async () => {
  const path = join(folder, 'a.sqlite')
  const one = await openSqliteStore({ path, now: () => now })
  const two = await openSqliteStore({ path, now: () => now })
  await one.addUsage?.([row, { ...row, hour: hour - 1 }])
  await two.addUsage?.([{ ...row, requests: 2, failures: 1 }])
  await one.close()
  await two.close()
  const again = await openSqliteStore({ path, now: () => now })
  expect(await again.readUsage?.(hour)).toEqual([
    { ...row, requests: 3, failures: 1, input: 200, output: 20, cacheRead: 80, cost: 10 },
  ])
  expect(await again.readUsage?.(0)).toEqual([
    { ...row, requests: 4, failures: 1, input: 300, output: 30, cacheRead: 120, cost: 15 },
  ])
  await again.close()
})

test('A sweep adds old rows up by the day, and removes those that are older than a year.', async () => {
  const store = await openSqliteStore({ path: join(folder, 'b.sqlite'), now: () => now })
  const day = Math.floor((hour - 24 * 30) / 24) * 24
  await store.addUsage?.([
    { ...row, hour: day },
    { ...row, hour: day + 3 },
    { ...row, hour: day + 23 },
    { ...row, hour: hour - 24 * 500 },
    row,
  ])
  await store.sweep(now)
  const requestsSince = async (since: number) => (await store.readUsage?.(since))?.[0]?.requests
  expect([await requestsSince(0), await requestsSince(day), await requestsSince(day + 1)]).toEqual([4, 4, 1])
  await store.close()
})

test('Of very many names those with most requests are told, of one owner or of all, and the rest as one.', async () => {
  const store = await openSqliteStore({ path: join(folder, 'c.sqlite'), now: () => now })
  const rows = Array.from({ length: 6_000 }, (_, i) => ({ ...row, client: `client-${i}` }))
  await store.addUsage?.([...rows, { ...row, requests: 2 }, { ...row, owner: 'you' }])
  const mine = (await store.readUsage?.(0, 'me')) ?? []
  expect(mine[0]).toMatchObject({ client: 'codex', requests: 2 })
  expect(mine.at(-1)).toMatchObject({ client: '(others)', owner: 'me', requests: 1_001 })
  expect(mine).toHaveLength(5_001)
  expect((await store.readUsage?.(0))?.at(-1)).toMatchObject({ owner: '(others)', requests: 1_002 })
  await store.close()
})
