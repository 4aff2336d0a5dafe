/** Background responses of keys with limits: what nobody could count is refused. */
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { setUpTenants as setUp } from '../../support/faults/tenants.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'

/** As an upstream that runs it itself: it says at once that it will, and not what that takes. */
const queued = ({ json }: PendingRequest): void =>
  json(200, { id: 'resp_1', object: 'response', status: 'queued', output: [], usage: null })

const tenants = [
  { name: 'ann', key: 'a', tokensPerDay: 100 },
  { name: 'bob', key: 'b', requestsPerMinute: 10 },
]

const bodies = [
  ['is short', { background: true }],
  ['is long', { background: true, input: 'x'.repeat(600_000) }],
  ['is streamed', { background: true, stream: true }],
] as const

test.each(bodies)(
  'What an upstream would run in the background is refused to a key whose tokens are limited, if it %s.',
  async (_, body) => {
    for (const store of [undefined, createMemoryStore()]) {
      const { ask, asked } = setUp({
        tenants,
        upstreams: [{ wire: 'responses' }],
        answer: queued,
        ...(store && { store }),
      })
      const refused = await ask(body, 'a', 'responses')
      expect(refused.json().error).toMatchObject({ code: 'not_metered', param: 'background' })
      expect([refused.status, asked.length]).toEqual([403, 0])
    }
  },
)

test('It passes for a key whose requests alone are counted.', async () => {
  const { ask, asked } = setUp({ tenants, upstreams: [{ wire: 'responses' }], answer: queued })
  expect((await ask({ background: true }, 'b', 'responses')).status).toBe(200)
  expect(asked).toHaveLength(1)
})

test('Where the gateway keeps the state, it runs the response and counts it.', async () => {
  const { ask, clock } = setUp({ tenants, store: createMemoryStore() })
  const before = await ask({ background: true }, 'a', 'responses')
  await clock.settle()
  expect([before.status, before.json().status]).toEqual([200, 'queued'])
  const after = await ask({}, 'a', 'responses')
  expect(Number(after.headers['x-ratelimit-remaining-tokens'])).toBeLessThan(50)
})
