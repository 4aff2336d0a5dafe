import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SqliteDatabase } from './sqlite-database.ts'
import { type Connection, loadDriver } from './sqlite-driver.ts'

let folder = ''
let db: SqliteDatabase
let ran: string[] = []
/** Statements that fail, each once. */
let failing: string[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-sqlite-database-'))
  const connection = (await loadDriver()).open(join(folder, 'test.db'))
  const watched: Connection = {
    exec(sql) {
      ran.push(sql)
      const at = failing.indexOf(sql)
      if (at >= 0) {
        failing.splice(at, 1)
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
      }
      connection.exec(sql)
    },
    close: () => connection.close(),
    prepare: sql => connection.prepare(sql),
  }
  db = new SqliteDatabase(watched, 'test.db', 1000)
  db.exec('CREATE TABLE words (word TEXT PRIMARY KEY)')
  ran = []
  failing = []
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

const add = (word: string): Promise<string> =>
  db.write(() => {
    db.run('INSERT INTO words (word) VALUES (?)', word)
    return word
  })
const words = (): Promise<string[]> =>
  db.read(() => db.all<{ word: string }>('SELECT word FROM words ORDER BY word').map(({ word }) => word))
const commits = (): number => ran.filter(sql => sql === 'COMMIT').length

test('Writes that are asked for at one time share commits, and each gets its own result.', async () => {
  const all = Array.from({ length: 40 }, (_, i) => `word ${i}`)
  expect(await Promise.all(all.map(add))).toEqual(all)
  expect(commits()).toBe(2)
  expect(await words()).toEqual([...all].sort())
})

test('A write that throws is rolled back alone.', async () => {
  const broken = db.write(() => {
    db.run('INSERT INTO words (word) VALUES (?)', 'broken')
    throw new Error('No.')
  })
  const settled = await Promise.allSettled([add('a'), broken, add('b')])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(commits()).toBe(1)
  expect(await words()).toEqual(['a', 'b'])
})

test('After an error of SQLite each is tried by itself, so that it fails only whom it concerns.', async () => {
  await add('twice')
  const settled = await Promise.allSettled([add('a'), add('twice'), add('b')])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await words()).toEqual(['a', 'b', 'twice'])
})

test('Nobody is told of success before the commit, and a commit that fails is tried again for each.', async () => {
  failing = ['COMMIT', 'COMMIT']
  const settled = await Promise.allSettled([add('a'), add('b')])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(await words()).toEqual(['b'])
})

test('A read sees what was to be written before it, and nothing that is asked for later.', async () => {
  const written = add('a')
  const before = words()
  const later = add('b')
  expect(await before).toEqual(['a'])
  await Promise.all([written, later])
  expect(await words()).toEqual(['a', 'b'])
})

test('What is to be written when it is closed is refused.', async () => {
  const written = add('a')
  db.close()
  await expect(written).rejects.toMatchObject({ code: 'closed' })
})
