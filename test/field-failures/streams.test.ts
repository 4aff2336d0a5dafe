/** Streams through an exchange: the adaptations of the request are undone while the answer streams. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'

type Data = Record<string, unknown>

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const piece = (index: number, args: string, name?: string): string =>
  chunk({
    tool_calls: [
      {
        index,
        ...(name !== undefined && { id: `call_${index}`, type: 'function' }),
        function: { ...(name !== undefined && { name }), arguments: args },
      },
    ],
  })

const events = (text: string): Data[] =>
  text
    .split('\n\n')
    .flatMap(frame => frame.split('\n').filter(line => line.startsWith('data: ') && line !== 'data: [DONE]'))
    .map(line => JSON.parse(line.slice(6)) as Data)

const outputOf = (event: Data | undefined): unknown => (event?.response as Data | undefined)?.output

function exchangeWith(tools: readonly object[]): ReturnType<typeof createExchange> {
  const exchange = createExchange({ from: 'responses', to: 'chat' })
  exchange.request({ model: 'm', input: 'hi', tools, stream: true })
  return exchange
}

describe('restored while streaming', () => {
  test('A wrapped free-text tool streams its raw text, delta for delta. [field D23] [field D25]', () => {
    const stream = exchangeWith([{ type: 'custom', name: 'apply_patch' }]).stream()
    stream.push(chunk({ role: 'assistant', content: null }))
    stream.push(piece(0, '{"inp', 'apply_patch'))
    const first = events(stream.push(piece(0, 'ut":"*** Be')))
    expect(first).toMatchObject([{ type: 'response.custom_tool_call_input.delta', delta: '*** Be' }])
    const second = events(stream.push(piece(0, 'gin\\n\\u00')))
    expect(second).toMatchObject([{ delta: 'gin\n' }])
    stream.push(piece(0, 'e9"}'))
    const last = events(stream.push(chunk({}, 'tool_calls')) + stream.push('data: [DONE]\n\n') + stream.end())
    const done = last.find(({ type }) => type === 'response.completed')
    expect(outputOf(done)).toMatchObject([
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin\né' },
    ])
  })

  test('A flattened name is restored with its namespace, and its arguments stream at once.', () => {
    const tools = [
      {
        type: 'namespace',
        name: 'mcp__demo',
        description: 'd',
        tools: [{ type: 'function', name: 'search', parameters: null, strict: false }],
      },
    ]
    const stream = exchangeWith(tools).stream()
    const started = events(
      stream.push(chunk({ role: 'assistant', content: null })) +
        stream.push(piece(0, '{"q', 'mcp__demo__search')),
    )
    expect(started).toContainEqual(
      expect.objectContaining({
        type: 'response.output_item.added',
        item: expect.objectContaining({ name: 'search', namespace: 'mcp__demo' }),
      }),
    )
    expect(started).toContainEqual(
      expect.objectContaining({ type: 'response.function_call_arguments.delta', delta: '{"q' }),
    )
  })

  test('Nulls that strict mode added are removed before the client gets the arguments.', () => {
    const exchange = createExchange({ from: 'responses', to: 'chat', strict: 'strictify' })
    const parameters = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a'],
    }
    exchange.request({
      model: 'm',
      input: 'hi',
      tools: [{ type: 'function', name: 'f', parameters }],
      stream: true,
    })
    const stream = exchange.stream()
    const text = [
      chunk({ role: 'assistant', content: null }),
      piece(0, '{"a":"x","b":nu', 'f'),
      piece(0, 'll}'),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ]
      .map(part => stream.push(part))
      .join('')
    expect(events(text + stream.end())).toContainEqual(
      expect.objectContaining({ type: 'response.function_call_arguments.done', arguments: '{"a":"x"}' }),
    )
  })

  test('A call of the client’s hosted tool is restored to its item.', () => {
    const stream = exchangeWith([{ type: 'local_shell' }]).stream()
    const text = [
      chunk({ role: 'assistant', content: null }),
      piece(0, '{"command":"ls"}', 'local_shell'),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ]
      .map(part => stream.push(part))
      .join('')
    const done = events(text + stream.end()).find(({ type }) => type === 'response.completed')
    expect(outputOf(done)).toMatchObject([
      { type: 'local_shell_call', action: { command: ['bash', '-lc', 'ls'] } },
    ])
  })
})

test('An error in place of an answer has the status of its kind on the wire of the client. [field D17]', () => {
  const slow = { error: { message: 'slow down', type: 'rate_limit_error', param: null, code: null } }
  expect(createExchange({ from: 'messages', to: 'chat' }).response(slow)).toMatchObject({
    status: 429,
    value: { type: 'error', error: { type: 'rate_limit_error' } },
  })
  const busy = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
  expect(createExchange({ from: 'chat', to: 'messages' }).response(busy).status).toBe(503)
  expect(createExchange({ from: 'messages', to: 'messages' }).response(busy).status).toBe(529)
})

test('A line without end ends the stream with an error of the client’s wire.', () => {
  const stream = createExchange({ from: 'messages', to: 'chat' }).stream()
  stream.push(chunk({ role: 'assistant', content: 'hi' }))
  const megabyte = 'x'.repeat(1024 * 1024)
  let text = stream.push('data: ')
  for (let i = 0; i < 70 && stream.failure === undefined; i++) text += stream.push(megabyte)
  expect(stream.failure).toMatch(/longer than/)
  expect(text).toContain('event: error')
  expect(stream.push('data: more\n\n') + stream.end()).toBe('')
})

test('A stream that exceeds its limit ends with an error of the client’s wire.', () => {
  const stream = createExchange({ from: 'chat', to: 'chat', limits: { stream: 2000 } }).stream()
  const text = Array.from({ length: 50 }, () => stream.push(chunk({ content: 'and so on' }))).join('')
  expect(stream.failure).toMatch(/longer than 2000/)
  expect(text).toContain('"error"')
  expect(text).not.toContain('[DONE]')
})

test("Progress of the provider's tools is sent on within one wire and reported on another.", () => {
  const frames = [
    { type: 'response.created', response: { id: 'resp_1', output: [] } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'web_search_call', id: 'ws_1', status: 'in_progress' },
    },
    { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' },
  ].map((event, i) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: i })}\n\n`)
  const same = createExchange({ from: 'responses', to: 'responses' }).stream()
  expect(frames.map(frame => same.push(frame))).toEqual(frames)
  expect(same.diagnostics).toEqual([])
  const other = createExchange({ from: 'chat', to: 'responses' }).stream()
  for (const frame of frames) other.push(frame)
  expect(other.diagnostics.map(({ code }) => code)).toContain('progress_dropped')
})

test('Audio in pieces is assembled, also if the stream is encoded again.', () => {
  const exchange = createExchange({ from: 'chat', to: 'chat', profile: { nameMaxLength: 16 } })
  exchange.request({
    model: 'm',
    messages: [],
    tools: [{ type: 'function', function: { name: 'a_rather_long_name' } }],
  })
  const stream = exchange.stream()
  const pieces = [
    { role: 'assistant', audio: { id: 'a', data: 'AAA' } },
    { audio: { data: 'BBB' } },
    { audio: { transcript: 'hello ' } },
    { audio: { transcript: 'you' } },
  ]
  const text = [...pieces.map(delta => chunk(delta)), chunk({}, 'stop'), 'data: [DONE]\n\n']
    .map(part => stream.push(part))
    .join('')
  expect(text + stream.end()).toContain('"audio":{"id":"a","data":"AAABBB","transcript":"hello you"}')
})
