import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { StoredTrace } from '../../platform/stored-trace.ts'
import { openSqliteStore } from '../open-sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-traces-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const traceOf = (id: string, owner = 'ann', trace = '{}'): StoredTrace => ({
  owner,
  id,
  answerId: `resp_${id}`,
  summary: JSON.stringify({ id }),
  trace,
})
const plenty = { entries: 100, bytes: 1_000_000 }

test('Traces survive a restart, and are found by their id or that of their answer, by their owner only.', async () => {
  const path = join(folder, 'a.sqlite')
  const first = await openSqliteStore({ path })
  await first.addTraces?.([traceOf('1'), traceOf('2', 'bob'), traceOf('3')], plenty)
  await first.close()
  const store = await openSqliteStore({ path })
  expect(await store.listTraces?.(10)).toEqual(['{"id":"3"}', '{"id":"2"}', '{"id":"1"}'])
  expect(await store.listTraces?.(10, 'ann')).toEqual(['{"id":"3"}', '{"id":"1"}'])
  expect(await store.listTraces?.(1, 'ann')).toEqual(['{"id":"3"}'])
  expect(await store.getTrace?.('2', 'bob')).toBe('{}')
  expect(await store.getTrace?.('resp_2', 'bob')).toBe('{}')
  expect(await store.getTrace?.('2')).toBe('{}')
  expect(await store.getTrace?.('2', 'ann')).toBeUndefined()
  expect(await store.getTrace?.('resp_2', 'ann')).toBeUndefined()
  await store.close()
})

test('Of more traces than there is room for, by number or by bytes, the newest stay.', async () => {
  const store = await openSqliteStore({ path: join(folder, 'b.sqlite') })
  const ids = async (): Promise<unknown> =>
    ((await store.listTraces?.(100)) ?? []).map(text => (JSON.parse(text) as { id: string }).id)
  await store.addTraces?.(
    ['1', '2', '3', '4'].map(id => traceOf(id)),
    { entries: 3, bytes: 1_000_000 },
  )
  expect(await ids()).toEqual(['4', '3', '2'])
  await store.addTraces?.([traceOf('5', 'ann', `"${'x'.repeat(500)}"`)], { entries: 3, bytes: 530 })
  expect(await ids()).toEqual(['5', '4'])
  await store.addTraces?.([traceOf('6', 'ann', `"${'x'.repeat(5000)}"`)], { entries: 3, bytes: 1000 })
  expect(await ids()).toEqual(['5', '4'])
  await store.close()
})
