/** Stores of earlier versions are upgraded in place: by several gateways at once, and after an upgrade that was cut off. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../packages/toolwire/src/store/postgres/open-postgres-store.ts'
import { loadDriver } from '../../packages/toolwire/src/store/sqlite-driver.ts'
import { openSqliteStore } from '../../packages/toolwire/src/store/sqlite-store.ts'
import { startPostgres } from '../support/servers/servers.ts'
import { response } from './store-values.ts'

/** Before anything here expires. */
const now = (): number => 0
const folder = mkdtempSync(join(tmpdir(), 'toolwire-migrations-'))
const postgres = await startPostgres()
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await postgres?.stop()
})

describe('a file', () => {
  const known = { id: 'r1', status: 'completed' }

  async function ofVersionOne(): Promise<string> {
    const path = join(folder, `${randomUUID()}.sqlite`)
    const connection = (await loadDriver()).open(path)
    connection.exec(readFileSync(new URL('version-1.sql', import.meta.url), 'utf8'))
    connection.close()
    return path
  }

  test('Four gateways that upgrade one file at once find what it held, and it is upgraded once.', async () => {
    const path = await ofVersionOne()
    const stores = await Promise.all([1, 2, 3, 4].map(() => openSqliteStore({ path, now })))
    for (const store of stores) expect(await store.getResponse('ann', 'r1')).toMatchObject(known)
    await stores[0]?.saveResponse(response('new', { previousId: 'r1' }))
    expect(await stores[3]?.context('ann', 'new')).toHaveLength(4)
    for (const store of stores) await store.close()
  })

  test('An upgrade that was cut off has changed nothing, and the next one succeeds.', async () => {
    const path = await ofVersionOne()
    const connection = (await loadDriver()).open(path)
    // As much of the next step as had been done when the process died: its connection is closed without an end.
    connection.exec(
      'BEGIN IMMEDIATE; CREATE TABLE claims (half INTEGER); INSERT INTO migrations VALUES (2, 0)',
    )
    connection.close()
    const store = await openSqliteStore({ path, now })
    expect(await store.getResponse('ann', 'r1')).toMatchObject(known)
    await store.claimIds('ann', 'up', ['x'], now() + 1000)
    expect(await store.ownersOf('up', ['x'])).toEqual(new Map([['x', 'ann']]))
    await store.close()
  })
})

describe.skipIf(postgres === undefined)('a schema of Postgres', () => {
  const url = postgres?.url ?? ''

  async function client(): Promise<{
    query(text: string): Promise<{ rows: unknown[] }>
    end(): Promise<void>
  }> {
    const opened = new (createRequire(import.meta.url)('pg').Client)({ connectionString: url })
    await opened.connect()
    return opened
  }

  /** A schema with a response in it, without what the later steps have added. */
  async function ofVersionTwo(): Promise<string> {
    const schema = `s${randomUUID()}`
    const store = await openPostgresStore({ url, schema, now, connections: 2 })
    await store.saveResponse(response('r1'))
    await store.close()
    const old = await client()
    await old.query(`DROP TABLE "${schema}".counts; DROP FUNCTION "${schema}".add_counts; DROP FUNCTION "${schema}".trim_counts;
      DROP FUNCTION "${schema}".save_with_events;
      DELETE FROM "${schema}".migrations WHERE version > 2`)
    await old.end()
    return schema
  }

  test('Four gateways that upgrade one schema at once find what it held, and it is upgraded once.', async () => {
    const schema = await ofVersionTwo()
    const stores = await Promise.all(
      [1, 2, 3, 4].map(() => openPostgresStore({ url, schema, now, connections: 2 })),
    )
    for (const store of stores) expect(await store.getResponse('ann', 'r1')).toEqual(response('r1'))
    const change = { name: 'n', by: 2, expiresAt: now() + 1000 }
    await Promise.all(stores.map(store => store.addCounts?.('ann', [change])))
    await stores[0]?.saveResponse(response('new', { previousId: 'r1' }))
    expect(await stores[3]?.context('ann', 'new')).toHaveLength(4)
    const looking = await client()
    const { rows } = await looking.query(`SELECT value::int FROM "${schema}".counts`)
    expect(rows).toEqual([{ value: 8 }])
    await looking.end()
    for (const store of stores) await store.close()
  })

  test('An upgrade whose connection broke has changed nothing, and the next one succeeds.', async () => {
    const schema = await ofVersionTwo()
    const half = await client()
    await half.query(
      `BEGIN; CREATE TABLE "${schema}".counts (half int); INSERT INTO "${schema}".migrations VALUES (3)`,
    )
    await half.end()
    const store = await openPostgresStore({ url, schema, now, connections: 2 })
    expect(await store.getResponse('ann', 'r1')).toEqual(response('r1'))
    await store.close()
  })
})
