/** What is SQLite's own about its store; what it shares with all others is tested in `test/store`. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Connection, type Driver, loadDriver } from './sqlite-driver.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { ResponseRecord } from './store.ts'

const HOUR = 3_600_000
let folder = ''
let path = ''
let driver: Driver
const connections: Connection[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-sqlite-'))
  path = join(folder, 'store.db')
  driver = await loadDriver()
})
afterEach(() => {
  for (const connection of connections.splice(0)) connection.close()
  rmSync(folder, { recursive: true, force: true })
})

function connect(): Connection {
  const connection = driver.open(path)
  connections.push(connection)
  return connection
}

const record = (id: string, change: Partial<ResponseRecord> = {}): ResponseRecord => ({
  owner: 'ann',
  id,
  createdAt: 0,
  expiresAt: HOUR,
  status: 'completed',
  response: '{}',
  input: [{ id: `${id}-in`, json: '{}' }],
  output: [],
  ...change,
})

/** By another process, for closing a file here would drop the locks that the store has on it. */
function onDisk(text: string): readonly string[] {
  const files = readdirSync(folder).map(name => join(folder, name))
  expect(files).toContain(`${path}-wal`)
  const { stdout, status } = spawnSync('grep', ['-l', '-a', '-F', text, ...files], { encoding: 'utf8' })
  expect([0, 1]).toContain(status)
  return stdout.split('\n').filter(line => line !== '')
}

test.each(['deleted', 'expired', 'replaced', 'evicted'])(
  'After a sweep, no file contains text that was %s.',
  async how => {
    let time = 0
    const store = await openSqliteStore({ path, now: () => time, maxRecords: 40 })
    const canary = `canary-${how}-`
    const texts = (n: number): Partial<ResponseRecord> => ({
      response: JSON.stringify(`${canary}${n}`.repeat(1 + n * 100)),
      input: [{ id: `${canary}item-${n}`, json: JSON.stringify(canary.repeat(n * 50)) }],
    })
    await store.saveResponse(record('kept', { expiresAt: 9 * HOUR, response: '"a-text-that-stays"' }))
    const names = Array.from({ length: 20 }, (_, n) => `r${n}`)
    for (const [n, id] of names.entries()) await store.saveResponse(record(id, texts(n)))
    expect(onDisk(canary)).not.toEqual([])
    for (const id of names) {
      if (how === 'deleted') await store.deleteResponse('ann', id)
      if (how === 'replaced') await store.saveResponse(record(id))
    }
    if (how === 'evicted') {
      await store.saveResponse(record('kept', { expiresAt: 9 * HOUR, response: '"a-text-that-stays"' }))
      for (let n = 0; n < 39; n += 1) await store.saveResponse(record(`other${n}`))
    }
    if (how === 'expired') time = HOUR
    await store.sweep(time)
    expect(onDisk(canary)).toEqual([])
    expect(onDisk('a-text-that-stays')).toEqual([path])
    await store.close()
  },
)

test('The file shrinks after a sweep.', async () => {
  const store = await openSqliteStore({ path, now: () => 0 })
  const long = JSON.stringify('x'.repeat(100_000))
  for (let n = 0; n < 20; n += 1) await store.saveResponse(record(`r${n}`, { expiresAt: 1, response: long }))
  const pages = (): unknown => connect().prepare('PRAGMA page_count').get()
  const before = pages() as { page_count: number }
  await store.sweep(1)
  const after = pages() as { page_count: number }
  expect(after.page_count).toBeLessThan(before.page_count / 4)
  await store.close()
})

test('Writes delete expired records even if nobody sweeps.', async () => {
  let time = 0
  const store = await openSqliteStore({ path, now: () => time })
  for (let n = 0; n < 10; n += 1) await store.saveResponse(record(`r${n}`))
  time = HOUR
  await store.saveResponse(record('new', { expiresAt: 2 * HOUR }))
  const rows = connect().prepare('SELECT id FROM records').all()
  expect(rows.map(row => (row as { id: string }).id)).toEqual(['new'])
  expect(connect().prepare('SELECT count(*) AS count FROM items').get()).toMatchObject({ count: 1 })
  await store.close()
})

test('Waiting for a locked store does not block the process.', async () => {
  const store = await openSqliteStore({ path, now: () => 0 })
  const other = connect()
  other.exec('BEGIN IMMEDIATE')
  let isDone = false
  const saved = store.saveResponse(record('r1')).then(() => {
    isDone = true
  })
  // Reads go on meanwhile, and so does everything else: this line is reached.
  expect(await store.getResponse('ann', 'r1')).toBeUndefined()
  expect(isDone).toBe(false)
  other.exec('COMMIT')
  await saved
  expect(await store.getResponse('ann', 'r1')).toEqual(record('r1'))
  await store.close()
})

test('A store that stays locked fails with the code busy.', async () => {
  const store = await openSqliteStore({ path, now: () => 0, busyTimeout: 0 })
  const other = connect()
  other.exec('BEGIN IMMEDIATE')
  await expect(store.saveResponse(record('r1'))).rejects.toMatchObject({ code: 'busy' })
  await expect(store.check()).rejects.toMatchObject({ code: 'busy' })
  other.exec('ROLLBACK')
  await store.check()
  await store.saveResponse(record('r1'))
  await store.close()
})

test('A write to a full disk is rolled back, and the store works again once there is space.', async () => {
  const opened: Connection[] = []
  const watched: Driver = {
    name: 'watched',
    open: file => {
      const connection = driver.open(file)
      opened.push(connection)
      return connection
    },
  }
  const store = await openSqliteStore({ path, now: () => 0, driver: watched })
  await store.saveResponse(record('small'))
  const long = record('long', { response: JSON.stringify('x'.repeat(1_000_000)) })
  opened[0]?.exec('PRAGMA max_page_count = 30')
  const failure = await store.saveResponse(long).catch(error => error)
  expect(failure).toMatchObject({ code: 'full' })
  expect(failure.message).toMatch(/disk is full/)
  expect(await store.getResponse('ann', 'long')).toBeUndefined()
  expect(await store.getResponse('ann', 'small')).toEqual(record('small'))
  opened[0]?.exec('PRAGMA max_page_count = 1000000')
  await store.saveResponse(long)
  expect(await store.getResponse('ann', 'long')).toEqual(long)
  await store.close()
})

test('A closed store leaves nothing in its write-ahead log.', async () => {
  const store = await openSqliteStore({ path, now: () => 0 })
  await store.saveResponse(record('r1', { response: '"canary"' }))
  await store.close()
  expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
})

test('Each open store has a lock file, which is removed when it closes.', async () => {
  const store = await openSqliteStore({ path, now: () => 0 })
  const other = await openSqliteStore({ path, now: () => 0 })
  const locks = (): number => readdirSync(folder).filter(name => name.includes('-alive-')).length
  expect(locks()).toBe(2)
  await other.close()
  expect(locks()).toBe(1)
  await store.close()
  expect(locks()).toBe(0)
})

test('A sweep reduces a file to smaller limits.', async () => {
  const wide = await openSqliteStore({ path, now: () => 0 })
  for (let n = 0; n < 450; n += 1) await wide.saveResponse(record(`r${n}`))
  await wide.close()
  const narrow = await openSqliteStore({ path, now: () => 0, maxRecords: 3 })
  expect(await narrow.sweep(0)).toBe(447)
  expect(await narrow.getResponse('ann', 'r446')).toBeUndefined()
  expect(await narrow.getResponse('ann', 'r447')).toEqual(record('r447'))
  await narrow.close()
})

test('The stored size of a record is correct, also after its process left it unfinished.', async () => {
  const store = await openSqliteStore({ path, now: () => 0 })
  const head = { owner: 'ann', id: 'c1', createdAt: 0, expiresAt: HOUR }
  await store.createConversation({ ...head, metadata: '{"ä":"€"}' }, [{ id: 'a', json: '"ü"' }])
  await store.saveResponse(record('r1', { conversationId: 'c1' }))
  await store.saveResponse(record('r2', { status: 'in_progress', response: '{"status":"in_progress"}' }))
  await store.updateConversation('ann', 'c1', { metadata: '{}' })
  await store.deleteItem('ann', 'c1', 'a')
  await store.close()
  const rows = connect()
    .prepare(`SELECT bytes, octet_length(owner) + octet_length(id) + octet_length(body) +
      (SELECT coalesce(sum(octet_length(items.id) + octet_length(json)), 0) FROM items WHERE record = number) AS real
      FROM records`)
    .all() as { bytes: number; real: number }[]
  expect(rows).toHaveLength(3)
  expect(rows.map(({ bytes }) => bytes)).toEqual(rows.map(({ real }) => real))
  const sum = rows.reduce((total, { bytes }) => total + bytes, 0)
  expect(connect().prepare('SELECT records, bytes FROM totals').get()).toMatchObject({
    records: 3,
    bytes: sum,
  })
})
