/** The stores on servers against the suite for all stores, and against real servers. */
import { randomUUID } from 'node:crypto'
import { afterAll, describe } from 'vitest'
import { openPostgresStore } from '../../packages/toolwire/src/store/postgres/open-postgres-store.ts'
import { openRedisStore } from '../../packages/toolwire/src/store/redis/open-redis-store.ts'
import { startPostgres, startRedis } from '../support/servers/servers.ts'
import { describeStore } from './describe-store.ts'

const redis = await startRedis()
const postgres = await startPostgres()
afterAll(() => Promise.all([redis?.stop(), postgres?.stop()]))

describe.skipIf(redis === undefined)('with a Redis server', () => {
  const url = redis?.url ?? ''
  let prefix = ''
  describeStore('redis', {
    open: options => {
      prefix = `${randomUUID()}:`
      return openRedisStore({ ...options, url, prefix })
    },
    again: options => openRedisStore({ ...options, url, prefix }),
  })
})

describe.skipIf(postgres === undefined)('with a Postgres server', () => {
  const url = postgres?.url ?? ''
  let schema = ''
  describeStore('postgres', {
    isPooled: true,
    open: options => {
      schema = `s${randomUUID()}`
      return openPostgresStore({ ...options, url, schema, connections: 4 })
    },
    again: options => openPostgresStore({ ...options, url, schema, connections: 4 }),
  })
})
