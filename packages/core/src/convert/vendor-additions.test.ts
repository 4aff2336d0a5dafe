/** What vendors added beyond plain messages and calls: toolsets, late results, cache breakpoints, compactions. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'

type Json = Record<string, unknown>

const ids = { newId: (prefix: string): string => `${prefix}1`, now: (): number => 1 }

describe('toolsets', () => {
  const request = {
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Open it.' }],
    tools: [{ type: 'browser_toolset_20260801' }],
  }
  const use = {
    type: 'tool_use',
    id: 'call_1',
    name: 'navigate',
    toolset_name: 'browser',
    input: { url: 'https://x.example' },
  }
  const input = '{"url":"https://x.example"}'
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'browser__navigate', arguments: input },
  }
  const item = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    namespace: 'browser',
    name: 'navigate',
    arguments: input,
  }
  const answers: { readonly [wire in 'chat' | 'responses']: JsonObject } = {
    chat: {
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: { role: 'assistant', content: null, tool_calls: [call] },
        },
      ],
    },
    responses: { object: 'response', status: 'completed', output: [{ ...item, status: 'completed' }] },
  }
  const frames: { readonly [wire in 'chat' | 'responses']: readonly Json[] } = {
    chat: [
      { choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [{ index: 0, ...call }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ],
    responses: [
      { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item] } },
    ],
  }

  test.each(['chat', 'responses'] as const)(
    'A call of a member of a toolset comes back from %s as a typed call.',
    to => {
      const exchange = createExchange({ from: 'messages', to, ...ids })
      exchange.request(request)
      expect(exchange.response(answers[to]).value.content).toMatchObject([use])
    },
  )

  test.each(['chat', 'responses'] as const)(
    'A streamed call of a member of a toolset comes back from %s as a typed call.',
    to => {
      const exchange = createExchange({ from: 'messages', to, ...ids })
      exchange.request(request)
      const stream = exchange.stream()
      const text = frames[to].map(frame => stream.push(`data: ${JSON.stringify(frame)}\n\n`)).join('')
      const started = dataOf(text + stream.end()).find(({ type }) => type === 'content_block_start')
      expect(started?.content_block).toMatchObject({ ...use, input: {} })
    },
  )

  test('Members that a toolset switches off are not offered, and those that it switches on are.', () => {
    const configs = { zoom: { enabled: false }, javascript_exec: { enabled: true } }
    const tools = [{ type: 'browser_toolset_20260801', configs }]
    const { value } = createExchange({ from: 'messages', to: 'chat' }).request({ ...request, tools })
    const names = (value.tools as { function: { name: string } }[]).map(tool => tool.function.name)
    expect(names).toContain('browser__javascript_exec')
    expect(names).not.toContain('browser__zoom')
    expect(names).not.toContain('browser__read_network')
  })
})

describe('asynchronous calls', () => {
  const asked = { role: 'user', content: 'Build it.' }
  const call = { type: 'function_call', call_id: 'a', name: 'build', arguments: '{}', async: true }
  const later = { role: 'user', content: 'Meanwhile?' }
  const result = { type: 'function_call_output', call_id: 'a', output: 'built' }

  test.each(['chat', 'messages'] as const)(
    'A late result on %s is appended, and what was sent before stays as it was.',
    to => {
      const convert = (input: readonly Json[]): readonly unknown[] => {
        const { value, diagnostics } = createExchange({
          from: 'responses',
          to,
          profile: { cachesOnRequest: false },
        }).request({ input })
        expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
        // Whether a block stands in the same message or in the next one is all the same to a cache.
        const messages = value.messages as { readonly content: unknown }[]
        return messages.flatMap(message => (Array.isArray(message.content) ? message.content : [message]))
      }
      const before = convert([asked, call, later])
      const after = convert([asked, call, later, result])
      expect(JSON.stringify(before)).toContain('still running')
      expect(after.slice(0, before.length)).toEqual(before)
      expect(JSON.stringify(after.slice(before.length))).toContain('built')
    },
  )

  test('A result that follows its asynchronous call stays a result.', () => {
    const { value } = createExchange({ from: 'responses', to: 'chat' }).request({
      input: [asked, call, result, later],
    })
    expect(value.messages).toMatchObject([{}, {}, { role: 'tool', content: 'built' }, later])
  })
})

describe('cache breakpoints', () => {
  const text = (words: string, ttl?: string): Json => ({
    type: 'input_text',
    text: words,
    prompt_cache_breakpoint: { mode: 'explicit', ...(ttl && { ttl }) },
  })
  const input = [{ role: 'user', content: [text('1'), text('2'), text('3'), text('4', '12h'), text('5')] }]

  test('Messages gets the last four, and none with a longer lifetime after a shorter one.', () => {
    const { value, diagnostics } = createExchange({ from: 'responses', to: 'messages' }).request({ input })
    const [message] = value.messages as { content: Json[] }[]
    const long = { type: 'ephemeral', ttl: '1h' }
    expect(message?.content.map(block => block.cache_control)).toEqual([
      undefined,
      long,
      long,
      long,
      { type: 'ephemeral' },
    ])
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'hint_dropped',
        path: ['input', 0, 'content', 0, 'prompt_cache_breakpoint'],
      }),
    )
  })

  test('Chat gets breakpoints only where its server is known to take them.', () => {
    const convert = (profile?: { cacheBreakpoints: number }): unknown =>
      createExchange({ from: 'responses', to: 'chat', ...(profile && { profile }) }).request({ input }).value
        .messages
    expect(JSON.stringify(convert())).not.toContain('prompt_cache_breakpoint')
    expect(JSON.stringify(convert({ cacheBreakpoints: 1 })).split('prompt_cache_breakpoint')).toHaveLength(2)
  })
})

test.each(['chat', 'responses'] as const)('A compaction streams its summary to a client of %s.', from => {
  const frames = [
    { type: 'message_start', message: { id: 'msg_1', content: [], usage: {} } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'compaction', content: null, encrypted_content: null },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'compaction_delta', content: 'We built it.', encrypted_content: 'cipher' },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
    { type: 'message_stop' },
  ]
  const exchange = createExchange({ from, to: 'messages', ...ids })
  exchange.request({ stream: true })
  const stream = exchange.stream()
  const out = frames.map(frame => stream.push(`data: ${JSON.stringify(frame)}\n\n`)).join('') + stream.end()
  expect(out).toContain('We built it.')
  expect(out).not.toContain('cipher')
})

test.each(['chat', 'responses'] as const)(
  'The tiers "fast" and "priority" of %s are speed on Messages, and back.',
  wire => {
    const body = { messages: [{ role: 'user', content: 'x' }], input: 'x' }
    for (const service_tier of ['fast', 'priority']) {
      const { value } = createExchange({ from: wire, to: 'messages' }).request({ ...body, service_tier })
      expect(value).toMatchObject({ speed: 'fast' })
    }
    const { value } = createExchange({ from: 'messages', to: wire }).request({ ...body, speed: 'fast' })
    expect(value).toMatchObject({ service_tier: 'fast' })
  },
)

function dataOf(text: string): Json[] {
  return text
    .split('\n')
    .flatMap(line => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Json] : []))
}
