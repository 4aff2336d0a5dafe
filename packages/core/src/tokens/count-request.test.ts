import { beforeAll, describe, expect, test } from 'vitest'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import { countRequest } from './count-request.ts'
import { countTools } from './count-tools.ts'
import type { TokenCounter } from './counter.ts'
import { loadCounter } from './counters.ts'
import { estimateCounter } from './estimate.ts'

let counter: TokenCounter
beforeAll(async () => {
  counter = await loadCounter('o200k_base')
})

const count = (wire: Wire, body: unknown, model?: string) =>
  countRequest(body, { wire, counter, ...(model !== undefined && { model }) })
const parameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'The city' } },
  required: ['city'],
}
const ids = ['a', 'b']

/** One conversation as each wire says it. */
const bodies: { readonly [W in Wire]: object } = {
  chat: {
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather in Rome and Oslo?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: ids.map(id => ({
          id,
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"x"}' },
        })),
      },
      ...ids.map(tool_call_id => ({ role: 'tool', tool_call_id, content: 'sunny' })),
    ],
    tools: [
      { type: 'function', function: { name: 'weather', description: 'Tells the weather', parameters } },
    ],
  },
  responses: {
    model: 'gpt-4o',
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: 'Weather in Rome and Oslo?' },
      ...ids.map(call_id => ({ type: 'function_call', call_id, name: 'weather', arguments: '{"city":"x"}' })),
      ...ids.map(call_id => ({ type: 'function_call_output', call_id, output: 'sunny' })),
    ],
    tools: [
      { type: 'function', name: 'weather', description: 'Tells the weather', parameters, strict: false },
    ],
  },
  messages: {
    model: 'claude-sonnet-4-5',
    max_tokens: 100,
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'Weather in Rome and Oslo?' },
      {
        role: 'assistant',
        content: ids.map(id => ({ type: 'tool_use', id, name: 'weather', input: { city: 'x' } })),
      },
      {
        role: 'user',
        content: ids.map(tool_use_id => ({ type: 'tool_result', tool_use_id, content: 'sunny' })),
      },
    ],
    tools: [{ name: 'weather', description: 'Tells the weather', input_schema: parameters }],
  },
}

const partsOf: { readonly [W in Wire]: readonly string[] } = {
  chat: [
    'message: system messages.0',
    'message: user messages.1',
    'message: calls weather, weather messages.2',
    'message: result of weather messages.3',
    'message: result of weather messages.4',
    'tool: weather tools.0',
    'overhead: around the tools',
    'overhead: the beginning of the answer',
  ],
  responses: [
    'instructions: instructions instructions',
    'item: user input.0',
    'item: calls weather input.1',
    'item: calls weather input.2',
    'item: result of weather input.3',
    'item: result of weather input.4',
    'tool: weather tools.0',
    'overhead: around the tools',
    'overhead: the beginning of the answer',
  ],
  messages: [
    'instructions: instructions system',
    'message: user messages.0',
    'message: calls weather, weather messages.1',
    'message: result of weather, weather messages.2',
    'tool: weather tools.0',
    "overhead: the provider's prompt for tools",
    'overhead: the beginning of the answer',
  ],
}

describe('a request', () => {
  test.each(['chat', 'responses', 'messages'] as const)('The parts of a request on %s add up.', wire => {
    const { total, parts, diagnostics, errorBound, method } = count(wire, bodies[wire])
    expect(total).toBe(parts.reduce((sum, { tokens }) => sum + tokens, 0))
    expect(parts.every(({ tokens }) => tokens > 0)).toBe(true)
    expect(diagnostics).toEqual([])
    expect(errorBound.kind).toBe('estimate')
    expect(method).toMatch(/^o200k_base, with/)
    expect(parts.map(({ kind, label, path }) => `${kind}: ${label} ${path.join('.')}`.trim())).toEqual(
      partsOf[wire],
    )
  })

  test('The same conversation costs the same on both wires of OpenAI.', () => {
    expect(count('responses', bodies.responses).total).toBe(count('chat', bodies.chat).total)
  })

  test("The count of Anthropic's published example is met.", () => {
    const body = { system: 'You are a scientist', messages: [{ role: 'user', content: 'Hello, Claude' }] }
    expect(count('messages', body).total).toBe(14)
  })

  test("Anthropic's prompt for tools depends on the model and on whether a call is forced.", () => {
    const promptOf = (model: string, tool_choice?: object) =>
      count('messages', { ...bodies.messages, model, tool_choice }).parts.find(({ label }) =>
        label.includes('prompt'),
      )
    expect(promptOf('claude-opus-4-8')?.tokens).toBe(290)
    expect(promptOf('claude-opus-4-8-20260101', { type: 'any' })?.tokens).toBe(410)
    expect(promptOf('claude-opus-4-8', { type: 'tool', name: 'weather' })?.tokens).toBe(410)
    expect(count('messages', { ...bodies.messages, model: 'another' }).uncounted).toHaveLength(1)
  })

  test('A tool choice, an output schema and server state are counted or listed as uncounted.', () => {
    const schema = { type: 'object', properties: { answer: { type: 'string' } } }
    const body = {
      ...bodies.responses,
      tool_choice: { type: 'function', name: 'weather' },
      text: { format: { type: 'json_schema', name: 'n', schema } },
      previous_response_id: 'resp_1',
    }
    const { parts, uncounted } = count('responses', body)
    expect(parts).toContainEqual({ path: [], kind: 'overhead', label: 'the choice of a tool', tokens: 5 })
    expect(parts).toContainEqual(
      expect.objectContaining({ path: ['text', 'format'], label: 'the output format' }),
    )
    expect(uncounted).toEqual([{ path: ['previous_response_id'], what: 'what the server keeps under it' }])
  })

  test.each([null, 7, 'text', []])('The value %j is reported as not being a body.', body => {
    const { total, diagnostics } = count('chat', body)
    expect(total).toBe(0)
    expect(diagnostics).toMatchObject([{ code: 'invalid_request', path: [] }])
  })

  test('A wrong option is refused with the possible values.', () => {
    expect(() => countRequest({}, { wire: 'openai' as Wire, counter })).toThrow(
      '"wire" must be one of chat, responses',
    )
    expect(() => countRequest({}, { wire: 'chat', counter: {} as TokenCounter })).toThrow(
      'such as estimateCounter',
    )
  })

  test('Data is not counted as text.', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'A'.repeat(100_000), format: 'wav' } }
    const { total, uncounted } = count('chat', { messages: [{ role: 'user', content: [audio] }] })
    expect(total).toBeLessThan(60)
    expect(uncounted).toEqual([{ path: ['messages', 0, 'content', 0], what: 'data' }])
  })

  test('Sealed reasoning is counted by its bytes, and a file is listed as uncounted.', () => {
    const input = [
      {
        type: 'reasoning',
        id: 'rs',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'A'.repeat(1600),
      },
      { role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] },
    ]
    const { parts, uncounted } = count('responses', { input })
    expect(parts[0]).toMatchObject({ label: 'reasoning', tokens: 300 + 4 })
    expect(uncounted.map(({ path }) => path)).toEqual([
      ['input', 0],
      ['input', 1, 'content', 0],
    ])
  })

  test('A message that is nested too deeply still has a count.', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)
    expect(() =>
      count('messages', { messages: [{ role: 'user', content: [{ type: 'odd', deep }] }] }),
    ).not.toThrow()
  })
})

describe('tools', () => {
  const tokensOf = (wire: Wire, tools: unknown) =>
    countTools(tools, { wire, counter }).parts.map(({ kind, label, tokens }) => [kind, label, tokens])

  test('Tools cost what they add to a request.', () => {
    for (const wire of ['chat', 'responses', 'messages'] as const) {
      const { tools, ...rest } = bodies[wire] as { tools: unknown; system?: string; model: string }
      const alone = countTools(tools, { wire, counter, model: rest.model }).total
      const added = count(wire, bodies[wire]).total - count(wire, rest).total
      // In a system message that is there already they save its frame, and end its line.
      expect(Math.abs(alone - added)).toBeLessThanOrEqual(4)
    }
  })

  test('Many tools cost the sum of each.', () => {
    const many = Array.from({ length: 100 }, (_, i) => ({
      type: 'function',
      function: { name: `tool_${i}`, ...(i % 2 && { description: `Does ${i}` }), parameters },
    }))
    const { parts } = countTools(many, { wire: 'chat', counter })
    expect(parts).toHaveLength(101)
    expect(Math.min(...parts.map(({ tokens }) => tokens))).toBeGreaterThan(10)
  })

  test('Namespaces, free-text, hosted and deferred tools are counted by their own rules.', () => {
    const tools = [
      {
        type: 'namespace',
        name: 'crm',
        description: 'Customers',
        tools: [{ type: 'function', name: 'find', parameters }],
      },
      {
        type: 'custom',
        name: 'patch',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
      { type: 'web_search' },
      { type: 'function', name: 'later', defer_loading: true, parameters },
      7,
    ]
    expect(tokensOf('responses', tools)).toEqual([
      ['tool', 'crm.find', 17],
      ['overhead', 'namespace crm', 10],
      ['tool', 'patch', 15],
      ['tool', 'web_search', 6],
      ['tool', 'later', 0],
      ['tool', 'unknown tool', 1],
      ['overhead', 'around the tools', 16],
    ])
  })

  test('Schemas of any shape are counted, also recursive and broken ones.', () => {
    const loop: Record<string, unknown> = { type: 'object' }
    loop.properties = { self: loop }
    const shapes = [
      loop,
      null,
      'x',
      {
        properties: { a: null, b: { $ref: '#/$defs/B' } },
        $defs: { B: { anyOf: [{ type: ['string', 'null'] }, { const: 1 }] } },
      },
      {
        properties: { c: { oneOf: [{ type: 'array' }, { allOf: [{ type: 'object' }, {}] }], default: 3 } },
        required: 4,
      },
    ]
    for (const shape of shapes) {
      const tools = [{ type: 'function', function: { name: 'f', parameters: shape } }]
      expect(countTools(tools, { wire: 'chat', counter: estimateCounter }).total).toBeGreaterThan(0)
    }
  })

  test('No tools cost nothing, and a value that is not a list is reported.', () => {
    expect(countTools([], { wire: 'messages', counter }).total).toBe(0)
    expect(countTools('x', { wire: 'chat', counter }).diagnostics).toMatchObject([{ code: 'not_a_list' }])
  })
})
