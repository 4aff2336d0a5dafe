/** Answers that state no usage to keys with limits: in the background, interrupted, refused. What nobody could count is refused. */
import { defineTool } from '@toolwire/core'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { midnight, setUpTenants as setUp } from '../../support/faults/tenants.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { answerOf, framesOf, wires } from '../../support/faults/wires.ts'
import { openTestSocket } from '../../support/gateway/socket.ts'

/** As an upstream that runs it itself: it says at once that it will, and not what that takes. */
const queued = ({ json }: PendingRequest): void =>
  json(200, { id: 'resp_1', object: 'response', status: 'queued', output: [], usage: null })

/** By the date of the tests: on a later one the store would not know the counters of that day any more. */
const storeOfThatDay = () => createMemoryStore({ now: () => midnight })

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
    for (const store of [undefined, storeOfThatDay()]) {
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
  const { ask, clock } = setUp({ tenants, store: storeOfThatDay() })
  const before = await ask({ background: true }, 'a', 'responses')
  await clock.settle()
  expect([before.status, before.json().status]).toEqual([200, 'queued'])
  const after = await ask({}, 'a', 'responses')
  expect(Number(after.headers['x-ratelimit-remaining-tokens'])).toBeLessThan(50)
})

const left = async ({ send }: ReturnType<typeof setUp>): Promise<number> => {
  const counted = await send('/v1/responses/input_tokens', { body: { model: 'm', input: 'Hello.' } })
  return Number(counted.headers['x-ratelimit-remaining-tokens'])
}
const rich = [{ name: 'ann', key: 'a', tokensPerDay: 10_000 }]
const long = 'word '.repeat(400)

test('A client that interrupts a response before it begins pays for its request, as one that leaves does.', async () => {
  const set = setUp({ tenants: rich, answer: () => {} })
  const socket = await openTestSocket(set.gateway, { headers: { authorization: 'Bearer a' } })
  socket.send({ type: 'response.create', model: 'm', input: long })
  await set.clock.settle()
  expect(set.asked).toHaveLength(1)
  socket.send({ type: 'response.interrupt' })
  expect((await socket.response()).at(-1)).toMatchObject({ error: { code: 'response_interrupted' } })
  await set.clock.settle()
  expect(await left(set)).toBeLessThan(9_600)
})

const refusals = [
  [
    'refuses',
    ({ json }: PendingRequest) => json(400, { error: { message: 'No.', type: 'invalid_request_error' } }),
  ],
  [
    'cannot be asked',
    ({ fail }: PendingRequest) => fail(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
  ],
] as const

test.each(refusals)('What an upstream %s in the background uses no tokens.', async (_, answer) => {
  for (const stream of [false, true]) {
    const set = setUp({ tenants: rich, store: storeOfThatDay(), answer })
    const made = await set.ask({ background: true, stream, input: long }, 'a', 'responses')
    await set.clock.settle()
    expect(made.status).toBe(200)
    expect(await left(set)).toBe(10_000)
  }
})

test.each(wires)(
  'An answer over %s that states no usage and is not streamed is counted by its length.',
  async wire => {
    for (const words of [400, 20_000]) {
      const { usage: _, ...unstated } = (await answerOf('chat', { text: 'word '.repeat(words) })) as {
        usage?: unknown
      }
      const most = 2 * words
      const { ask } = setUp({
        tenants: [{ name: 'ann', key: 'a', tokensPerDay: most }],
        answer: ({ json }) => json(200, unstated),
      })
      const first = await ask({}, 'a', wire)
      expect(first.status).toBe(200)
      const remaining = (await ask({}, 'a', wire)).headers
      const left =
        remaining['x-ratelimit-remaining-tokens'] ?? remaining['anthropic-ratelimit-tokens-remaining']
      expect(Number(left)).toBeLessThan(most - 1.25 * words)
    }
  },
)

test('So is one that an upstream streams although nobody wants a stream, and a stream that breaks off.', async () => {
  const frames = (await framesOf('chat', { text: long })).filter(frame => !frame.includes('"usage":{'))
  for (const stream of [false, true]) {
    const sent = stream ? frames.slice(0, -2) : frames
    const set = setUp({ tenants: rich, answer: asked => void asked.stream().data(sent.join('')).end() })
    await set.ask({ stream }, 'a', 'responses')
    expect(await left(set)).toBeLessThan(9_550)
  }
})

test('A refusal after a round that was answered does not make that round free.', async () => {
  const calls = [{ name: 'clock', id: 'c1', arguments: {} }]
  const first = await answerOf('chat', { calls, usage: { input: 500, output: 10 } })
  const set = setUp({
    tenants: rich,
    answer: ({ json, body }) =>
      JSON.stringify(body).includes('"tool"')
        ? json(400, { error: { message: 'Too long.', type: 'invalid_request_error' } })
        : json(200, first),
    more: { tools: [defineTool({ name: 'clock', description: 'The time', handler: () => 'noon' })] },
  })
  expect((await set.ask({ tools: undefined, input: long }, 'a', 'responses')).status).toBe(400)
  expect(await left(set)).toBeLessThan(9_600)
})

test('So is one that an upstream sends whole although a stream was wanted.', async () => {
  const { usage: _, ...unstated } = (await answerOf('chat', { text: long })) as { usage?: unknown }
  for (const wire of wires) {
    const set = setUp({ tenants: rich, answer: ({ json }) => json(200, unstated) })
    expect((await set.ask({ stream: true }, 'a', wire)).status).toBe(200)
    expect(await left(set)).toBeLessThan(9_550)
  }
})
