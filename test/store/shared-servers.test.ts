/** What only stores on servers can suffer: gateways that die or sleep, servers that restart, and data that is changed. */
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../packages/toolwire/src/store/postgres/open-postgres-store.ts'
import { openRedisStore } from '../../packages/toolwire/src/store/redis/open-redis-store.ts'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { startPostgres, startRedis, type TestServer } from '../support/servers/servers.ts'
import { conversation, items, refusal, response } from './store-values.ts'

const load = createRequire(import.meta.url)
const now = (): number => 1_700_000_000_000

interface Kind {
  readonly name: string
  readonly server: TestServer | undefined
  open(place: string, leaseMs?: number): Promise<Store>
  /** Changes what is stored, as somebody else would. */
  spoil(place: string, what: 'response' | 'item' | 'version' | 'leases'): Promise<void>
  bytes(place: string): Promise<number>
}

const redis = await startRedis()
const postgres = await startPostgres()
afterAll(() => Promise.all([redis?.stop(), postgres?.stop()]))

async function command<T>(...words: string[]): Promise<T> {
  const client = load('@redis/client').createClient({ url: redis?.url })
  await client.connect()
  const answer = await client.sendCommand(words)
  client.destroy()
  return answer as T
}

async function query<T>(text: string): Promise<T[]> {
  const client = new (load('pg').Client)({ connectionString: postgres?.url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows as T[]
}

const kinds: readonly Kind[] = [
  {
    name: 'Redis',
    server: redis,
    open: (place, leaseMs = 60_000) =>
      openRedisStore({ url: redis?.url ?? '', prefix: `${place}:`, leaseMs, now }),
    async spoil(place, what) {
      if (what === 'leases') await command('DEL', ...(await command<string[]>('KEYS', `${place}:l:*`)))
      else if (what === 'version') await command('SET', `${place}:version`, '99')
      else if (what === 'response') await command('HSET', `${place}:r:ann\nresponse\nr1`, 'body', '{"x":1}')
      else await command('HSET', `${place}:i:ann\nresponse\nr1`, '1', '1\n{"x":1}')
    },
    async bytes(place) {
      const script = `local sum = 0
        for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
          sum = sum + redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0)
        end
        return sum`
      return command<number>('EVAL', script, '0', `${place}:*`)
    },
  },
  {
    name: 'Postgres',
    server: postgres,
    open: (place, leaseMs = 60_000) =>
      openPostgresStore({ url: postgres?.url ?? '', schema: place, leaseMs, now }),
    async spoil(place, what) {
      if (what === 'leases') await query(`DELETE FROM "${place}".leases`)
      else if (what === 'version') await query(`INSERT INTO "${place}".migrations VALUES (99)`)
      else if (what === 'response') await query(`UPDATE "${place}".records SET body = '{"x":1}'`)
      else await query(`UPDATE "${place}".items SET json = '{"x":1}' WHERE part = 'input'`)
    },
    async bytes(place) {
      const [row] = await query<{ bytes: string }>(
        `SELECT sum(pg_column_size(i.*))::text AS bytes FROM "${place}".items i`,
      )
      return Number(row?.bytes)
    },
  },
]

describe.each(kinds)('$name', ({ server, open, spoil, bytes }) => {
  const isHere = test.skipIf(server === undefined)
  const place = (): string => `p${randomUUID()}`
  const unfinished = response('r1', { status: 'in_progress', response: '{"status":"in_progress"}' })

  isHere(
    'What a gateway that fell silent worked on is ended by others, and it cannot write it any more.',
    async () => {
      const at = place()
      const silent = await open(at)
      await silent.saveResponse(unfinished)
      // As if its process had slept for longer than its lease.
      await spoil(at, 'leases')
      const other = await open(at, 400)
      await until(async () => {
        await other.maintain()
        return (await other.getResponse('ann', 'r1'))?.status === 'failed'
      })
      const found = JSON.parse((await other.getResponse('ann', 'r1'))?.response ?? '')
      expect(found.error.code).toBe('server_restart')
      expect(await refusal(silent.saveResponse(response('r1')))).toBe('lease_lost')
      expect(await silent.responsesToStop()).toEqual([{ owner: 'ann', id: 'r1' }])
      expect((await other.getResponse('ann', 'r1'))?.status).toBe('failed')
      await Promise.all([silent.close(), other.close()])
    },
  )

  isHere(
    'A gateway that lives is not taken for dead after the server was away for longer than a lease.',
    async () => {
      const at = place()
      const worker = await open(at, 1_000)
      const other = await open(at, 1_000)
      await worker.saveResponse(unfinished)
      await server?.restart()
      for (let n = 0; n < 20; n++) {
        await other.maintain().catch(() => {})
        await pause(50)
      }
      await until(() => worker.saveResponse(response('r1')).then(() => true, unlessRefused))
      expect((await other.getResponse('ann', 'r1'))?.status).toBe('completed')
      await Promise.all([worker.close(), other.close()])
    },
  )

  isHere(
    'What was stored before the server was killed is there after it, and the same store goes on.',
    async () => {
      const store = await open(place())
      await store.saveResponse(response('r1'))
      await server?.restart()
      await until(() =>
        store.saveResponse(response('r2', { previousId: 'r1' })).then(() => true, unlessRefused),
      )
      expect(await store.context('ann', 'r2')).toHaveLength(4)
      await store.close()
    },
  )

  isHere('A response or an item that is not what was written is refused, and can be deleted.', async () => {
    for (const what of ['response', 'item'] as const) {
      const at = place()
      const store = await open(at)
      await store.saveResponse(response('r1'))
      await spoil(at, what)
      expect(await refusal(store.getResponse('ann', 'r1')), what).toBe('record_damaged')
      if (what === 'item') expect(await refusal(store.context('ann', 'r1'))).toBe('record_damaged')
      expect(await store.deleteResponse('ann', 'r1')).toBe(true)
      await store.close()
    }
  })

  isHere('Data of a later version is refused.', async () => {
    const at = place()
    await (await open(at)).close()
    await spoil(at, 'version')
    expect(await refusal(open(at))).toBe('newer_version')
  })

  isHere('Several gateways may open an empty store at the same time.', async () => {
    const at = place()
    const stores = await Promise.all([1, 2, 3, 4].map(() => open(at)))
    await stores[0]?.createConversation(conversation('c1'), items('a'))
    expect(await stores[3]?.getItem('ann', 'c1', 'a')).toBeDefined()
    await Promise.all(stores.map(store => store.close()))
  })

  isHere('What is used is added up over all gateways.', async () => {
    const at = place()
    const [one, other] = [await open(at), await open(at)]
    const row = { hour: 7, model: 'm', upstream: 'u', client: 'c', owner: 'o', requests: 1, failures: 0 }
    const sums = { input: 2, output: 3, cacheRead: 4, cost: 5, unpriced: 6 }
    await one.addUsage?.([
      { ...row, ...sums },
      { ...row, ...sums, model: 'n' },
    ])
    await other.addUsage?.([{ ...row, ...sums }])
    const found = await one.readUsage?.(7)
    expect(found).toContainEqual({
      ...row,
      requests: 2,
      input: 4,
      output: 6,
      cacheRead: 8,
      cost: 10,
      unpriced: 12,
    })
    expect(found).toHaveLength(2)
    expect(await one.readUsage?.(8)).toEqual([])
    await Promise.all([one.close(), other.close()])
  })

  isHere('The room of a conversation grows no faster than what was said.', async () => {
    const sizes = []
    // From where on Redis packs none of its lists.
    for (const length of [200, 800]) {
      const at = place()
      const store = await open(at)
      for (let n = 0; n < length; n++) {
        const previous = n === 0 ? {} : { previousId: `r${n - 1}` }
        await store.saveResponse(
          response(`r${n}`, {
            ...previous,
            output: [{ id: `o${n}`, json: JSON.stringify('x'.repeat(500)) }],
          }),
        )
      }
      sizes.push(await bytes(at))
      await store.close()
    }
    const [short = 1, long = 0] = sizes
    expect(Math.log(long / short) / Math.log(4)).toBeLessThan(1.05)
  })
})

test('An address that nobody answers at says so, without the password.', async () => {
  for (const open of [
    () => openRedisStore({ url: 'redis://u:secret@127.0.0.1:1' }),
    () => openPostgresStore({ url: 'postgres://u:secret@127.0.0.1:1/d' }),
  ]) {
    const error = await open().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'unavailable' })
    expect(String(error)).toContain('127.0.0.1:1')
    expect(String(error)).not.toContain('secret')
  }
})

/** A store that is being restarted may refuse for a while; nothing else may. */
function unlessRefused(error: unknown): false {
  expect(error).toMatchObject({ code: expect.stringMatching(/^(?:unavailable|busy)$/) })
  return false
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(50)
}
