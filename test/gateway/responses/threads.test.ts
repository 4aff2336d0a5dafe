/** Threads of Messages on the gateway's store, whichever wire the upstream speaks. */
import { calls, fails, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { StoreError } from '../../../packages/toolwire/src/store/store-error.ts'
import { clients } from '../../support/open-responses/clients.ts'
import type { Harness, Json } from '../../support/open-responses/gateway.ts'
import { clientOf, openHarness } from '../../support/open-responses/gateway.ts'

const user = (content: unknown): Json => ({ role: 'user', content })
const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }]
const look = calls({ name: 'look', arguments: { at: 'sky' }, id: 'call_a' })
const result = user([{ type: 'tool_result', tool_use_id: 'call_a', content: 'blue' }])
const create = { thread: { type: 'create' } }
const follow = (previous_message_id: unknown): Json => ({ thread: { type: 'continue', previous_message_id } })

const path = '/v1/messages'
const bodyOf = (message: Json, more: Json): Json => ({
  model: 'm',
  max_tokens: 100,
  messages: [message],
  ...more,
})

interface Told {
  readonly id: string
  readonly text: string
}

async function ask({ post }: Pick<Harness, 'post'>, message: Json, more: Json): Promise<Told> {
  const answer = await post(path, bodyOf(message, more))
  expect(answer.status, answer.text).toBe(200)
  const id = more.stream === true ? /"id":"(msg_[^"]+)"/.exec(answer.text)?.[1] : (answer.json().id as string)
  return { id: id ?? '', text: clients.messages.read(answer).text }
}

async function codeOf({ post }: Pick<Harness, 'post'>, message: Json, more: Json): Promise<unknown> {
  const answer = await post(path, bodyOf(message, more))
  const { error } = answer.json() as { error: { details?: { error_code?: unknown } } }
  const code = error.details?.error_code
  // The statuses of the errors that Anthropic's SDK knows by these codes.
  expect(answer.status).toBe(code === 'thread_not_found' ? 404 : 400)
  return code
}

const upstreams = (['chat', 'messages', 'responses'] as const).flatMap(to =>
  [false, true].map(stream => ({ to, stream })),
)

describe.each(upstreams)('over $to, stream: $stream', ({ to, stream }) => {
  test('A thread brings its history, system prompt and tools to each request.', async () => {
    const stage = openHarness(to, [look, says('Blue.'), says('Yes.')])
    const first = await ask(stage, user('What colour?'), { system: 'Be brief.', tools, stream, ...create })
    const second = await ask(stage, result, { stream, ...follow(first.id) })
    expect(second.text).toBe('Blue.')
    const third = await ask(stage, user('Sure?'), { stream, ...follow(second.id) })
    expect(third.text).toBe('Yes.')
    expect(new Set([first.id, second.id, third.id]).size).toBe(3)
    const last = stage.model.requests[2]
    expect(last?.system).toBe('Be brief.')
    expect(last?.toolNames).toEqual(['look'])
    expect(last?.results.map(({ callId, text }) => [callId, text])).toEqual([['call_a', 'blue']])
    expect(last?.user).toBe('Sure?')
    expect(JSON.stringify(last?.body)).toContain('What colour?')
    expect(last?.body.thread).toBeUndefined()
  })

  test('An answer in a thread is continued once, and a request that failed leaves it to another.', async () => {
    const stage = openHarness(to, [says('One.'), fails(500, 'Broken.'), says('Two.')])
    const first = await ask(stage, user('A'), { stream, ...create })
    const failed = await stage.post(path, bodyOf(user('B'), { stream, ...follow(first.id) }))
    expect(failed.status).toBe(500)
    expect((await ask(stage, user('B'), { stream, ...follow(first.id) })).text).toBe('Two.')
    expect(await codeOf(stage, user('C'), { stream, ...follow(first.id) })).toBe('thread_already_continued')
  })
})

test('Of several that continue the same answer at once, one does, and the others hear that it is in flight.', async () => {
  let release = (): void => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const stage = openHarness('chat', [says('One.'), () => held.then(() => says('Two.'))])
  const first = await ask(stage, user('A'), create)
  let refusals = 0
  const asked = [1, 2, 3].map(() => stage.post(path, bodyOf(user('B'), follow(first.id))))
  for (const each of asked) void each.then(({ status }) => (status === 400 ? refusals++ : 0))
  while (refusals < 2) await new Promise(resolve => setImmediate(resolve))
  release()
  const all = await Promise.all(asked)
  expect(all.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
  for (const refused of all.filter(({ status }) => status === 400)) {
    expect(refused.json().error).toMatchObject({ details: { error_code: 'thread_continue_in_flight' } })
  }
})

test('An answer whose end in the thread could not be noted leaves the thread to another request.', async () => {
  const store = createMemoryStore()
  const stage = openHarness('chat', [says('A.'), says('B.'), says('C.')], { store })
  const first = await ask(stage, user('One.'), create)
  const { swapClaim } = store
  let isLost = false
  store.swapClaim = (holder, id, expected, owner, expiresAt) => {
    if (owner !== 'continued' || isLost) return swapClaim.call(store, holder, id, expected, owner, expiresAt)
    isLost = true
    return Promise.reject(new StoreError('unavailable', 'Not now.'))
  }
  const failed = await stage.post(path, bodyOf(user('Two.'), follow(first.id)))
  expect([failed.status, isLost]).toEqual([503, true])
  expect((await ask(stage, user('Two.'), follow(first.id))).text).toBe('C.')
  expect(await codeOf(stage, user('Two.'), follow(first.id))).toBe('thread_already_continued')
})

test('What was set when a thread began cannot be changed in it, and may be repeated.', async () => {
  const stage = openHarness('chat', () => says('Fine.'))
  const first = await ask(stage, user('A'), { system: 'Be brief.', tools, ...create })
  const changed = { system: 'Be long.', ...follow(first.id) }
  expect(await codeOf(stage, user('B'), changed)).toBe('thread_fingerprint_mismatch')
  await ask(stage, user('B'), { system: 'Be brief.', tools, ...follow(first.id) })
})

test.each([
  ['that does not exist', follow('msg_none'), {}, 'thread_not_found'],
  [
    'with thinking',
    create,
    { thinking: { type: 'enabled', budget_tokens: 1024 } },
    'thread_unsupported_request',
  ],
  ['with context management', create, { context_management: { edits: [] } }, 'thread_unsupported_request'],
])('A thread %s is refused with the code that makes clients do without.', async (_, thread, more, code) => {
  const stage = openHarness('chat', [])
  expect(await codeOf(stage, user('A'), { ...more, ...thread })).toBe(code)
})

test('A gateway without a store has no threads.', async () => {
  const bare = openHarness('chat', [], { store: undefined as never })
  expect(await codeOf(bare, user('A'), create)).toBe('thread_unsupported_request')
})

test('Another key’s thread does not exist, and no thread can be read as a response.', async () => {
  const store = createMemoryStore()
  const stage = openHarness('chat', () => says('One.'), { store, keys: ['a', 'b'] })
  const [a, b] = ['a', 'b'].map(key => clientOf(stage.gateway, key))
  if (a === undefined || b === undefined) throw new Error('There are two.')
  const first = await ask(a, user('A'), create)
  expect(await codeOf(b, user('B'), follow(first.id))).toBe('thread_not_found')
  for (const id of [first.id, `thread:${first.id}`]) {
    expect((await a.get(`/v1/responses/${id}`)).status).toBe(404)
    const continued = await a.post('/v1/responses', { model: 'm', input: 'B', previous_response_id: id })
    expect(continued.status).toBe(400)
  }
})

test('A stream that breaks off leaves its thread as it was.', async () => {
  const stage = openHarness('chat', [says('One.'), { text: 'Two words.', fault: { cut: 2 } }, says('Three.')])
  const first = await ask(stage, user('A'), create)
  await stage.post(path, bodyOf(user('B'), { stream: true, ...follow(first.id) }))
  expect((await ask(stage, user('B'), follow(first.id))).text).toBe('Three.')
})

test('A thread whose client marks every message for the cache sends no more marks than servers take, the last ones.', async () => {
  const stage = openHarness('messages', () => says('Yes.'))
  const cache_control = { type: 'ephemeral' }
  const marked = (text: string): Json => user([{ type: 'text', text, cache_control }])
  const system = [{ type: 'text', text: 'Be brief.', cache_control }]
  let last = await ask(stage, marked('0'), { system, tools, ...create })
  for (const text of ['1', '2', '3', '4', '5']) last = await ask(stage, marked(text), follow(last.id))
  const marks = stage.model.requests.map(
    ({ body }) => JSON.stringify(body).split('"cache_control"').length - 1,
  )
  expect(marks).toEqual([2, 3, 4, 4, 4, 4])
  const { messages = [] } = (stage.model.requests[5]?.body ?? {}) as { messages?: { content: Json[] }[] }
  const texts = messages.flatMap(({ content }) => content).filter(block => block.cache_control !== undefined)
  expect(texts.map(({ text }) => text)).toEqual(['3', '4', '5'])
})

test.each(['chat', 'messages', 'responses'] as const)(
  'The tokens of a continued thread are those of all that the model reads, over %s.',
  async to => {
    const stage = openHarness(to, [says('One, two, three, four, five, six, seven, eight.')])
    const long = 'Count to eight, slowly, and say every number as a word. '.repeat(20)
    const { id } = await ask(stage, user(long), { system: 'Be brief.', tools, ...create })
    const count = async (more: Json): Promise<number> => {
      const told = await stage.post(`${path}/count_tokens`, bodyOf(user('And then?'), more))
      expect(told.status, told.text).toBe(200)
      return told.json().input_tokens as number
    }
    const alone = await count({})
    expect(await count(create)).toBe(alone)
    expect(await count(follow(id))).toBeGreaterThan(alone + 200)
    // Counting continues nothing.
    await count(follow(id))
    const told = await stage.post(`${path}/count_tokens`, bodyOf(user('And then?'), follow('msg_none')))
    expect(told.json().error).toMatchObject({ details: { error_code: 'thread_not_found' } })
  },
)

test('A refusal names everything that no thread can have.', async () => {
  const stage = openHarness('chat', [])
  const more = { thinking: { type: 'enabled', budget_tokens: 1024 }, context_management: { edits: [] } }
  const told = await stage.post(path, bodyOf(user('Hello'), { ...more, ...create }))
  expect(told.json().error).toMatchObject({
    details: { error_code: 'thread_unsupported_request', unsupported: ['thinking', 'context_management'] },
  })
})
