import { describe, expect, test, vi } from 'vitest'
import { pass } from '../exchange.test-helper.ts'
import { ConversationIndex, conversationFacts } from './conversation-facts.ts'
import { createTraceRing } from './trace-ring.ts'

const factsOf = (body: object, headers = {}) => conversationFacts(headers, JSON.stringify(body))
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })

describe('what a request says about its conversation', () => {
  test('The id of a session is found in a header, in the conversation, in the metadata and in the cache key.', () => {
    const session = 'a1b2c3d4-0000-4000-8000-000000000000'
    expect(factsOf({}, { session_id: session }).session).toBe(session)
    expect(factsOf({ conversation: { id: session } }).session).toBe(session)
    expect(factsOf({ conversation: session }).session).toBe(session)
    expect(factsOf({ metadata: { user_id: `user_1_account__session_${session}` } }).session).toBe(session)
    expect(factsOf({ metadata: { user_id: JSON.stringify({ session_id: session }) } }).session).toBe(session)
    expect(factsOf({ prompt_cache_key: session }).session).toBe(session)
    expect(factsOf({ metadata: { user_id: 'somebody' } }).session).toBeUndefined()
  })

  test('Turns count what the user said, not the results of tools under the user’s name.', () => {
    const result = { type: 'tool_result', tool_use_id: 'c', content: 'ok' }
    expect(
      factsOf({ messages: [user('a'), assistant('b'), user([result]), user([{ type: 'text', text: 'c' }])] })
        .turns,
    ).toBe(2)
    expect(factsOf({ input: 'hello' }).turns).toBe(1)
  })

  test('A request of which only the beginning was kept still says what it said there.', () => {
    const text = JSON.stringify({ messages: [user('a'), assistant('b'), user('c'), assistant('d')] })
    expect(conversationFacts({}, text.slice(0, -12)).turns).toBe(2)
  })

  test('Of a request of very many values only the beginning is parsed.', () => {
    const text = JSON.stringify({ session: 's', input: [user('a'), ...new Array(100_000).fill({})] })
    const parse = vi.spyOn(JSON, 'parse')
    const { turns } = conversationFacts({}, text)
    const longest = Math.max(...parse.mock.calls.map(([parsed]) => parsed.length))
    vi.restoreAllMocks()
    expect(turns).toBe(1)
    expect(longest).toBeLessThan(text.length / 2)
  })
})

describe('which exchanges belong together', () => {
  test('A growing history continues the exchange whose history it repeats.', () => {
    const index = new ConversationIndex(100)
    const first = factsOf({ messages: [{ role: 'system', content: 'today' }, user('a')] })
    const second = factsOf({
      messages: [{ role: 'system', content: 'tomorrow' }, user('a'), assistant('b'), user('c')],
    })
    expect(index.place('req_1', 'me', first)).toEqual({ conversation: 'req_1', turn: 1 })
    expect(index.place('req_2', 'me', second)).toEqual({
      conversation: 'req_1',
      turn: 2,
      follows: 'req_1',
    })
    expect(index.place('req_3', 'you', second).conversation).toBe('req_3')
    expect(index.place('req_4', 'me', first).conversation).toBe('req_4')
  })

  test('A history too long to be read to its end goes on from the latest with the same beginning.', () => {
    const index = new ConversationIndex(100)
    const many = Array.from({ length: 2_500 }, (_, i) => user(`${i}`))
    const lasting = Array.from({ length: 300 }, (_, i) => user(Array.from({ length: 100 }, () => [i])))
    const follows: (string | undefined)[] = []
    for (const history of [many, lasting])
      for (const more of [0, 1, 2]) {
        const messages = [...history, ...history.slice(0, more)]
        const id = `req_${history.length}_${more}`
        follows.push(index.place(id, 'me', factsOf({ messages })).follows)
      }
    expect(follows).toEqual([undefined, 'req_2500_0', 'req_2500_1', undefined, 'req_300_0', 'req_300_1'])
  })

  test('A mark for caching that wanders does not part a conversation.', () => {
    const index = new ConversationIndex(100)
    const marked = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }
    index.place('req_1', '', factsOf({ messages: [user([marked])] }))
    const next = factsOf({ messages: [user([{ type: 'text', text: 'a' }]), assistant('b')] })
    expect(index.place('req_2', '', next).conversation).toBe('req_1')
  })

  test('A response that continues another is of its conversation, one turn later.', () => {
    const index = new ConversationIndex(100)
    const first = index.place('req_1', '', factsOf({ input: 'a' }))
    index.answered('req_1', '', 'resp_1', first)
    const next = factsOf({ input: 'b', previous_response_id: 'resp_1' })
    expect(index.place('req_2', '', next)).toEqual({
      conversation: 'req_1',
      turn: 2,
      follows: 'req_1',
    })
  })

  test('What is added to a conversation goes on from the last that was, one turn later if the user spoke.', () => {
    const index = new ConversationIndex(100)
    const place = (id: string, input: unknown) =>
      index.place(id, '', factsOf({ conversation: { id: 'conv_1' }, input }))
    index.answered('req_0', '', 'conv_1', index.place('req_0', '', factsOf({})))
    const result = [{ type: 'function_call_output', call_id: 'c', output: 'x' }]
    expect([place('req_1', 'a'), place('req_2', result), place('req_3', 'b')]).toEqual([
      { conversation: 'conv_1', turn: 1 },
      { conversation: 'conv_1', turn: 1, follows: 'req_1' },
      { conversation: 'conv_1', turn: 2, follows: 'req_2' },
    ])
  })

  test('A response that continues one of elsewhere says which.', () => {
    const next = factsOf({ input: 'b', previous_response_id: 'resp_1' })
    expect(new ConversationIndex(100).place('req_2', '', next)).toEqual({
      conversation: 'req_2',
      turn: 1,
      continues: 'resp_1',
    })
  })

  test('Of several histories in one session each goes on from its own, and a new one from none.', () => {
    const index = new ConversationIndex(100)
    const inSession = (...messages: object[]) => factsOf({ messages }, { session_id: 'one-session' })
    const main = [user('Build it'), assistant('calls a helper')]
    const side = [user('Look for it'), assistant('calls a tool')]
    index.place('req_1', '', inSession(user('Build it')))
    expect(index.place('req_2', '', inSession(user('Look for it'))).follows).toBeUndefined()
    expect(index.place('req_3', '', inSession(...side, user('found')))).toMatchObject({ follows: 'req_2' })
    expect(index.place('req_4', '', inSession(...main, user('helped')))).toEqual({
      conversation: 'one-session',
      turn: 2,
      follows: 'req_1',
    })
  })

  test('No more exchanges are remembered than allowed.', () => {
    const index = new ConversationIndex(2)
    for (const text of ['a', 'b', 'c']) index.place(`req_${text}`, '', factsOf({ messages: [user(text)] }))
    const after = (text: string) =>
      index.place('next', '', factsOf({ messages: [user(text), assistant('!')] }))
    expect(after('a').conversation).toBe('next')
    expect(after('c').conversation).toBe('req_c')
  })
})

test('What goes on in the background is of the conversation of the request that began it.', () => {
  const ring = createTraceRing()
  const asked = { id: 'req_asked', route: 'POST /v1/responses', status: 200, responseId: 'resp_1' }
  pass(ring, asked, observation => {
    observation.viewHead('client-request', { line: 'POST /v1/responses', headers: {} })
    observation.view('client-request', '{"input":"Hi"}')
  })
  pass(ring, { ...asked, id: 'req_run', route: 'BACKGROUND /v1/responses' })
  pass(ring, { ...asked, id: 'req_got', route: 'GET /v1/responses/{id}' })
  expect(ring.list(3).map(({ id, conversation, follows }) => [id, conversation, follows])).toEqual([
    ['req_got', undefined, undefined],
    ['req_run', 'req_asked', 'req_asked'],
    ['req_asked', 'req_asked', undefined],
  ])
})
