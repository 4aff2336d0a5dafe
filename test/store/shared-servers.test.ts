/** What stores that gateways share can suffer: gateways that die or sleep, servers that restart, and data that is changed. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../packages/toolwire/src/store/postgres/open-postgres-store.ts'
import { openRedisStore } from '../../packages/toolwire/src/store/redis/open-redis-store.ts'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { postgresPlaces, redisPlaces, sqlitePlaces } from '../support/servers/shared-places.ts'
import { conversation, items, refusal, response } from './store-values.ts'

const now = (): number => 1_700_000_000_000

const redis = await redisPlaces()
const kinds = [await sqlitePlaces(), redis, await postgresPlaces()]
afterAll(() => Promise.all(kinds.map(({ server }) => server?.stop())))

test.skipIf(redis.server === undefined)('Nobody waits for a database that Redis does not have.', async () => {
  const error: unknown = await openRedisStore({ url: `${redis.server?.url}/99` }).catch(reason => reason)
  expect(error).toMatchObject({ code: 'no_access', message: expect.stringContaining('such as 0') })
})

test.skipIf(redis.server === undefined)(
  'What is wrong with a user of Redis is said in whole sentences.',
  async () => {
    const url = redis.server?.url.replace('//', '//nobody:secret@') ?? ''
    const error: unknown = await openRedisStore({ url }).catch(reason => reason)
    expect(error).toMatchObject({
      code: 'no_access',
      message: expect.stringMatching(/[^.]\. Check user and password\.$/),
    })
  },
)

describe.each(kinds)('$name', ({ name, server, open: openAt, spoil, bytes }) => {
  // Leases are judged by a clock that runs, whatever the date is.
  const elapsed = (): number => performance.now()
  const open = (at: string, leaseMs = 60_000): Promise<Store> => openAt(at, { leaseMs, now, elapsed })
  const isHere = test.skipIf(server === undefined)
  /** A file has no server that restarts, and locks instead of leases. */
  const isOnServer = test.skipIf(server === undefined || name === 'SQLite')
  const place = (): string => `p${randomUUID()}`
  const unfinished = response('r1', { status: 'in_progress', response: '{"status":"in_progress"}' })

  isOnServer(
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

  isOnServer('What is damaged of a gateway that died keeps nobody from ending the rest.', async () => {
    const at = place()
    const dead = await open(at)
    for (const id of ['r1', 'r2']) await dead.saveResponse({ ...unfinished, id })
    await spoil(at, 'response')
    await spoil(at, 'leases')
    const other = await open(at, 400)
    const last = { ...unfinished, id: 'r2' }
    // Its late save is refused once it was ended. Nobody asks for it, which would end it too.
    await until(async () => {
      await other.maintain()
      return (await dead.responsesToStop()).length > 0
    })
    expect(await refusal(dead.saveResponse(last))).toBe('lease_lost')
    expect(await refusal(other.getResponse('ann', 'r1'))).toBe('record_damaged')
    await Promise.all([dead.close(), other.close()])
  })

  isOnServer(
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

  isOnServer(
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

  isHere(
    'Events are read from any number on, by any gateway, and only their writer may add some.',
    async () => {
      const at = place()
      const [writer, reader] = [await open(at), await open(at)]
      const frames = (...numbers: number[]): string[] => numbers.map(n => `data: ${n}\n\n`)
      await writer.saveResponse(unfinished)
      expect(await reader.readEvents?.('ann', 'r1', 0)).toBeUndefined()
      const woken = new Promise<void>(resolve => reader.watchEvents?.('ann', 'r1', resolve))
      // It may not listen yet when the first one comes.
      for (let first = 0; first < 4; first += 2) {
        await writer.appendEvents?.('ann', 'r1', {
          first: first,
          events: frames(first, first + 1),
          isLast: false,
        })
        await pause(200)
      }
      await woken
      // One that is sent again is not there twice.
      await writer.appendEvents?.('ann', 'r1', { first: 2, events: frames(2, 3), isLast: false })
      const next = 4
      for (const from of [0, 1, 2, 3]) {
        const rest = frames(0, 1, 2, 3).slice(from).join('')
        expect(await reader.readEvents?.('ann', 'r1', from)).toEqual({ text: rest, next, isLast: false })
      }
      expect(await reader.readEvents?.('ann', 'r1', 4)).toEqual({ text: '', next, isLast: false })
      expect(await reader.readEvents?.('bob', 'r1', 0)).toBeUndefined()
      expect(
        await refusalOf(reader.appendEvents?.('ann', 'r1', { first: 4, events: frames(4), isLast: false })),
      ).toBe('lease_lost')
      await writer.saveResponse(response('r1'))
      await writer.appendEvents?.('ann', 'r1', { first: 4, events: frames(4), isLast: true })
      expect(await reader.readEvents?.('ann', 'r1', 4)).toEqual({ text: frames(4)[0], next: 5, isLast: true })
      await spoil(at, 'events')
      expect(await reader.readEvents?.('ann', 'r1', 1)).toBe('gone')
      await writer.saveResponse({ ...unfinished, id: 'r2' })
      await writer.saveResponse(response('r2'))
      // It ended before its first events were written.
      await writer.appendEvents?.('ann', 'r2', { first: 0, events: frames(0), isLast: true })
      expect(await reader.readEvents?.('ann', 'r2', 0)).toEqual({ text: frames(0)[0], next: 1, isLast: true })
      await reader.deleteResponse('ann', 'r1')
      expect(await reader.readEvents?.('ann', 'r1', 1)).toBeUndefined()
      await Promise.all([writer.close(), reader.close()])
    },
  )

  isHere('A response and its first and last events are saved in one step, or neither is.', async () => {
    const at = place()
    const [writer, reader] = [await open(at), await open(at)]
    const frame = (n: number): string => `data: ${n}\n\n`
    await writer.saveResponse(unfinished, { first: 0, events: [frame(0)], isLast: false })
    const last = { first: 1, events: [frame(1), frame(2)], isLast: true }
    await writer.saveResponse(response('r1'), last)
    const all = { text: frame(0) + frame(1) + frame(2), next: 3, isLast: true }
    expect(await reader.getResponse('ann', 'r1')).toMatchObject({ status: 'completed' })
    expect(await reader.readEvents?.('ann', 'r1', 0)).toEqual(all)
    // One whose answer was lost is sent again.
    await writer.saveResponse(response('r1'), last)
    expect(await reader.readEvents?.('ann', 'r1', 0)).toEqual(all)
    await writer.saveResponse({ ...unfinished, id: 'r2' }, { first: 0, events: [frame(0)], isLast: false })
    expect(await reader.readEvents?.('ann', 'r2', 0)).toMatchObject({ next: 1, isLast: false })
    await writer.saveResponse(response('r2'), last)
    expect(await reader.readEvents?.('ann', 'r2', 0)).toMatchObject({ next: 3, isLast: true })
    await writer.saveResponse({ ...unfinished, id: 'r3' })
    await writer.appendEvents?.('ann', 'r3', { first: 0, events: [frame(0)], isLast: false })
    const refused = { ...response('r3'), conversationId: 'none' }
    expect(await refusal(writer.saveResponse(refused, last))).toBe('conversation_not_found')
    expect(await reader.readEvents?.('ann', 'r3', 0)).toEqual({ text: frame(0), next: 1, isLast: false })
    await Promise.all([writer.close(), reader.close()])
  })

  isHere(
    'Events that are sent again beside newer ones are there once, and none follow the last one.',
    async () => {
      const at = place()
      const [writer, reader] = [await open(at), await open(at)]
      const frames = (...numbers: number[]): string[] => numbers.map(n => `data: ${n}\n\n`)
      const add = (first: number, events: string[], isLast = false): Promise<void> | undefined =>
        writer.appendEvents?.('ann', 'r1', { first, events, isLast })
      const read = (from = 0) => reader.readEvents?.('ann', 'r1', from)
      await writer.saveResponse(unfinished, { first: 0, events: frames(0, 1), isLast: false })
      // The answers of these are lost, one after the other.
      await add(0, frames(0, 1, 2))
      await add(0, frames(0, 1, 2, 3, 4))
      expect(await read()).toEqual({ text: frames(0, 1, 2, 3, 4).join(''), next: 5, isLast: false })
      expect(await read(3)).toEqual({ text: frames(3, 4).join(''), next: 5, isLast: false })
      // One that comes late changes nothing.
      await add(0, frames(0, 1, 2))
      expect(await read()).toMatchObject({ next: 5 })
      const end = { first: 0, events: frames(0, 1, 2, 3, 4, 5, 6), isLast: true }
      await writer.saveResponse(response('r1'), end)
      const all = { text: end.events.join(''), next: 7, isLast: true }
      expect(await read()).toEqual(all)
      await add(0, frames(0, 1, 2, 3, 4))
      await add(0, frames(0, 1, 2, 3, 4, 50, 60, 70), true)
      await add(7, frames(70), true)
      expect(await read()).toEqual(all)
      expect(await read(6)).toEqual({ ...all, text: frames(6).join('') })
      await writer.saveResponse({ ...unfinished, id: 'r2' }, { first: 0, events: frames(0), isLast: false })
      // Only that there will be no more is new.
      await writer.appendEvents?.('ann', 'r2', { first: 0, events: frames(0), isLast: true })
      expect(await reader.readEvents?.('ann', 'r2', 0)).toEqual({ text: frames(0)[0], next: 1, isLast: true })
      await Promise.all([writer.close(), reader.close()])
    },
  )

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

test('One connection, which could only listen for events, is refused.', async () => {
  const url = 'postgres://u@127.0.0.1:1/d'
  for (const connections of [1, 0, 2.5]) {
    expect(await refusal(openPostgresStore({ url, connections }))).toBe('invalid')
  }
})

const refusalOf = (attempt: Promise<unknown> | undefined): Promise<string | undefined> =>
  refusal(attempt ?? Promise.resolve())

/** A store that is being restarted may refuse for a while; nothing else may. */
function unlessRefused(error: unknown): false {
  expect(error).toMatchObject({ code: expect.stringMatching(/^(?:unavailable|busy)$/) })
  return false
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(50)
}
