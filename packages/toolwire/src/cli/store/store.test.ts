import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteStore } from '../../store/open-sqlite-store.ts'
import { loadDriver } from '../../store/sqlite-driver.ts'
import type { Store } from '../../store/store.ts'
import { argumentsOf, createStage } from '../serve/environment.test-helper.ts'
import { runStore } from './store.ts'

let folder = ''
let path = ''
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-tools-'))
  path = join(folder, 'store.db')
  store = await openSqliteStore({ path })
  for (let n = 0; n < 3; n += 1) await save(`r${n}`)
  await store.claimIds('ann', 'up', ['held', 'other'], Date.now() + 3_600_000)
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const save = (id: string, text = 'x'): Promise<void> =>
  store.saveResponse({
    owner: 'ann',
    id,
    createdAt: 0,
    expiresAt: Date.now() + 3_600_000,
    status: 'completed',
    response: JSON.stringify(text),
    input: [{ id: `${id}-in`, json: '"in"' }],
    output: [],
  })

async function damage(sql: string): Promise<void> {
  const connection = (await loadDriver()).open(path)
  connection.exec(sql)
  connection.close()
}

async function toolwireStore(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { io, world, printed } = createStage()
  const code = await runStore(argumentsOf('store', [...argv, '--store', path]), io, world)
  return { code, ...printed }
}

test('A backup of a store in use is a private, verified copy that a gateway can open.', async () => {
  const copy = join(folder, 'copy.db')
  const { code, stdout } = await toolwireStore('backup', copy)
  expect([code, stdout]).toEqual([0, `${copy} is a verified copy with 3 records.\n`])
  expect((statSync(copy).mode & 0o777).toString(8)).toBe('600')
  await save('later')
  const opened = await openSqliteStore({ path: copy })
  expect(await opened.getResponse('ann', 'r2')).toEqual(await store.getResponse('ann', 'r2'))
  expect(await opened.getResponse('ann', 'later')).toBeUndefined()
  await opened.close()
})

test('A backup never writes over a file, and leaves nothing when it cannot be made.', async () => {
  const copy = join(folder, 'copy.db')
  writeFileSync(copy, 'precious')
  const { code, stderr } = await toolwireStore('backup', copy)
  expect([code, stderr]).toEqual([3, expect.stringContaining('Name a file that does not exist.')])
  expect(readFileSync(copy, 'utf8')).toBe('precious')
  expect((await toolwireStore('backup', join(folder, 'none', 'copy.db'))).code).toBe(3)
})

test('A backup of a damaged store is written and reported as damaged.', async () => {
  await damage("UPDATE records SET body = '\"y\"' WHERE id = 'r1'")
  const copy = join(folder, 'copy.db')
  const { code, stdout } = await toolwireStore('backup', copy)
  expect([code, stdout]).toEqual([1, expect.stringContaining('In response "r1" of ann')])
  expect(existsSync(copy)).toBe(true)
})

test('A sound store is verified, also for scripts.', async () => {
  expect(await toolwireStore('verify')).toMatchObject({
    code: 0,
    stdout: `${path} is sound: 3 records, each as it was written.\n`,
  })
  const { stdout } = await toolwireStore('verify', '--json')
  expect(JSON.parse(stdout)).toEqual({ ok: true, path, records: 3, problems: [], hasChecksums: true })
})

test.each([
  [
    'a body',
    "UPDATE records SET body = '\"y\"' WHERE id = 'r1'",
    'In response "r1" of ann: a checksum does not match.',
  ],
  ['an item', "UPDATE items SET json = '\"y\"' WHERE id = 'r2-in'", 'In response "r2" of ann: a checksum'],
  ['a lost item', "DELETE FROM items WHERE id = 'r2-in'", 'In response "r2" of ann: a checksum'],
  [
    'a lost record',
    "PRAGMA foreign_keys = OFF; DELETE FROM records WHERE id = 'r2'",
    'rows belong to records',
  ],
  ['a claim', "UPDATE claims SET owner = 'bob' WHERE id = 'held'", 'In the claim of "held"'],
  ['totals', 'UPDATE totals SET bytes = 1', 'The totals do not match'],
  ['totals of an owner', 'UPDATE owner_totals SET bytes = 1', 'The totals do not match'],
])('Verifying finds damage to %s.', async (_, sql, expected) => {
  await damage(sql)
  const { code, stdout } = await toolwireStore('verify')
  expect([code, stdout]).toEqual([1, expect.stringContaining(expected)])
  expect(stdout).toContain('Put a backup in its place')
})

test('Verifying finds a file with overwritten pages.', async () => {
  await store.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xaa, bytes.length - 8192))
  const { code, stdout } = await toolwireStore('verify', '--json')
  expect([code, JSON.parse(stdout).ok]).toEqual([1, false])
})

test('Vacuuming makes a file smaller whose records were deleted, and keeps the rest.', async () => {
  for (let n = 0; n < 20; n += 1) await save(`long${n}`, 'x'.repeat(100_000))
  for (let n = 0; n < 20; n += 1) await store.deleteResponse('ann', `long${n}`)
  const { code, stdout } = await toolwireStore('vacuum', '--json')
  const { before, after } = JSON.parse(stdout)
  expect(code).toBe(0)
  expect(after).toBeLessThan(before / 4)
  expect(statSync(path).size).toBe(after)
  expect(await store.getResponse('ann', 'r1')).toBeDefined()
})

test.each([
  [[], 'Say what to do'],
  [['restore'], 'There is no "store restore"'],
  [['backup'], 'Name the file to copy the store to.'],
  [['verify', 'x'], '"store verify" takes no "x"'],
])('The words %j are refused.', async (argv, message) => {
  await expect(toolwireStore(...argv)).rejects.toThrow(message)
})

test('A store that does not exist, or is not a file, is reported.', async () => {
  const { io, world, printed } = createStage()
  const attempt = (where: string): Promise<number> =>
    runStore(argumentsOf('store', ['verify', '--store', where]), io, world)
  expect(await attempt(join(folder, 'none.db'))).toBe(3)
  expect(await attempt('memory')).toBe(3)
  expect(printed.stderr).toContain('There is no store at')
  expect(printed.stderr).toContain('The store is "memory", which is not a file.')
  expect(existsSync(join(folder, 'none.db'))).toBe(false)
})
