/** Processes that are killed while they write, and processes that write at the same time. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadDriver } from '../../packages/toolwire/src/store/sqlite-driver.ts'
import { openSqliteStore } from '../../packages/toolwire/src/store/sqlite-store.ts'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { ids } from './store-values.ts'
import { buildWriter, runWriter } from './writer-process.ts'
import { recordOf } from './writer-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-crash-'))
let program = ''
beforeAll(async () => {
  program = await buildWriter(join(folder, 'program'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function integrity(path: string): Promise<unknown> {
  const connection = (await loadDriver()).open(path)
  try {
    return connection
      .prepare('PRAGMA integrity_check')
      .all()
      .map(row => ({ ...(row as object) }))
  } finally {
    connection.close()
  }
}

const conversationOf = async (store: Store, name: string): Promise<readonly string[]> =>
  ids((await store.listItems('ann', name, { limit: 100_000, order: 'asc' }))?.items) ?? []

/** Complete with its items in the conversation, or failed, or absent: no other state is allowed. */
async function stateOf(
  store: Store,
  name: string,
  number: number,
  conversation: ReadonlySet<string>,
): Promise<string> {
  const complete = recordOf(name, number)
  const found = await store.getResponse('ann', complete.id)
  const parts = [...complete.input, ...complete.output].filter(({ id }) => conversation.has(id)).length
  if (found === undefined) {
    expect(parts).toBe(0)
    return 'absent'
  }
  if (found.status === 'failed') {
    expect(JSON.parse(found.response)).toMatchObject({ status: 'failed', error: { code: 'server_restart' } })
    expect(found).toEqual({ ...complete, status: 'failed', output: [], response: found.response })
    expect(parts).toBe(0)
    return 'failed'
  }
  expect(found).toEqual(complete)
  expect(parts).toBe(3)
  return 'complete'
}

test('A writer that is killed repeatedly loses no acknowledged write and leaves no partial one.', {
  timeout: 100_000,
}, async () => {
  const path = join(folder, 'killed.db')
  const acknowledged = new Set<number>()
  for (const killAfter of [1, 2, 17, 5, 40, 3, 29, 1, 11, 23]) {
    for (const number of await runWriter({ program, path, name: 'w', killAfter })) acknowledged.add(number)
    const store = await openSqliteStore({ path })
    try {
      const conversation = new Set(await conversationOf(store, 'w'))
      const last = Math.max(...acknowledged)
      for (const number of acknowledged)
        expect(await stateOf(store, 'w', number, conversation)).toBe('complete')
      // It may have written more than it acknowledged.
      for (let number = last + 1; number < last + 200; number += 1) {
        await stateOf(store, 'w', number, conversation)
      }
    } finally {
      await store.close()
    }
    expect(await integrity(path)).toEqual([{ integrity_check: 'ok' }])
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(132)
})

test('Two processes that write at the same time lose no acknowledged write.', {
  timeout: 100_000,
}, async () => {
  const path = join(folder, 'two.db')
  const [one, two] = await Promise.all([
    runWriter({ program, path, name: 'one', count: 150 }),
    runWriter({ program, path, name: 'two', count: 150 }),
  ])
  expect([one.length, two.length]).toEqual([150, 150])
  const store = await openSqliteStore({ path })
  for (const name of ['one', 'two']) {
    const conversation = await conversationOf(store, name)
    expect(conversation).toHaveLength(450)
    const known = new Set(conversation)
    for (let number = 0; number < 150; number += 1) {
      expect(await stateOf(store, name, number, known)).toBe('complete')
    }
  }
  await store.close()
  expect(await integrity(path)).toEqual([{ integrity_check: 'ok' }])
})

test.each([
  ['at the next opening', async (path: string) => (await openSqliteStore({ path })).close()],
  ['by the upkeep of a living one', (_: string, living: Store) => living.maintain()],
  ['by whoever reads them', async () => {}],
])(
  'Unfinished responses of a killed process are failed %s, and those of living processes are not.',
  async (how, act) => {
    const path = join(folder, `unfinished ${how}.db`)
    const living = await openSqliteStore({ path })
    const mine = { ...recordOf('living', 0), status: 'in_progress' }
    const { conversationId: _, ...outside } = mine
    await living.saveResponse(outside)
    const acknowledged = await runWriter({ program, path, name: 'w', unfinished: true, killAfter: 5 })
    await act(path, living)
    if (how !== 'by whoever reads them') expect(await statusesIn(path)).toEqual(['failed', 'in_progress'])
    for (const number of acknowledged) expect(await stateOf(living, 'w', number, new Set())).toBe('failed')
    expect(await living.getResponse('ann', mine.id)).toEqual(outside)
    expect(await statusesIn(path)).toEqual(['failed', 'in_progress'])
    await living.close()
  },
)

async function statusesIn(path: string): Promise<string[]> {
  const connection = (await loadDriver()).open(path)
  try {
    const rows = connection
      .prepare('SELECT DISTINCT status FROM records WHERE status IS NOT NULL ORDER BY 1')
      .all()
    return rows.map(row => (row as { status: string }).status)
  } finally {
    connection.close()
  }
}
