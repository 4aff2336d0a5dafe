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

describe('the tier in which an answer was served', () => {
  const usage = {
    chat: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    responses: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    messages: { input_tokens: 1, output_tokens: 2 },
  }
  const wires = ['chat', 'responses', 'messages'] as const
  type Wire = (typeof wires)[number]

  const answerOf = (wire: Wire, tier: Json): JsonObject => {
    if (wire === 'messages') {
      const content = [{ type: 'text', text: 'x' }]
      return { type: 'message', content, stop_reason: 'end_turn', usage: { ...usage.messages, ...tier } }
    }
    if (wire === 'responses') {
      const item = {
        type: 'message',
        id: 'm',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'x' }],
      }
      return { object: 'response', status: 'completed', output: [item], usage: usage.responses, ...tier }
    }
    const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x' } }
    return { choices: [choice], usage: usage.chat, ...tier }
  }

  const framesOf = (wire: Wire, tier: Json): readonly Json[] => {
    if (wire === 'messages') {
      return [
        { type: 'message_start', message: { id: 'm', content: [], usage: { ...usage.messages, ...tier } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'x' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      ]
    }
    if (wire === 'responses') {
      return [
        { type: 'response.created', response: { id: 'r', output: [] } },
        { type: 'response.completed', response: answerOf(wire, tier) },
      ]
    }
    return [
      { choices: [{ index: 0, delta: { content: 'x' } }], ...tier },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...tier },
      { choices: [], usage: usage.chat, ...tier },
    ]
  }

  const asked = { model: 'm', stream: true, service_tier: 'flex' }
  const request: { readonly [W in Wire]: JsonObject } = {
    chat: { ...asked, messages: [{ role: 'user', content: 'x' }] },
    responses: { ...asked, input: 'x' },
    messages: { model: 'm', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'x' }] },
  }

  /** The tier as each wire says it: in the answer, or in its usage. */
  const tierOn: { readonly [W in Wire]: { readonly [meaning: string]: Json } } = {
    chat: {
      priority: { service_tier: 'priority' },
      fast: { service_tier: 'fast' },
      default: { service_tier: 'default' },
    },
    responses: {
      priority: { service_tier: 'priority' },
      fast: { service_tier: 'fast' },
      default: { service_tier: 'default' },
    },
    messages: {
      priority: { service_tier: 'priority' },
      fast: { speed: 'fast' },
      default: { service_tier: 'standard' },
    },
  }

  const pairs = wires.flatMap(from => wires.map(to => [from, to] as const))

  describe.each(pairs)('for a client of %s and an upstream of %s', (from, to) => {
    test.each(['priority', 'fast', 'default'])('The answer says "%s", whole and streamed.', meaning => {
      const [said, heard] = [tierOn[to][meaning] ?? {}, tierOn[from][meaning] ?? {}]
      const place = (answer: JsonObject | undefined): unknown =>
        from === 'messages' ? answer?.usage : answer
      const exchange = createExchange({ from, to, ...ids })
      exchange.request(request[from])
      const { value, diagnostics } = exchange.response(answerOf(to, said))
      expect(place(value)).toMatchObject(heard)
      expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
      const stream = exchange.stream()
      const text = framesOf(to, said).map(frame => stream.push(`data: ${JSON.stringify(frame)}\n\n`))
      const events = dataOf(text.join('') + stream.end())
      const last = events.findLast(({ type, choices, usage: counts }) =>
        from === 'messages'
          ? type === 'message_delta' || (type === 'message_start' && to === from)
          : from === 'responses'
            ? type === 'response.completed'
            : choices !== undefined && counts === undefined,
      )
      const start = events.find(({ type }) => type === 'message_start')?.message as JsonObject | undefined
      const found = from === 'responses' ? (last?.response as JsonObject) : last
      const shown = from === to && from === 'messages' ? start : found
      expect(place(shown)).toMatchObject(heard)
    })
  })

  test('A tier that Messages does not have is reported.', () => {
    const exchange = createExchange({ from: 'messages', to: 'chat', ...ids })
    exchange.request(request.messages)
    const { diagnostics } = exchange.response(answerOf('chat', { service_tier: 'flex' }))
    expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: ['service_tier'] }])
  })

  test('A tier beside a speed that counts more is reported.', () => {
    const exchange = createExchange({ from: 'chat', to: 'messages', ...ids })
    exchange.request(request.chat)
    const { value, diagnostics } = exchange.response(
      answerOf('messages', { speed: 'fast', service_tier: 'priority' }),
    )
    expect(value.service_tier).toBe('fast')
    expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: ['usage', 'service_tier'] }])
  })

  test('An answer that names no tier repeats the one that was asked for.', () => {
    const exchange = createExchange({ from: 'responses', to: 'chat', ...ids })
    exchange.request(request.responses)
    expect(exchange.response(answerOf('chat', {})).value.service_tier).toBe('flex')
  })
})

describe('a server of the client’s wire that takes no declarations in the middle of a conversation', () => {
  const profile = { additionalTools: false }

  test('On Messages changed tools stand in the list, and the effort in its field.', () => {
    const schema = { type: 'object', properties: {} }
    const change = (type: string, tool: Json): Json => ({ role: 'system', content: [{ type, tool }] })
    const user = { role: 'user', content: 'x' }
    const assistant = { role: 'assistant', content: 'y' }
    const body = {
      model: 'm',
      max_tokens: 9,
      tools: [{ name: 'old', input_schema: schema }],
      messages: [
        user,
        change('tool_addition', {
          type: 'tool_definition',
          definition: { name: 'new', input_schema: schema },
        }),
        change('tool_removal', { type: 'tool_reference', name: 'old' }),
        assistant,
        user,
        { role: 'system', output_config: { effort: 'low' } },
      ],
    }
    const { value } = createExchange({ from: 'messages', to: 'messages', profile }).request(body)
    expect(value).toEqual({
      model: 'm',
      max_tokens: 9,
      tools: [{ name: 'new', input_schema: schema }],
      output_config: { effort: 'low' },
      messages: [user, assistant, user],
    })
  })

  test('On Responses the tools and settings of items stand beside the input.', () => {
    const tool = { type: 'function', name: 'late', parameters: { type: 'object', properties: {} } }
    const user = { role: 'user', content: 'x' }
    const body = {
      model: 'm',
      input: [
        user,
        { type: 'additional_tools', role: 'developer', tools: [tool] },
        { type: 'configuration_update', reasoning: { effort: 'low' } },
      ],
    }
    const { value } = createExchange({ from: 'responses', to: 'responses', profile }).request(body)
    expect(value).toEqual({ model: 'm', tools: [tool], reasoning: { effort: 'low' }, input: [user] })
  })
})

function dataOf(text: string): Json[] {
  return text
    .split('\n')
    .flatMap(line => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as Json] : []))
}
