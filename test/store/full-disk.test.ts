/** A full disk: what cannot be stored is refused early, deleting works, and space that is freed is noticed. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Connection, Driver } from '../../packages/toolwire/src/store/sqlite-driver.ts'
import { loadDriver } from '../../packages/toolwire/src/store/sqlite-driver.ts'
import { openSqliteStore } from '../../packages/toolwire/src/store/sqlite-store.ts'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { conversation, item, items, refusal, response, START } from './store-values.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwire-full-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const long = JSON.stringify('x'.repeat(3_000_000))
const now = (): number => START

async function fillStore(store: Store): Promise<void> {
  await store.saveResponse(response('small'))
  await store.saveResponse(response('long', { response: long }))
  await store.createConversation(conversation('c1'), items('a', 'b'))
  await store.maintain()
}

async function checkFullStore(store: Store): Promise<void> {
  expect(await refusal(store.check())).toBe('full')
  expect(await refusal(store.saveResponse(response('new', { response: long })))).toBe('full')
  expect(await store.getResponse('ann', 'small')).toEqual(response('small'))
  expect(await store.deleteResponse('ann', 'long')).toBe(true)
  expect(await store.getResponse('ann', 'long')).toBeUndefined()
  expect(await store.deleteItem('ann', 'c1', 'a')).toBe(true)
  expect(await store.getItem('ann', 'c1', 'a')).toBeUndefined()
  expect(await store.getItem('ann', 'c1', 'b')).toEqual(item('b'))
  expect(await store.deleteConversation('ann', 'c1')).toBe(true)
  expect(await store.getConversation('ann', 'c1')).toBeUndefined()
  // Upkeep finds no space for what was hidden, and goes on trying.
  await store.maintain()
  expect(await refusal(store.check())).toBe('full')
  expect(await refusal(store.saveResponse(response('long')))).toBe('response_deleted')
}

async function checkFreeStore(store: Store): Promise<void> {
  await store.maintain()
  await store.check()
  await store.saveResponse(response('new', { response: long }))
  expect(await store.getResponse('ann', 'new')).toEqual(response('new', { response: long }))
  expect(await store.getResponse('ann', 'long')).toBeUndefined()
}

/** A disk that fails as SQLite reports it: while it is full, only short writes succeed, and only out of the reserve. */
function createFakeDisk(driver: Driver): { isFull: boolean; driver: Driver; space: Space } {
  let isReserved = true
  const isShort = (sql: string): boolean => !/^\s*DELETE FROM records|UPDATE records SET created_at/.test(sql)
  const open = (path: string): Connection => {
    const inner = driver.open(path)
    let mayCommit = true
    return {
      close: () => inner.close(),
      exec(sql) {
        if (sql.startsWith('BEGIN')) mayCommit = true
        if (sql === 'COMMIT' && !mayCommit) throw Object.assign(new Error('full'), { errcode: 13 })
        inner.exec(sql)
      },
      prepare(sql) {
        const statement = inner.prepare(sql)
        const isWrite = /^\s*(INSERT|UPDATE|DELETE)/.test(sql)
        return {
          get: (...values) => statement.get(...values),
          all: (...values) => statement.all(...values),
          run(...values) {
            const result = statement.run(...values)
            if (isWrite && disk.isFull && (isReserved || (!isShort(sql) && result.changes > 0)))
              mayCommit = false
            return result
          },
        }
      },
    }
  }
  const disk = {
    isFull: false,
    driver: { name: 'full', open },
    space: {
      hold: () => !disk.isFull,
      probe: () => !disk.isFull,
      release: () => {
        isReserved = false
      },
    },
  }
  return disk
}

interface Space {
  hold(): boolean
  probe(): boolean
  release(): void
}

test('A full disk refuses what would be stored, and takes what is deleted.', async () => {
  const disk = createFakeDisk(await loadDriver())
  const { driver, space } = disk
  const store = await openSqliteStore({ path: join(folder, 'store.db'), now, driver, space })
  await fillStore(store)
  disk.isFull = true
  await checkFullStore(store)
  disk.isFull = false
  await checkFreeStore(store)
  await store.close()
})

/** Only the superuser of a Linux system may make a disk of its own. */
const disk = mkdtempSync(join(tmpdir(), 'toolwire-disk-'))
afterAll(() => rmSync(disk, { recursive: true, force: true }))

function isMounted(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function useUp(): void {
  let count = readdirSync(disk).length
  for (let size = 1024 * 1024; size >= 1024; ) {
    count += 1
    const file = join(disk, `used-${count}`)
    try {
      writeFileSync(file, new Uint8Array(size))
    } catch {
      truncateSync(file, 0)
      size /= 2
    }
  }
}

function freeUp(): void {
  for (const name of readdirSync(disk)) if (name.startsWith('used-')) rmSync(join(disk, name))
}

describe.runIf(isMounted())('a small disk of its own', () => {
  afterAll(() => execFileSync('umount', ['-l', disk]))

  test('A store on it behaves so, and can be opened and emptied while the disk is full.', async () => {
    const path = join(disk, 'store.db')
    const store = await openSqliteStore({ path, now })
    await fillStore(store)
    useUp()
    await checkFullStore(store)
    await store.close()
    useUp()
    const again = await openSqliteStore({ path, now })
    expect(await refusal(again.check())).toBe('full')
    expect(await again.getResponse('ann', 'small')).toEqual(response('small'))
    expect(await again.deleteResponse('ann', 'small')).toBe(true)
    freeUp()
    await checkFreeStore(again)
    await again.close()
  })
})
