/** What lies in the file: damage that is found, versions that are upgraded, and text that is gone. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadDriver, type SqlValue } from './sqlite-driver.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { ResponseRecord, Store } from './store.ts'
import { StoreError } from './store-error.ts'

const HOUR = 3_600_000
let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-rest-'))
  path = join(folder, 'store.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (): Promise<Store> => openSqliteStore({ path, now: () => 0 })

async function raw(sql: string, ...values: SqlValue[]): Promise<unknown[]> {
  const connection = (await loadDriver()).open(path)
  try {
    return connection.prepare(sql).all(...values)
  } finally {
    connection.close()
  }
}

const response = (id: string, more: Partial<ResponseRecord> = {}): ResponseRecord => ({
  owner: 'ann',
  id,
  createdAt: 0,
  expiresAt: HOUR,
  status: 'completed',
  response: `{"id":"${id}"}`,
  input: [{ id: `${id}-in`, json: '"in"' }],
  output: [{ id: `${id}-out`, json: '"out"' }],
  ...more,
})

async function fill(): Promise<void> {
  const store = await open()
  const conversation = { owner: 'ann', id: 'c1', createdAt: 0, expiresAt: HOUR, metadata: '{"topic":"x"}' }
  await store.createConversation(conversation, [{ id: 'a', json: '"a"' }])
  await store.appendItems('ann', 'c1', [{ id: 'b', json: '"b"' }])
  await store.saveResponse(response('r1'))
  await store.saveResponse(response('r2', { previousId: 'r1' }))
  await store.saveResponse(response('r3', { conversationId: 'c1' }))
  await store.claimIds('ann', 'up', ['held'], HOUR)
  await store.close()
}

type Observed = { readonly [what: string]: unknown }

/** What a store returns for each question, or the code of its refusal. */
async function observe(store: Store): Promise<Observed> {
  const questions: { readonly [what: string]: () => Promise<unknown> } = {
    r1: () => store.getResponse('ann', 'r1'),
    r2: () => store.getResponse('ann', 'r2'),
    r3: () => store.getResponse('ann', 'r3'),
    'context of r2': () => store.context('ann', 'r2'),
    'context of r3': () => store.context('ann', 'r3'),
    c1: () => store.getConversation('ann', 'c1'),
    'items of c1': () => store.listItems('ann', 'c1', { limit: 9, order: 'desc' }),
    'item of c1': () => store.getItem('ann', 'c1', 'a'),
    'owner of an id': async () => [...(await store.ownersOf('up', ['held']))],
    'item by id': async () => [...(await store.getItems('ann', ['r1-out']))],
  }
  const seen: Record<string, unknown> = {}
  for (const [what, ask] of Object.entries(questions)) {
    seen[what] = await ask().catch((error: unknown) => {
      if (error instanceof StoreError) return error.code
      throw error
    })
  }
  return seen
}

const isRefusedOrAbsent = (value: unknown): boolean =>
  value === 'record_damaged' || value === undefined || (Array.isArray(value) && value.length === 0)

describe('a record that the disk has changed', () => {
  const damages = [
    ['body', "UPDATE records SET body = replace(body, 'r1', 'rX') WHERE id = 'r1'"],
    ['metadata', "UPDATE records SET body = '{}' WHERE id = 'c1'"],
    ['status', "UPDATE records SET status = 'failed' WHERE id = 'r1'"],
    ['creation', "UPDATE records SET created_at = created_at + 1 WHERE id = 'r2'"],
    ['expiry', "UPDATE records SET expires_at = expires_at + 1 WHERE id = 'c1'"],
    ['predecessor', "UPDATE records SET previous_id = NULL WHERE id = 'r2'"],
    ['conversation', "UPDATE records SET conversation_id = NULL WHERE id = 'r3'"],
    ['place in the conversation', "UPDATE records SET joined_after = joined_after + 1 WHERE id = 'r3'"],
    ['id', "UPDATE records SET id = 'r9' WHERE id = 'r1'"],
    ['owner', "UPDATE records SET owner = 'bob' WHERE id = 'r1'"],
    ['owner of a claim', "UPDATE claims SET owner = 'bob'"],
    ['item', "UPDATE items SET json = '\"OUT\"' WHERE id = 'r1-out'"],
    ['item of a conversation', "UPDATE items SET json = '\"A\"' WHERE id = 'a'"],
    ['part of an item', "UPDATE items SET part = 'input' WHERE id = 'r1-out'"],
    ['id of an item', "UPDATE items SET id = 'b2' WHERE id = 'b'"],
    ['record of an item', "UPDATE items SET record = record + 1 WHERE id = 'r1-out'"],
    ['loss of an item', "DELETE FROM items WHERE id = 'r1-out'"],
  ] as const

  test.each(damages)('It is never returned with another %s.', async (_, sql) => {
    await fill()
    const intact = await open()
    const before = await observe(intact)
    await intact.close()
    await raw(sql)
    const store = await open()
    const after = await observe(store)
    const changed = Object.keys(before).filter(
      what => JSON.stringify(before[what]) !== JSON.stringify(after[what]),
    )
    expect(changed).not.toEqual([])
    for (const what of changed) expect(isRefusedOrAbsent(after[what]), what).toBe(true)
    expect(await store.getResponse('bob', 'r1').catch(error => error.code)).toBe(
      sql.includes("owner = 'bob' WHERE") ? 'record_damaged' : undefined,
    )
    await store.close()
  })

  test('It says which one it is and what to do, and it can be deleted.', async () => {
    await fill()
    await raw("UPDATE records SET status = 'failed' WHERE id = 'r1'")
    const store = await open()
    await expect(store.getResponse('ann', 'r1')).rejects.toThrow(/stored response "r1" is damaged.*backup/)
    expect(await store.deleteResponse('ann', 'r1')).toBe(true)
    expect(await store.getResponse('ann', 'r1')).toBeUndefined()
    await store.close()
  })

  test('It stays damaged when its process left it unfinished.', async () => {
    const store = await open()
    await store.saveResponse(response('r1', { status: 'in_progress' }))
    await raw("UPDATE records SET body = replace(body, 'r1', 'rX')")
    await store.close()
    const again = await open()
    await expect(again.getResponse('ann', 'r1')).rejects.toMatchObject({ code: 'record_damaged' })
    await again.close()
  })
})

test('Whichever bit of the file flips, what a store returns is right, absent or refused.', async () => {
  await fill()
  const intact = await open()
  const before = await observe(intact)
  await intact.close()
  const bytes = readFileSync(path)
  const written = [...bytes.keys()].filter(at => at >= 100 && bytes[at] !== 0)
  // A stride without common factors with the sizes of pages and cells.
  const chosen = written.filter((_, index) => index % 37 === 0)
  for (const [index, at] of chosen.entries()) {
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ (1 << (index % 8))
    writeFileSync(path, changed)
    const store = await open().catch((error: unknown) => error)
    if (store instanceof StoreError) continue
    const after = await observe(store as Store)
    for (const [what, value] of Object.entries(after)) {
      const isRight = JSON.stringify(value) === JSON.stringify(before[what])
      const isRefused = value === 'unavailable' || isRefusedOrAbsent(value)
      expect([at, what, isRight || isRefused, value]).toEqual([at, what, true, value])
    }
    await (store as Store).close()
  }
})

test('A page that cannot be read makes each operation fail with the code unavailable, and none with a bug.', async () => {
  await fill()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xaa, 3 * 4096))
  const codes = new Set<unknown>()
  const store = await open().catch((error: unknown) => error)
  if (store instanceof Error) codes.add((store as StoreError).code)
  else for (const seen of Object.values(await observe(store as Store))) codes.add(seen)
  expect([...codes].filter(code => code !== 'unavailable' && code !== undefined)).toEqual([])
  expect(codes).toContain('unavailable')
  if (!(store instanceof Error)) await (store as Store).close()
})

test('A file of version 1 is upgraded, and what it holds can be read, changed and continued.', async () => {
  const connection = (await loadDriver()).open(path)
  connection.exec(readFileSync(new URL('../../../../test/store/version-1.sql', import.meta.url), 'utf8'))
  connection.close()
  const store = await open()
  expect(await store.getResponse('ann', 'r1')).toEqual(response('r1'))
  // Its process has gone.
  expect(await store.getResponse('ann', 'r2')).toMatchObject({ status: 'failed', previousId: 'r1' })
  expect(await store.getConversation('ann', 'c1')).toMatchObject({ metadata: '{"topic":"x"}' })
  await store.appendItems('ann', 'c1', [{ id: 'b', json: '"b"' }])
  await store.saveResponse(response('r1', { response: '{"id":"new"}' }))
  await store.close()
  const again = await open()
  expect(await again.getResponse('ann', 'r1')).toEqual(response('r1', { response: '{"id":"new"}' }))
  expect(await again.context('ann', 'r1')).toHaveLength(2)
  expect((await again.listItems('ann', 'c1', { limit: 9, order: 'asc' }))?.items).toHaveLength(2)
  await again.close()
  expect(await raw('SELECT version FROM migrations ORDER BY version')).toMatchObject([
    { version: 1 },
    { version: 2 },
    { version: 3 },
    { version: 4 },
    { version: 5 },
    { version: 6 },
    { version: 7 },
    { version: 8 },
    { version: 9 },
  ])
})

test('The next upkeep erases deleted text from the write-ahead log.', async () => {
  const store = await open()
  await store.saveResponse(response('r1'))
  await store.deleteResponse('ann', 'r1')
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
  await store.maintain()
  expect(statSync(`${path}-wal`).size).toBe(0)
  await store.close()
})

test('Upkeep erases deleted text later when a reader was in the way.', async () => {
  const store = await open()
  await store.saveResponse(response('r1'))
  const reader = (await loadDriver()).open(path)
  reader.exec('BEGIN')
  reader.prepare('SELECT * FROM records').all()
  await store.deleteResponse('ann', 'r1')
  await store.maintain()
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
  reader.exec('COMMIT')
  await store.maintain()
  expect(statSync(`${path}-wal`).size).toBe(0)
  reader.close()
  await store.close()
})

test('A clock that was wrong when the store was opened deletes nothing.', async () => {
  const year = 365 * 24 * HOUR
  const clocks = { now: 0, elapsed: 0 }
  const openAt = (now: number): Promise<Store> => {
    clocks.now = now
    return openSqliteStore({ path, now: () => clocks.now, elapsed: () => clocks.elapsed })
  }
  const first = await openAt(0)
  await first.saveResponse(response('r1', { expiresAt: 30 * 24 * HOUR }))
  await first.close()
  const wrong = await openAt(5 * year)
  expect(await wrong.sweep(clocks.now)).toBe(0)
  await wrong.saveResponse(response('r2', { expiresAt: 6 * year }))
  await wrong.close()
  const right = await openAt(24 * HOUR)
  expect(await right.getResponse('ann', 'r1')).toBeDefined()
  await right.close()
  const aWeekLater = await openAt(31 * 24 * HOUR)
  clocks.elapsed += 24 * HOUR
  expect(await aWeekLater.sweep(clocks.now)).toBe(1)
  await aWeekLater.close()
})
