/** Keys as tenants: what each may use and how much. */
import { defineTool } from '@toolwire/core'
import { expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { sendTo } from '../../support/faults/request.ts'
import { limits, midnight, minute, setUpTenants as setUp, whole } from '../../support/faults/tenants.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, framesOf, paths, wires } from '../../support/faults/wires.ts'
import { openTestSocket } from '../../support/gateway/socket.ts'
import { buildWorkerFile } from '../../support/gateway/worker-file.ts'

test.each(wires)(
  'Over %s, a key that has made its requests of this minute is refused until the next.',
  async wire => {
    const { ask, asked, clock } = setUp({
      tenants: [
        { name: 'ann', key: 'a', requestsPerMinute: 2 },
        { name: 'bob', key: 'b' },
      ],
    })
    await clock.advance(15_500)
    expect((await ask({}, 'a', wire)).status).toBe(200)
    expect((await ask({ stream: true }, 'a', wire)).status).toBe(200)
    const refused = await ask({}, 'a', wire)
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('45')
    expect(refused.headers['x-should-retry']).toBeUndefined()
    expect(refused.json().error).toMatchObject({
      message: 'The key "ann" has reached its limit of 2 requests a minute. Please try again in 45s.',
      type: 'rate_limit_error',
      ...(wire !== 'messages' && { code: 'rate_limit_exceeded' }),
    })
    expect((await ask({}, 'b', wire)).status).toBe(200)
    expect(asked).toHaveLength(3)
    await clock.advance(44_500)
    expect((await ask({}, 'a', wire)).status).toBe(200)
  },
)

test('Each family of clients is told in its own headers what is left.', async () => {
  const tenants = [{ name: 'ann', key: 'a', requestsPerMinute: 10, tokensPerMinute: 1000, tokensPerDay: 700 }]
  const { ask, clock } = setUp({ tenants })
  await clock.advance(1_000)
  await ask()
  expect(limits(await ask())).toMatchObject({
    'x-ratelimit-limit-requests': '10',
    'x-ratelimit-remaining-requests': '8',
    'x-ratelimit-reset-requests': '59s',
    'x-ratelimit-limit-tokens': '700',
    'x-ratelimit-reset-tokens': '23h59m59s',
  })
  const messages = limits(await ask({}, 'a', 'messages')) as Record<string, string>
  expect(messages).toMatchObject({
    'anthropic-ratelimit-requests-limit': '10',
    'anthropic-ratelimit-requests-remaining': '7',
    'anthropic-ratelimit-requests-reset': '2026-11-18T00:01:00Z',
    'anthropic-ratelimit-tokens-limit': '700',
    'anthropic-ratelimit-tokens-reset': '2026-11-19T00:00:00Z',
  })
  for (const kind of ['input-tokens', 'output-tokens']) {
    expect(messages[`anthropic-ratelimit-${kind}-remaining`]).toBe(
      messages['anthropic-ratelimit-tokens-remaining'],
    )
  }
  expect(Object.keys(messages).some(name => name.startsWith('x-ratelimit'))).toBe(false)
})

test('A key without limits is told nothing, and nothing is counted for it.', async () => {
  const store = createMemoryStore()
  let counted = 0
  const addCounts: Store['addCounts'] = async () => {
    counted++
    return { isAdded: true, values: [] }
  }
  const { ask } = setUp({
    tenants: [{ name: 'ann', key: 'a', models: ['m'] }],
    store: Object.assign(store, { addCounts }),
  })
  expect(limits(await ask())).toEqual({})
  expect(counted).toBe(0)
})

/** As many tokens as the answers above say, whatever was estimated. */
const used = 50

test.each([
  ['whole', {}, 'chat'],
  ['streamed', { stream: true, stream_options: { include_usage: true } }, 'chat'],
  ['converted', {}, 'messages'],
  ['converted and streamed', { stream: true }, 'responses'],
] as const)(
  'The tokens of an answer, %s, are counted when it ends, in place of an estimate.',
  async (_, body, wire) => {
    const { ask, clock } = setUp({ tenants: [{ name: 'ann', key: 'a', tokensPerMinute: 4 * used }] })
    for (let n = 0; n < 4; n++) expect((await ask(body, 'a', wire)).status).toBe(200)
    expect((await ask(body, 'a', wire)).status).toBe(429)
    await clock.advance(minute)
    expect((await ask(body, 'a', wire)).status).toBe(200)
  },
)

test('While an answer is under way, its estimate is taken; what fails gives it back.', async () => {
  const waiting: PendingRequest[] = []
  const { gateway, ask, clock } = setUp({
    tenants: [{ name: 'ann', key: 'a', tokensPerMinute: 1000 }],
    answer: asked => void waiting.push(asked),
  })
  const content = 'x'.repeat(4_000)
  const body = { model: 'm', messages: [{ role: 'user', content }] }
  const first = sendTo(gateway, paths.chat, { body, headers: { authorization: 'Bearer a' } })
  await clock.settle()
  expect((await ask()).status).toBe(429)
  waiting[0]?.json(500, { error: { message: 'No.' } })
  await first.done
  await clock.settle()
  const second = sendTo(gateway, paths.chat, { body, headers: { authorization: 'Bearer a' } })
  await clock.settle()
  expect(waiting).toHaveLength(2)
  waiting[1]?.json(200, whole)
  await second.done
  expect(second.status).toBe(200)
})

test('A stream that states no usage is counted by its length.', async () => {
  const text = 'word '.repeat(400)
  const long = (await framesOf('chat', { text })).filter(frame => !frame.includes('"usage":{')).join('')
  const { ask } = setUp({
    tenants: [{ name: 'ann', key: 'a', tokensPerMinute: 500 }],
    answer: asked => void asked.stream().data(long).end(),
  })
  expect((await ask({ stream: true })).status).toBe(200)
  expect((await ask({ stream: true })).status).toBe(429)
})

test('A large picture is not taken for a long text.', async () => {
  const { ask } = setUp({ tenants: [{ name: 'ann', key: 'a', tokensPerMinute: 5000 }] })
  const url = `data:image/png;base64,${'A'.repeat(400_000)}`
  const content = [{ type: 'image_url', image_url: { url } }]
  const answer = await ask({ messages: [{ role: 'user', content }] })
  expect(Number(answer.headers['x-ratelimit-remaining-tokens'])).toBeGreaterThan(3000)
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(400_000) }
  const image = [{ type: 'image', source }]
  const messages = await ask({ messages: [{ role: 'user', content: image }] }, 'a', 'messages')
  expect(Number(messages.headers['anthropic-ratelimit-tokens-remaining'])).toBeGreaterThan(3000)
})

test('A budget in tokens is for a day, and says that trying again is of no use.', async () => {
  const { ask, clock } = setUp({ tenants: [{ name: 'ann', key: 'a', tokensPerDay: used }] })
  await ask()
  const refused = await ask()
  expect(refused.status).toBe(429)
  expect(refused.headers).toMatchObject({ 'retry-after': '86400', 'x-should-retry': 'false' })
  expect(refused.json().error).toMatchObject({
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message:
      'The key "ann" has used up its budget of 50 tokens a day. It begins anew at 2026-11-19T00:00:00Z.',
  })
  expect((await ask({}, 'a', 'messages')).json().error).toMatchObject({ type: 'billing_error' })
  await clock.advance(24 * 60 * minute)
  expect((await ask()).status).toBe(200)
})

test('A budget in money is counted by the prices, and a model without one is refused.', async () => {
  const about = { source: 'test', date: '2026-11' }
  const { ask } = setUp({
    tenants: [{ name: 'ann', key: 'a', dollarsPerDay: 0.001 }],
    // 30 tokens in and 20 out are 0.0005 dollars.
    more: { prices: [{ model: 'm', input: 5, output: 17.5, ...about }] },
  })
  expect((await ask()).status).toBe(200)
  expect((await ask()).status).toBe(200)
  expect((await ask()).json().error).toMatchObject({
    code: 'insufficient_quota',
    message: expect.stringContaining('0.001 US dollars a day'),
  })
  const unknown = await ask({ model: 'other' })
  expect(unknown.status).toBe(403)
  expect(unknown.json().error).toMatchObject({ code: 'price_unknown' })
})

test('A key uses and sees only its models, of its upstreams.', async () => {
  const { ask, send, asked } = setUp({
    tenants: [
      { name: 'ann', key: 'a', models: ['gpt-*', 'qwen3'] },
      { name: 'bob', key: 'b', upstreams: ['up1'] },
    ],
    upstreams: [{ models: ['gpt-5', 'claude', 'shared'] }, { models: ['qwen3', 'shared'] }],
  })
  const ids = async (key: string): Promise<unknown> =>
    ((await send('/v1/models', {}, key)).json().data as { id: string }[]).map(({ id }) => id)
  expect(await ids('a')).toEqual(['gpt-5', 'qwen3'])
  expect(await ids('b')).toEqual(['qwen3', 'shared'])
  const status = async (model: string, key: string): Promise<unknown> => (await ask({ model }, key)).status
  expect(await status('gpt-5', 'a')).toBe(200)
  expect(await status('up1/qwen3', 'a')).toBe(200)
  expect(await status('claude', 'a')).toBe(403)
  expect(await status('up0/claude', 'a')).toBe(403)
  expect(await status('gpt-5', 'b')).toBe(403)
  asked.splice(0)
  expect(await status('shared', 'b')).toBe(200)
  expect(asked[0]).toContain('up1')
  expect((await send('/v1/models/claude', {}, 'a')).status).toBe(403)
  const unserved = await ask({ model: 'gpt-6' })
  expect(unserved.json().error).toMatchObject({ code: 'model_not_found' })
  expect(unserved.text).not.toContain('claude')
  expect((await ask({ model: 'claude' })).json().error).toMatchObject({ code: 'model_not_allowed' })
})

test.each([
  ['small', {}],
  ['with an escaped name', { 'od\\d': 1 }],
  ['in a worker thread', { metadata: { note: 'x'.repeat(5_000) } }],
])('A request that lets the upstream choose another model is refused (%s).', async (_, more) => {
  const { ask, asked, gateway } = setUp({
    more: { limits: { workers: 1, inlineBytes: 4_000 }, workerFile: await buildWorkerFile() },
    tenants: [
      { name: 'ann', key: 'a', models: ['gpt-*'] },
      { name: 'bob', key: 'b' },
    ],
    upstreams: [{ models: ['gpt-5', 'claude'] }],
  })
  for (const field of ['models', 'fallbacks']) {
    const body = { model: 'gpt-5', [field]: ['claude'], ...more }
    const refused = await ask(body, 'a')
    expect(refused.status, refused.text).toBe(403)
    expect(refused.json().error).toMatchObject({ code: 'model_not_allowed', param: field })
    expect(asked).toEqual([])
    await ask(body, 'b')
    expect(asked.splice(0)).toHaveLength(1)
  }
  await gateway.close()
})

test('The entry "*" is for every key without one of its own, each by itself, and for clients without keys.', async () => {
  const rule = { name: '*', requestsPerMinute: 1 }
  const several = setUp({
    tenants: [rule, { name: 'ann', key: 'a' }],
    more: { keys: ['b', 'c'] },
  })
  const statuses = async (setting: typeof several, ...keys: string[]): Promise<unknown[]> => {
    const found: unknown[] = []
    for (const key of keys) found.push((await setting.ask({}, key)).status)
    return found
  }
  expect(await statuses(several, 'a', 'a', 'b', 'b', 'c', 'c', 'd')).toEqual([
    200, 200, 200, 429, 200, 429, 401,
  ])
  expect(await statuses(setUp({ tenants: [rule] }), 'x', 'y')).toEqual([200, 429])
})

test('Counted tokens, background responses, and turns of whatever kind are requests like the rest.', async () => {
  const store = createMemoryStore({ now: () => midnight })
  const { ask, send, gateway } = setUp({
    tenants: [{ name: 'ann', key: 'a', requestsPerMinute: 4, tokensPerMinute: 4 * used }],
    store,
  })
  const counted = await send('/v1/messages/count_tokens', { body: bodyFor('messages') })
  expect(counted.status).toBe(200)
  expect((await ask({ background: true }, 'a', 'responses')).status).toBe(200)
  await gateway.drain(0)
  const left = await ask({}, 'a', 'responses')
  expect(left.status).toBe(503)
  expect(limits(counted)).toMatchObject({ 'anthropic-ratelimit-tokens-remaining': '200' })
  const after = setUp({
    tenants: [{ name: 'ann', key: 'a', requestsPerMinute: 4, tokensPerMinute: 200 }],
    store,
  })
  expect(limits(await after.send('/v1/messages/count_tokens', { body: bodyFor('messages') }))).toMatchObject({
    'anthropic-ratelimit-requests-remaining': '1',
    'anthropic-ratelimit-tokens-remaining': '150',
  })
})

test('Tools that the gateway runs, and the rounds after them, count with all their tokens.', async () => {
  const calls = [{ name: 'clock', id: 'c1', arguments: {} }]
  const first = await answerOf('chat', { calls, usage: { input: 100, output: 10 } })
  const { ask } = setUp({
    tenants: [{ name: 'ann', key: 'a', tokensPerMinute: 160 }],
    answer: asked => asked.json(200, JSON.stringify(asked.body).includes('"tool"') ? whole : first),
    more: {
      tools: [defineTool({ name: 'clock', description: 'The time', handler: () => 'noon' })],
    },
  })
  const { status, text } = await ask({ tools: undefined })
  expect(status, text).toBe(200)
  // 110 and 50 are all that there is.
  expect((await ask({ tools: undefined })).status).toBe(429)
})

test('The summary of a compaction counts with the answer after it.', async () => {
  const { ask, asked } = setUp({ tenants: [{ name: 'ann', key: 'a', tokensPerMinute: 2 * used }] })
  const body = {
    input: [1, 2, 3].flatMap(n => [
      { role: 'user', content: `Question ${n}` },
      { role: 'assistant', content: `Answer ${n}` },
    ]),
    tools: undefined,
    context_management: [{ type: 'compaction', compact_threshold: 1 }],
  }
  const { status, text } = await ask(body, 'a', 'responses')
  expect(status, text).toBe(200)
  expect(asked).toHaveLength(2)
  expect((await ask({}, 'a', 'responses')).status).toBe(429)
})

test('What passes unread is for keys whose use need not be seen.', async () => {
  const { send, asked } = setUp({
    tenants: [
      { name: 'ann', key: 'a', tokensPerDay: 9 },
      { name: 'bob', key: 'b', requestsPerMinute: 1 },
      { name: 'eve', key: 'e', upstreams: ['up1'] },
    ],
    upstreams: [{ otherPaths: ['embeddings'] }, { wire: 'messages' }],
  })
  const status = async (key: string): Promise<unknown> =>
    (await send('/v1/embeddings', { body: { input: 'x' } }, key)).status
  expect(await status('a')).toBe(403)
  expect(await status('b')).toBe(200)
  expect(await status('b')).toBe(429)
  expect(await status('e')).toBe(404)
  expect(asked).toHaveLength(1)
})

test('Each turn on a WebSocket is a request, and its refusal an event.', async () => {
  const { gateway } = setUp({
    tenants: [{ name: 'ann', key: 'a', requestsPerMinute: 2, tokensPerMinute: 5000 }],
    store: createMemoryStore({ now: () => midnight }),
  })
  const socket = await openTestSocket(gateway, { headers: { authorization: 'Bearer a' } })
  const create = { type: 'response.create', model: 'm', input: 'Hello.' }
  socket.send({ ...create, generate: false })
  expect((await socket.response()).at(-1)?.type).toBe('response.completed')
  const types: unknown[] = []
  for (let n = 0; n < 3; n++) {
    socket.send(create)
    types.push((await socket.response()).at(-1))
  }
  expect(types).toMatchObject([
    { type: 'response.completed' },
    { type: 'response.completed' },
    { type: 'error', error: { code: 'rate_limit_exceeded' } },
  ])
  socket.disconnect()
})
