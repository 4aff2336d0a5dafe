/** Stores in real servers, each place of them empty at first, and ways to do to them what others might. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgresStore } from '../../../packages/toolwire/src/store/postgres/open-postgres-store.ts'
import { openRedisStore } from '../../../packages/toolwire/src/store/redis/open-redis-store.ts'
import type { SharedStoreOptions } from '../../../packages/toolwire/src/store/shared/shared-store.ts'
import { loadDriver } from '../../../packages/toolwire/src/store/sqlite-driver.ts'
import { openSqliteStore } from '../../../packages/toolwire/src/store/sqlite-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import type { TestServer } from './servers.ts'
import { startPostgres, startRedis } from './servers.ts'

export interface SharedPlaces {
  readonly name: string
  /** `undefined` where it is not installed. */
  readonly server: TestServer | undefined
  open(place: string, options?: SharedStoreOptions): Promise<Store>
  /** Changes what is stored: of the response `r1` of `ann`, or of all. */
  spoil(place: string, what: 'response' | 'item' | 'version' | 'leases' | 'events'): Promise<void>
  bytes(place: string): Promise<number>
}

const load = createRequire(import.meta.url)

export async function redisPlaces(): Promise<SharedPlaces> {
  const server = await startRedis()
  const url = server?.url ?? ''
  async function command<T>(...words: string[]): Promise<T> {
    const client = load('@redis/client').createClient({ url })
    await client.connect()
    const answer = await client.sendCommand(words)
    client.destroy()
    return answer as T
  }
  const drop = async (pattern: string): Promise<void> => {
    const keys = await command<string[]>('KEYS', pattern)
    if (keys.length > 0) await command('DEL', ...keys)
  }
  return {
    name: 'Redis',
    server,
    open: (place, options) => openRedisStore({ url, prefix: `${place}:`, ...options }),
    async spoil(place, what) {
      if (what === 'leases') await drop(`${place}:l:*`)
      else if (what === 'events') await drop(`${place}:e:*`)
      else if (what === 'version') await command('SET', `${place}:version`, '99')
      else if (what === 'response') await command('HSET', `${place}:r:ann\nresponse\nr1`, 'body', '{"x":1}')
      else await command('HSET', `${place}:i:ann\nresponse\nr1`, '1', '1\n{"x":1}')
    },
    bytes(place) {
      const script = `local sum = 0
        for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
          sum = sum + redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0)
        end
        return sum`
      return command<number>('EVAL', script, '0', `${place}:*`)
    },
  }
}

/** Files that several processes share, as the others share a server. */
export async function sqlitePlaces(): Promise<SharedPlaces> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-places-'))
  const fileOf = (place: string): string => join(folder, `${place}.sqlite`)
  const driver = await loadDriver()
  const run = (place: string, sql: string): void => {
    const connection = driver.open(fileOf(place))
    connection.exec(sql)
    connection.close()
  }
  return {
    name: 'SQLite',
    server: {
      url: folder,
      restart: async () => {},
      stop: async () => rmSync(folder, { recursive: true, force: true }),
    },
    // Its processes have locks instead of leases.
    open: (place, { leaseMs: _, ...options } = {}) => openSqliteStore({ path: fileOf(place), ...options }),
    async spoil(place, what) {
      if (what === 'events') run(place, 'DELETE FROM events')
      else if (what === 'version') run(place, 'INSERT INTO migrations VALUES (99, 0)')
      else if (what === 'response') run(place, `UPDATE records SET body = '{"x":1}' WHERE id = 'r1'`)
      else if (what === 'item') run(place, `UPDATE items SET json = '{"x":1}' WHERE part = 'input'`)
    },
    async bytes(place) {
      const connection = driver.open(fileOf(place))
      const [row] = connection.prepare('SELECT sum(length(json)) AS bytes FROM items').all() as {
        bytes: number
      }[]
      connection.close()
      return row?.bytes ?? 0
    },
  }
}

export async function postgresPlaces(): Promise<SharedPlaces> {
  const server = await startPostgres()
  const url = server?.url ?? ''
  async function query<T>(text: string): Promise<T[]> {
    const client = new (load('pg').Client)({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(text)
    await client.end()
    return rows as T[]
  }
  return {
    name: 'Postgres',
    server,
    open: (place, options) => openPostgresStore({ url, schema: place, connections: 4, ...options }),
    async spoil(place, what) {
      if (what === 'leases' || what === 'events') await query(`DELETE FROM "${place}".${what}`)
      else if (what === 'version') await query(`INSERT INTO "${place}".migrations VALUES (99)`)
      else if (what === 'response')
        await query(`UPDATE "${place}".records SET body = '{"x":1}' WHERE id = 'r1'`)
      else await query(`UPDATE "${place}".items SET json = '{"x":1}' WHERE part = 'input'`)
    },
    async bytes(place) {
      const [row] = await query<{ bytes: string }>(
        `SELECT sum(pg_column_size(i.*))::text AS bytes FROM "${place}".items i`,
      )
      return Number(row?.bytes)
    },
  }
}
