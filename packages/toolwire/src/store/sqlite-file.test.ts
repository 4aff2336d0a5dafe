import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Connection, loadDriver } from './sqlite-driver.ts'
import { openSqliteStore } from './sqlite-store.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-file-'))
  path = join(folder, 'new', 'deep', 'store.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8)

async function raw<T>(use: (connection: Connection) => T): Promise<T> {
  const connection = (await loadDriver()).open(path)
  try {
    return use(connection)
  } finally {
    connection.close()
  }
}

const failure = async (attempt: Promise<unknown>): Promise<{ code: string; message: string }> =>
  attempt.then(
    () => expect.fail('It was opened.'),
    error => error,
  )

test('A folder that cannot be created is refused immediately.', async () => {
  // There is no /proc on every system; a file in the way is refused everywhere.
  writeFileSync(join(folder, 'file'), '')
  for (const start of ['/proc/toolwire-none', join(folder, 'file')]) {
    const { code, message } = await failure(openSqliteStore({ path: join(start, 'deep', 'er', 'store.db') }))
    expect([code, message]).toEqual(['no_access', expect.stringContaining('cannot be made private')])
  }
})

test('Files and created folders are accessible to their user only.', async () => {
  const store = await openSqliteStore({ path })
  await store.check()
  for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(modeOf(file), file).toBe('600')
  expect(modeOf(join(folder, 'new'))).toBe('700')
  expect(modeOf(join(folder, 'new', 'deep'))).toBe('700')
  await store.close()
  chmodSync(path, 0o644)
  await (await openSqliteStore({ path })).close()
  expect(modeOf(path)).toBe('600')
})

test('The file uses the promised SQLite modes.', async () => {
  const store = await openSqliteStore({ path })
  await store.check()
  const pragma = (name: string): Promise<unknown> =>
    raw(connection => Object.values(connection.prepare(`PRAGMA ${name}`).get() as object)[0])
  expect(await pragma('journal_mode')).toBe('wal')
  expect(await pragma('auto_vacuum')).toBe(2)
  await store.close()
})

test.each([
  ['normal', 1],
  ['full', 2],
] as const)('Durability %s sets the SQLite synchronous level %i.', async (durability, level) => {
  const driver = await loadDriver()
  const opened: Connection[] = []
  const store = await openSqliteStore({
    path,
    durability,
    driver: {
      name: 'watched',
      open: file => {
        const connection = driver.open(file)
        opened.push(connection)
        return connection
      },
    },
  })
  expect(opened[0]?.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: level })
  expect(opened[0]?.prepare('PRAGMA secure_delete').get()).toMatchObject({ secure_delete: 1 })
  expect(opened[0]?.prepare('PRAGMA foreign_keys').get()).toMatchObject({ foreign_keys: 1 })
  await store.close()
})

test('Several stores may open a new file at the same time.', async () => {
  const stores = await Promise.all(Array.from({ length: 8 }, () => openSqliteStore({ path })))
  const versions = await raw(connection => connection.prepare('SELECT version FROM migrations').all())
  expect(versions).toHaveLength(9)
  for (const store of stores) await store.close()
})

test('A file of a later version is refused and not changed.', async () => {
  await (await openSqliteStore({ path })).close()
  await raw(connection => connection.exec('INSERT INTO migrations VALUES (99, 0)'))
  const refused = await failure(openSqliteStore({ path }))
  expect(refused).toMatchObject({ code: 'newer_version' })
  expect(refused.message).toMatch(/version 99.*Update toolwire/s)
  expect(
    await raw(connection => connection.prepare('SELECT max(version) AS v FROM migrations').get()),
  ).toMatchObject({ v: 99 })
})

test('A database of another program is refused and not changed.', async () => {
  mkdirSync(join(folder, 'new', 'deep'), { recursive: true })
  await raw(connection => connection.exec('CREATE TABLE theirs (x)'))
  expect(await failure(openSqliteStore({ path }))).toMatchObject({ code: 'not_a_store' })
  const mode = await raw(connection => connection.prepare('PRAGMA journal_mode').get())
  expect(mode).toMatchObject({ journal_mode: 'delete' })
})

test('A file that is not a database is refused.', async () => {
  mkdirSync(join(folder, 'new', 'deep'), { recursive: true })
  writeFileSync(path, 'Dear diary, '.repeat(500))
  const refused = await failure(openSqliteStore({ path }))
  expect(refused).toMatchObject({ code: 'not_a_store' })
  expect(refused.message).toContain(path)
})

test('A path that cannot exist is refused with a remedy.', async () => {
  writeFileSync(join(folder, 'new'), '')
  const refused = await failure(openSqliteStore({ path }))
  expect(refused).toMatchObject({ code: 'no_access' })
  expect(refused.message).toContain('Choose a folder')
  for (const none of ['', ':memory:']) {
    expect(await failure(openSqliteStore({ path: none }))).toMatchObject({ code: 'invalid' })
  }
})
