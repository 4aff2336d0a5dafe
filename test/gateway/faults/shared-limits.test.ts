/** The limits of keys on several gateways, with a store that fails, and when they change. */
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { StoreError } from '../../../packages/toolwire/src/store/store-error.ts'
import { sendTo } from '../../support/faults/request.ts'
import { limits, midnight, setUpTenants as setUp } from '../../support/faults/tenants.ts'
import { bodyFor, paths } from '../../support/faults/wires.ts'

test('New limits go on with the counters that there are.', async () => {
  const { gateway, ask, options } = setUp({ tenants: [{ name: 'ann', key: 'a', requestsPerMinute: 2 }] })
  await ask()
  await ask()
  expect((await ask()).status).toBe(429)
  gateway.update({ ...options, tenants: [{ name: 'ann', key: 'a', requestsPerMinute: 3 }] })
  expect(limits(await ask())).toMatchObject({ 'x-ratelimit-remaining-requests': '0' })
  expect((await ask()).status).toBe(429)
})

test('Gateways on one store share the limits.', async () => {
  const store = createMemoryStore({ now: () => midnight })
  const tenants = [{ name: 'ann', key: 'a', requestsPerMinute: 5 }]
  const [one, two] = [setUp({ tenants, store }), setUp({ tenants, store })]
  const all = await Promise.all([...Array(4)].flatMap(() => [one.ask(), two.ask()]))
  expect(all.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(all.filter(({ status }) => status === 429)).toHaveLength(3)
})

test('While the store is away, each gateway holds keys to their limits by itself, and tells the store later.', async () => {
  const store = createMemoryStore({ now: () => midnight })
  const given = store.addCounts?.bind(store)
  let isAway = false
  const flaky = Object.assign(store, {
    addCounts: (...values: Parameters<NonNullable<Store['addCounts']>>) =>
      isAway ? Promise.reject(new StoreError('unavailable', 'Gone.')) : given?.(...values),
  }) as Store
  const tenants = [{ name: 'ann', key: 'a', requestsPerMinute: 3 }]
  const one = setUp({ tenants, store: flaky })
  const two = setUp({ tenants, store: flaky })
  await one.ask()
  isAway = true
  const statuses: unknown[] = []
  for (let n = 0; n < 5; n++) statuses.push((await one.ask()).status)
  expect(statuses).toEqual([200, 200, 429, 429, 429])
  isAway = false
  await one.clock.advance(2_000)
  // It asks for itself, and pays what it owes; what was refused here is not owed.
  await one.ask()
  expect((await two.ask()).status).toBe(429)
  const more = setUp({ tenants: [{ name: 'ann', key: 'a', requestsPerMinute: 10 }], store: flaky })
  // The four that were let in, and no refusal.
  expect(limits(await more.ask())).toMatchObject({ 'x-ratelimit-remaining-requests': '5' })
})

test('Where the limits need the store, a limited key is refused without it, and others are not.', async () => {
  const store = createMemoryStore({ now: () => midnight })
  Object.assign(store, { addCounts: () => Promise.reject(new StoreError('unavailable', 'Gone.')) })
  const { ask } = setUp({
    tenants: [
      { name: 'ann', key: 'a', requestsPerMinute: 3 },
      { name: 'bob', key: 'b' },
    ],
    store,
    more: { limitsWithoutStore: 'refuse' },
  })
  const refused = await ask()
  expect(refused.status).toBe(503)
  expect(refused.json().error).toMatchObject({ code: 'store_unavailable' })
  expect((await ask({}, 'b')).status).toBe(200)
})

test('A request that was refused without the store gives nothing back that it had not taken.', async () => {
  const store = createMemoryStore({ now: () => midnight })
  const given = store.addCounts?.bind(store)
  const asked: string[] = []
  let isAway = true
  Object.assign(store, {
    addCounts(...values: Parameters<NonNullable<Store['addCounts']>>) {
      asked.push(values[0])
      return isAway ? Promise.reject(new StoreError('unavailable', 'Gone.')) : given?.(...values)
    },
  })
  const tenants = [
    { name: 'ann', key: 'a', tokensPerMinute: 1_000 },
    { name: 'bob', key: 'b', requestsPerMinute: 9 },
  ]
  const { ask, clock } = setUp({ tenants, store, more: { limitsWithoutStore: 'refuse' } })
  expect((await ask()).status).toBe(503)
  isAway = false
  await clock.advance(2_000)
  expect((await ask({}, 'b')).status).toBe(200)
  await clock.settle()
  const [ann] = asked
  expect(asked.filter(owner => owner === ann)).toHaveLength(1)
})

test('A store that does not answer keeps nobody waiting for more than a second.', async () => {
  const store = createMemoryStore({ now: () => midnight })
  Object.assign(store, { addCounts: () => new Promise(() => {}) })
  const { gateway, clock } = setUp({ tenants: [{ name: 'ann', key: 'a', requestsPerMinute: 1 }], store })
  const client = sendTo(gateway, paths.chat, {
    body: bodyFor('chat'),
    headers: { authorization: 'Bearer a' },
  })
  await clock.advance(1_000)
  await client.done
  expect(client.status).toBe(200)
})

test.each([
  [[{ name: 'ann' }], '"tenants[0].key" is missing'],
  [[{ name: '*', key: 'x' }], '"tenants[0].key" contradicts'],
  [
    [
      { name: 'ann', key: 'a' },
      { name: 'ann', key: 'b' },
    ],
    'as that of tenants[0]',
  ],
  [
    [
      { name: 'ann', key: 'a' },
      { name: 'bob', key: 'a' },
    ],
    'is that of tenants[0] too',
  ],
  [[{ name: 'ann', key: 'a', upstreams: ['nobody'] }], 'no upstream has this name. There are: "up0"'],
  [[{ name: 'ann', key: 'a', models: ['a*b'] }], '"*" may only stand at the end'],
  [[{ name: 'ann', key: 'a', models: [] }], 'no model would be allowed'],
  [[{ name: 'ann', key: 'a', tokensPerDay: -1 }], 'must be a number that is not below zero'],
  [[{ name: 'ann', key: 'a', rpm: 1 }], 'rpm'],
])('A mistake in tenants is refused at the start: %j', (tenants, message) => {
  expect(() => setUp({ tenants })).toThrow(message)
})
