/** A Redis server whose memory is full: nothing that takes room is stored, and what makes room, or shows who lives, works. */
import { createRequire } from 'node:module'
import { afterAll, expect, test } from 'vitest'
import { openRedisStore } from '../../packages/toolwire/src/store/redis/open-redis-store.ts'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { startRedis } from '../support/servers/servers.ts'
import { conversation, items, refusal, response } from './store-values.ts'

const now = (): number => 1_700_000_000_000
const redis = await startRedis()
afterAll(() => redis?.stop())

async function connected(): Promise<{
  sendCommand(words: readonly string[]): Promise<unknown>
  destroy(): void
}> {
  const client = createRequire(import.meta.url)('@redis/client').createClient({ url: redis?.url })
  client.on('error', () => {})
  await client.connect()
  return client
}

test.skipIf(redis === undefined)(
  'A Redis that drops keys by itself is refused, whichever they are.',
  async () => {
    const client = await connected()
    const open = (): Promise<Store> => openRedisStore({ url: redis?.url ?? '' })
    const setPolicy = (policy: string): Promise<unknown> =>
      client.sendCommand(['CONFIG', 'SET', 'maxmemory-policy', policy])
    for (const policy of ['allkeys-lru', 'volatile-lru', 'volatile-ttl']) {
      await setPolicy(policy)
      expect(await refusal(open()), policy).toBe('invalid')
    }
    await setPolicy('noeviction')
    await (await open()).close()
    client.destroy()
  },
)

test.skipIf(redis === undefined)(
  'A full Redis refuses what takes room, each as a whole, and lets others delete, cancel, sweep and live.',
  async () => {
    const url = redis?.url ?? ''
    const client = await connected()
    const setMemory = (bytes: number): Promise<unknown> =>
      client.sendCommand(['CONFIG', 'SET', 'maxmemory', String(bytes)])
    // Others are judged by a clock that the test moves.
    let elapsed = 0
    const options = { url, now, leaseMs: 3_600_000 }
    const store = await openRedisStore({ ...options, elapsed: () => elapsed })
    const dead = await openRedisStore(options)
    const unfinished = { status: 'in_progress', response: '{"status":"in_progress"}' }
    await store.saveResponse(response('r0', { expiresAt: now() + 1 }))
    await store.saveResponse(response('r1'))
    await store.saveResponse(response('r2', unfinished))
    await dead.saveResponse(response('r3', unfinished))
    await store.createConversation(conversation('c1'), items('a', 'b'))
    await setMemory(1)
    const growing = {
      'a new response': () => store.saveResponse(response('r9')),
      'the end of a response': () => store.saveResponse(response('r2')),
      'a new conversation': () => store.createConversation(conversation('c9'), items('z')),
      'more items': () => store.appendItems('ann', 'c1', items('c')),
      'a claim': () => store.claimIds('ann', 'up', ['x'], now() + 1000),
      'a look at whether it can be written': () => store.check(),
    }
    for (const [what, act] of Object.entries(growing)) expect(await refusal(act()), what).toBe('full')
    expect(await store.getResponse('ann', 'r9')).toBeUndefined()
    expect(await store.getResponse('ann', 'r2')).toMatchObject({ status: 'in_progress' })
    expect(await store.requestCancel('ann', 'r2')).toBe(true)
    expect(await store.responsesToStop()).toEqual([{ owner: 'ann', id: 'r2' }])
    expect(await store.deleteItem('ann', 'c1', 'a')).toBe(true)
    expect(await store.deleteResponse('ann', 'r1')).toBe(true)
    expect(await refusal(store.saveResponse(response('r1')))).toBe('response_deleted')
    // One that dies now ends as it would at any other time.
    await client.sendCommand(['EVAL', "redis.call('DEL', unpack(redis.call('KEYS', '*}:l:*')))", '0'])
    await store.maintain()
    elapsed += options.leaseMs
    await store.maintain()
    expect(await store.getResponse('ann', 'r3')).toMatchObject({ status: 'failed' })
    expect(await store.getResponse('ann', 'r2')).toMatchObject({ status: 'in_progress' })
    expect(await store.sweep(now() + 2)).toBe(1)
    await setMemory(0)
    await store.saveResponse(response('r2'))
    expect(await store.getResponse('ann', 'r2')).toMatchObject({ status: 'completed' })
    await store.check()
    await store.close()
    await dead.close()
    client.destroy()
  },
)
