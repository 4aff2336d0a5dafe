/** Postgres while somebody else holds what an operation needs. */
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../packages/toolwire/src/store/postgres/open-postgres-store.ts'
import { startPostgres } from '../support/servers/servers.ts'
import { conversation, items, refusal, response } from './store-values.ts'

const postgres = await startPostgres()
afterAll(() => postgres?.stop())

// The first one waits until its statement is given up.
describe.skipIf(postgres === undefined).concurrent('a Postgres server', () => {
  const url = postgres?.url ?? ''

  test('A save that waits for longer than the gateway would is given up, and does not happen later.', async () => {
    const schema = `s${randomUUID()}`
    const store = await openPostgresStore({ url, schema, now: () => 0 })
    const other = new (createRequire(import.meta.url)('pg').Client)({ connectionString: url })
    await other.connect()
    await other.query(`BEGIN; SELECT "${schema}".lock_owner('ann')`)
    expect(await refusal(store.saveResponse(response('r1')))).toBe('busy')
    await other.query('COMMIT')
    await other.end()
    expect(await store.getResponse('ann', 'r1')).toBeUndefined()
    await store.saveResponse(response('r1'))
    await store.close()
  })

  test('An operation goes on without a record that somebody removes to make room just then.', async () => {
    const schema = `s${randomUUID()}`
    const store = await openPostgresStore({ url, schema, now: () => 0 })
    const other = new (createRequire(import.meta.url)('pg').Client)({ connectionString: url })
    await other.connect()
    /** Begins the operation while the record is removed, and not gone yet. */
    const during = async <T>(id: string, operation: () => Promise<T>): Promise<T> => {
      await other.query('BEGIN')
      await other.query(`DELETE FROM "${schema}".records WHERE id = '${id}'`)
      const result = operation()
      await pause(300)
      await other.query('COMMIT')
      return result
    }
    await store.createConversation(conversation('c1'), items('a'))
    expect(await during('c1', () => store.appendItems('ann', 'c1', items('b')))).toBe(false)
    await store.createConversation(conversation('c1'), items('a'))
    expect(await during('c1', () => store.deleteItem('ann', 'c1', 'a'))).toBe(false)
    await store.createConversation(conversation('c1'), items('a'))
    expect(await during('c1', () => store.updateConversation('ann', 'c1', { metadata: '{}' }))).toBe(false)
    await store.createConversation(conversation('c1'), items('a'))
    const joining = response('r1', { conversationId: 'c1' })
    expect(await during('c1', () => refusal(store.saveResponse(joining)))).toBe('conversation_not_found')
    await store.saveResponse(response('r2', { status: 'in_progress' }))
    await during('r2', () => store.saveResponse(response('r2')))
    expect(await store.getResponse('ann', 'r2')).toEqual(response('r2'))
    await other.end()
    await store.close()
  })
})
