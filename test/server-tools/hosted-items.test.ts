/** Server tool calls, for clients whose wire has items for calls that the provider ran. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { checkEventOrder } from '../support/streams/event-order.ts'
import type { UpstreamAnswer } from './exchange-fixtures.ts'
import {
  answerFrom,
  begin,
  call,
  condense,
  framesOf,
  requestOf,
  requestTurns,
  run,
  streamFrom,
  text,
  wires,
} from './exchange-fixtures.ts'

const tools = [{ name: 'lookup', server: 'docs' }]
const search = { hostedTools: { web_search: 'handler' } } as const
const calling: UpstreamAnswer = { parts: [text('Hm.'), call('c1', 'lookup', { q: 'a' })] }
const searching: UpstreamAnswer = { parts: [call('c1', 'web_search', { query: 'weather' })] }
const last: UpstreamAnswer = { parts: [text('Done.')] }

interface Shown {
  readonly value: JsonObject
  readonly stream: string
  readonly answer: JsonObject
}

/** The client's answer, whole and streamed, after one round of calls. */
function show(
  from: 'responses' | 'messages',
  to: (typeof wires)[number],
  upstreamAnswer: UpstreamAnswer,
  options: object,
  { isError = false, more = {} }: { isError?: boolean; more?: JsonObject } = {},
): Shown {
  const answer = (id: string) => [{ callId: id, content: [text('found https://a.example/x')], isError }]
  const request = requestOf(from, [], { ...more, stream: true })
  const whole = begin(from, to, options)
  whole.request(request)
  const { serverCalls } = whole.response(answerFrom(to, upstreamAnswer))
  whole.next(answer(serverCalls[0]?.id ?? ''))
  const { value } = whole.response(answerFrom(to, last))
  const streamed = begin(from, to, options)
  streamed.request(request)
  const stream = streamed.stream()
  const received = [stream.push(streamFrom(to, upstreamAnswer))]
  streamed.next(answer(stream.serverCalls[0]?.id ?? ''))
  received.push(stream.nextRound(), stream.push(streamFrom(to, last)), stream.end())
  expect(checkEventOrder(from, received.join(''))).toEqual([])
  return { value, stream: received.join(''), answer: stream.answer ?? {} }
}

const webSearch = {
  responses: { tools: [{ type: 'web_search' }] },
  messages: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
} as const

const itemOf = ({ output }: JsonObject, type: string): JsonObject | undefined =>
  (output as JsonObject[]).find(item => item.type === type)
const blocksOf = ({ content }: JsonObject): JsonObject[] => content as JsonObject[]

describe.each(wires)('a client on Responses, an upstream on %s', to => {
  test('A call of an MCP server’s tool is an MCP call for a Responses client, with its events.', () => {
    const { value, stream, answer } = show('responses', to, calling, { tools })
    const item = {
      type: 'mcp_call',
      id: expect.stringMatching(/^mcp_/),
      server_label: 'docs',
      name: 'lookup',
      arguments: '{"q":"a"}',
      output: 'found https://a.example/x',
      error: null,
      status: 'completed',
      approval_request_id: null,
    }
    expect(itemOf(value, 'mcp_call')).toEqual(item)
    expect((value.output as JsonObject[]).map(({ type }) => type)).toEqual(['message', 'mcp_call', 'message'])
    expect(itemOf(answer, 'mcp_call')).toEqual(item)
    const frames = framesOf(stream)
    const id = itemOf(answer, 'mcp_call')?.id
    expect(
      frames.filter(({ data }) => data.item_id === id || (data.item as JsonObject)?.id === id),
    ).toMatchObject([
      { event: 'response.output_item.added', data: { item: { status: 'in_progress', arguments: '' } } },
      { event: 'response.mcp_call.in_progress' },
      { event: 'response.mcp_call_arguments.delta', data: { delta: '{"q":"a"}' } },
      { event: 'response.mcp_call_arguments.done', data: { arguments: '{"q":"a"}' } },
      { event: 'response.mcp_call.completed' },
      { event: 'response.output_item.done', data: { item: { status: 'completed' } } },
    ])
    const end = frames.at(-1)?.data.response
    expect(end).toEqual(answer)
  })

  test('An MCP call that failed says why.', () => {
    const { answer, stream } = show('responses', to, calling, { tools }, { isError: true })
    expect(itemOf(answer, 'mcp_call')).toMatchObject({
      status: 'failed',
      output: null,
      error: { type: 'mcp_tool_execution_error', content: [{ text: 'found https://a.example/x' }] },
    })
    expect(framesOf(stream).map(({ event }) => event)).toContain('response.mcp_call.failed')
  })

  test('A search with a handler is a web search call for a Responses client, with its events.', () => {
    const { answer, stream, value } = show('responses', to, searching, search, { more: webSearch.responses })
    for (const body of [answer, value]) {
      expect(itemOf(body, 'web_search_call')).toMatchObject({
        status: 'completed',
        action: { type: 'search', query: 'weather' },
      })
    }
    const events = framesOf(stream).map(({ event }) => event)
    expect(events.filter(event => event?.includes('web_search'))).toEqual([
      'response.web_search_call.in_progress',
      'response.web_search_call.searching',
      'response.web_search_call.completed',
    ])
  })
})

describe.each(wires)('a client on Messages, an upstream on %s', to => {
  test('A call of an MCP server’s tool is an MCP use and its result for a Messages client.', () => {
    const { value, answer } = show('messages', to, calling, { tools })
    for (const body of [value, answer]) {
      const [, use, result] = blocksOf(body)
      expect(use).toMatchObject({
        type: 'mcp_tool_use',
        name: 'lookup',
        server_name: 'docs',
        input: { q: 'a' },
      })
      expect(result).toEqual({
        type: 'mcp_tool_result',
        tool_use_id: use?.id,
        is_error: false,
        content: [{ type: 'text', text: 'found https://a.example/x' }],
      })
    }
  })

  test('A search with a handler is a server tool use and its result for a Messages client.', () => {
    const { value, answer } = show(
      'messages',
      to,
      searching,
      {
        hostedTools: {
          web_search: { policy: 'handler', parameters: { type: 'object' }, name: 'web_search' },
        },
      },
      { more: webSearch.messages },
    )
    for (const body of [value, answer]) {
      const [use, result] = blocksOf(body)
      expect(use).toMatchObject({ type: 'server_tool_use', name: 'web_search', input: { query: 'weather' } })
      expect(result).toMatchObject({
        type: 'web_search_tool_result',
        tool_use_id: use?.id,
        content: [{ type: 'web_search_result', url: 'https://a.example/x', title: 'weather' }],
      })
    }
  })
})

describe.each(wires)('what was shown comes back, and an upstream on %s gets call and result', to => {
  const calls = (condensed: readonly unknown[]): unknown[] =>
    condensed.filter(part => (part as string[])[0] !== 'user')

  test.each(['responses', 'messages'] as const)(
    'An MCP item from a client on %s becomes a call and a result.',
    from => {
      for (const isError of [false, true]) {
        const { value } = show(from, to, calling, { tools }, { isError })
        const history =
          from === 'responses'
            ? { input: [{ role: 'user', content: 'go' }, ...(value.output as JsonObject[])] }
            : {
                messages: [
                  { role: 'user', content: 'go' },
                  { role: 'assistant', content: value.content },
                ],
              }
        const body = { ...requestOf(from), ...history }
        const { value: sent, diagnostics } = begin(from, to, { tools }).request(body)
        expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
        const condensed = calls(condense(requestTurns(to, sent)))
        expect(condensed).toMatchObject([
          ['assistant', 'Hm.'],
          ['call', 'function', expect.any(String), 'lookup', { q: 'a' }],
          ['result', expect.any(String), [['tool', 'found https://a.example/x']], isError],
          ['assistant', 'Done.'],
        ])
        expect((condensed[1] as string[])[2]).toBe((condensed[2] as string[])[1])
      }
    },
  )

  test.each(['responses', 'messages'] as const)(
    'A search item from a client on %s becomes a call and a result.',
    from => {
      const options = {
        hostedTools: { web_search: { policy: 'handler', parameters: { type: 'object' }, name: 'find' } },
      }
      const upstreamAnswer: UpstreamAnswer = { parts: [call('c1', 'find', { query: 'weather' })] }
      for (const isError of [false, true]) {
        const { value } = show(from, to, upstreamAnswer, options, { more: webSearch[from], isError })
        const history =
          from === 'responses'
            ? { input: value.output }
            : {
                messages: [
                  { role: 'user', content: 'go' },
                  { role: 'assistant', content: value.content },
                ],
              }
        const exchange = begin(from, to, options as never)
        const { value: sent } = exchange.request({ ...requestOf(from, [], webSearch[from]), ...history })
        expect(calls(condense(requestTurns(to, sent)))).toMatchObject([
          ['call', 'function', expect.any(String), 'find', { query: 'weather' }],
          ['result', expect.any(String), [['tool', 'found https://a.example/x']], isError],
          ['assistant', 'Done.'],
        ])
      }
    },
  )
})

test('An MCP call of the provider stays on its own wire, and becomes a call and its result elsewhere.', () => {
  const item = {
    type: 'mcp_call',
    id: 'mcp_1',
    server_label: 'theirs',
    name: 'ask',
    arguments: '{}',
    output: 'yes',
  }
  const body = requestOf('responses', [], { input: [{ role: 'user', content: 'go' }, item] })
  const own = begin('responses', 'responses', { tools })
  expect((own.request(body).value.input as JsonObject[])[1]).toEqual(item)
  const { value, diagnostics } = begin('responses', 'chat').request(body)
  expect(value.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id: 'mcp_1', function: { name: 'ask' } }] },
    { role: 'tool', tool_call_id: 'mcp_1', content: 'yes' },
  ])
  expect(diagnostics.map(({ path }) => path.at(-1))).toContain('server_label')
})

test('A call without a result is still in progress when the stream fails.', () => {
  const exchange = begin('responses', 'chat', { tools })
  exchange.request(requestOf('responses', [], { stream: true }))
  const stream = exchange.stream()
  const received =
    stream.push(streamFrom('chat', calling)) + stream.fail({ kind: 'timeout', message: 'Too slow.' })
  expect(checkEventOrder('responses', received)).toEqual([])
  expect(itemOf(stream.answer ?? {}, 'mcp_call')).toMatchObject({ status: 'incomplete', output: null })
})

test('In a turn with calls for the client, server tool calls have no items, because their results come too late.', () => {
  const exchange = begin('responses', 'chat', { tools })
  exchange.request(requestOf('responses', ['own'], { stream: true }))
  const stream = exchange.stream()
  const upstreamAnswer = { parts: [call('c1', 'lookup'), call('c2', 'own')] }
  const received = stream.push(streamFrom('chat', upstreamAnswer)) + stream.end()
  expect(received).not.toContain('mcp_call')
  expect(stream.serverCalls).toMatchObject([{ id: 'c1', server: 'docs' }])
  expect(exchange.serverCallRecord(run(stream.serverCalls))).toMatchObject({ callIds: ['c2'] })
})
