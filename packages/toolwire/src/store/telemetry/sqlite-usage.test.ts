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
  expect(await again.readUsage?.(0)).toHaveLength(2)
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
  const rows = (await store.readUsage?.(0)) ?? []
  expect(rows.map(({ hour: at, requests }) => [at, requests])).toEqual([
    [day, 3],
    [hour, 1],
  ])
  await store.close()
})
