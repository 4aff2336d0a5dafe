/** Connections to a server that are of no use any more: a firewall forgot them, or they lead to one that others have replaced. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../packages/toolwire/src/store/postgres/open-postgres-store.ts'
import {
  answerMs,
  connectMs,
  statementMs,
} from '../../packages/toolwire/src/store/postgres/postgres-procedures.ts'
import { openRedisStore } from '../../packages/toolwire/src/store/redis/open-redis-store.ts'
import { answerMs as redisAnswerMs } from '../../packages/toolwire/src/store/redis/redis-procedures.ts'
import { limitMs } from '../../packages/toolwire/src/store/with-deadline.ts'
import { startPostgres, startRedis } from '../support/servers/servers.ts'
import { response } from './store-values.ts'

const redis = await startRedis()
const postgres = await startPostgres()
afterAll(() => Promise.all([redis?.stop(), postgres?.stop()]))

const options = { now: () => 0, elapsed: () => performance.now() }
const kinds = [
  {
    name: 'Redis',
    server: redis,
    open: (url: string) => openRedisStore({ ...options, url, prefix: `${randomUUID()}:` }),
  },
  {
    name: 'Postgres',
    server: postgres,
    open: (url: string) => openPostgresStore({ ...options, url, schema: `s${randomUUID()}`, connections: 2 }),
  },
]

test('What a server is waited for is less than the gateway waits for its store: what that gave up must not happen later.', () => {
  expect(redisAnswerMs).toBeLessThan(limitMs)
  expect(connectMs + answerMs).toBeLessThan(limitMs)
  expect(statementMs).toBeLessThan(answerMs)
})

describe.each(kinds)('$name', ({ server, open }) => {
  test.skipIf(server === undefined)(
    'A connection that falls silent is given up, and the store goes on over another.',
    async () => {
      const way = await forgetfulWay(new URL(server?.url ?? ''))
      const store = await open(way.url)
      await store.saveResponse(response('r1'))
      way.forget()
      // Whatever else is sent meanwhile does not make it look alive.
      const attempts = setInterval(() => void store.getResponse('ann', 'r1').catch(() => {}), 300)
      const failed = await Promise.allSettled([store.check(), store.saveResponse(response('r2'))])
      clearInterval(attempts)
      // Others of several connections are new.
      expect(failed.map(({ status }) => status)).toContain('rejected')
      // The log and /ready repeat it to people.
      const reasons = failed.flatMap(each => (each.status === 'rejected' ? [String(each.reason)] : []))
      expect(reasons.join()).toMatch(/no answer came for 8 s|timeout/)
      await expect.poll(() => store.check().then(() => 'well', String), { timeout: 10_000 }).toBe('well')
      expect(await store.getResponse('ann', 'r1')).toBeDefined()
      await store.close()
      way.close()
    },
    40_000,
  )
})

test.skipIf(redis === undefined)(
  'A connection to a Redis server that only follows another by now is given up, and the next one is used.',
  async () => {
    const url = redis?.url ?? ''
    const client = createRequire(import.meta.url)('@redis/client').createClient({ url })
    client.on('error', () => {})
    await client.connect()
    const way = await forgetfulWay(new URL(url))
    const store = await openRedisStore({ ...options, url: way.url, prefix: `${randomUUID()}:` })
    await store.saveResponse(response('r1'))
    const [used] = way.open()
    await client.sendCommand(['REPLICAOF', '127.0.0.1', '1'])
    const refused = await store.saveResponse(response('r2')).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'unavailable', message: expect.stringContaining('primary') })
    // Its address may lead to another server now.
    await expect.poll(() => way.open().some(each => each !== used)).toBe(true)
    expect(way.open()).not.toContain(used)
    await client.sendCommand(['REPLICAOF', 'NO', 'ONE'])
    await expect.poll(() => store.saveResponse(response('r2')).then(() => 'well', String)).toBe('well')
    await store.close()
    way.close()
    client.destroy()
  },
)

/** Passes bytes on, until it forgets the connections that there are. */
async function forgetfulWay(
  target: URL,
): Promise<{ url: string; open(): readonly Socket[]; forget(): void; close(): void }> {
  const sockets = new Set<Socket>()
  let known = new Set<Socket>()
  const server = createServer(client => {
    const onward = connect(Number(target.port), target.hostname)
    known.add(client)
    for (const [from, to] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(from)
      from.on('data', data => known.has(client) && to.write(data))
      from.on('close', () => known.has(client) && to.destroy())
      from.on('error', () => {})
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    open: () => [...known].filter(({ destroyed }) => !destroyed),
    forget() {
      known = new Set()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
