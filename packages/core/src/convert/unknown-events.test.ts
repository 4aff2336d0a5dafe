/** Events of an upstream's stream that no wire knows: what is lost with them is told, and the rest stays as it is. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'

const wires = ['chat', 'responses', 'messages'] as const
type Wire = (typeof wires)[number]

const ids = { newId: (prefix: string) => `${prefix}id`, now: () => 1_700_000_000 }
const user = { role: 'user', content: 'x' }
const requests: { readonly [W in Wire]: JsonObject } = {
  chat: { model: 'm', stream: true, messages: [user] },
  responses: { model: 'm', stream: true, input: 'x' },
  messages: { model: 'm', stream: true, max_tokens: 9, messages: [user] },
}

const data = (event: JsonObject): string => `data: ${JSON.stringify(event)}\n\n`
const named = (event: JsonObject, name = String(event.type)): string => `event: ${name}\n${data(event)}`

const message = { type: 'message', id: 'i', role: 'assistant', status: 'completed' }
const usage = { input_tokens: 1, output_tokens: 1 }
const content = [{ type: 'output_text', text: 'ab', annotations: [] }]
const piece = { item_id: 'i', output_index: 0, content_index: 0 }
const streams: { readonly [W in Wire]: readonly string[] } = {
  chat: [
    ...['a', 'b'].map(text =>
      data({ id: 'c', model: 'm', choices: [{ index: 0, delta: { content: text } }] }),
    ),
    data({ id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    'data: [DONE]\n\n',
  ],
  responses: [
    { type: 'response.created', response: { id: 'r', model: 'm', status: 'in_progress', output: [] } },
    { type: 'response.in_progress', response: { id: 'r', model: 'm', status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
    ...['a', 'b'].map(delta => ({ type: 'response.output_text.delta', ...piece, delta })),
    { type: 'response.output_item.done', output_index: 0, item: { ...message, content } },
    {
      type: 'response.completed',
      response: { id: 'r', model: 'm', status: 'completed', output: [{ ...message, content }] },
    },
  ].map(event => named(event)),
  messages: [
    { type: 'message_start', message: { id: 'msg_1', model: 'm', content: [], usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...['a', 'b'].map(text => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ].map(event => named(event)),
}

/** The events before each event of the stream, its end included. */
const between = (wire: Wire, events: string): string => streams[wire].map(event => events + event).join('')

function convert(from: Wire, to: Wire, pieces: readonly string[]) {
  const exchange = createExchange({ from, to, ...ids })
  exchange.request(requests[from])
  const stream = exchange.stream()
  const text = pieces.map(part => stream.push(part)).join('') + stream.end()
  return { text, diagnostics: stream.diagnostics }
}

const losses = (from: Wire, to: Wire, text: string) =>
  convert(from, to, [text]).diagnostics.filter(({ severity }) => severity !== 'info')

const pairs = wires.flatMap(from => wires.map(to => ({ from, to })))

describe.each(pairs)('a stream of $to for a client of $from', ({ from, to }) => {
  const unknown = [
    named({ type: 'x.progress', n: 1 }),
    // What looks like the id and the model of the answer is not.
    named({ tool: 'search', id: 'call_1', model: 'other' }, 'x.tool'),
    data({ type: 'x.typed', deep: { n: [1] } }),
    'data: {"type":"constructor","__proto__":{"n":1},"n":2}\n\n',
    named({ type: 'x.progress', n: 2 }),
  ].join('')
  const idle = [
    named({ type: 'ping' }),
    named({ type: 'keepalive', sequence_number: 3 }),
    data({ type: 'response.heartbeat', at: 5 }),
    data({ type: 'keep-alive', at: 5 }),
    named({}, 'x.nothing'),
    data({ type: 'x.nothing', sequence_number: 4 }),
    'data: null\n\n',
    ': comment\n\n',
  ].join('')

  test('Events of unknown types are reported once for each type, however they are cut, and change nothing else.', () => {
    const given = between(to, unknown)
    const { text } = convert(from, to, [streams[to].join('')])
    const types = from === to ? [] : ['x.progress', 'x.tool', 'x.typed', 'constructor']
    const expected = types.map(type => ({
      code: 'event_dropped',
      severity: 'warning',
      path: ['events', type],
      message: expect.stringContaining(`"${type}"`) as string,
    }))
    for (let cut = 0; cut < given.length; cut += 17) {
      const converted = convert(from, to, [given.slice(0, cut), given.slice(cut)])
      expect(converted.text).toBe(from === to ? given : text)
      expect(converted.diagnostics.filter(({ severity }) => severity !== 'info')).toEqual(expected)
    }
    expect(convert(from, to, [...given])).toEqual(convert(from, to, [given]))
  })

  test('Events that say no more than that somebody is there are not reported.', () => {
    expect(losses(from, to, between(to, idle))).toEqual([])
  })
})

describe.each(['chat', 'messages'] as const)('a stream of Responses for a client of %s', from => {
  const codesOf = (type: string) =>
    convert(from, 'responses', [between('responses', named({ type, item_id: 'x', delta: 'y' }))])
      .diagnostics.filter(({ path }) => path[0] === 'events')
      .map(({ code, path }) => [code, path[1]])

  test.each([
    'response.web_search_call.searching',
    'response.code_interpreter_call_code.delta',
    'response.mcp_list_tools.completed',
    'response.shell_call_output_content.delta',
    'response.compaction.compacting',
  ])('"%s" tells the progress of what the provider does, whose result is in an item.', type => {
    expect(codesOf(type)).toEqual([['progress_dropped', type]])
  })

  test.each(['codex.rate_limits', 'responsesapi.websocket_timing', 'response.metadata'])(
    '"%s" tells about the account or the connection, not the answer.',
    type => expect(codesOf(type)).toEqual([['hint_dropped', type]]),
  )

  test.each(['response.audio.delta', 'response.output_text.glossed', 'response.x.call'])(
    '"%s" is a part of the answer that is lost.',
    type => expect(codesOf(type)).toEqual([['event_dropped', type]]),
  )

  test('An event of an unknown type that repeats the answer is reported too.', () => {
    const event = named({ type: 'response.x', response: { id: 'r', output: [] } })
    expect(losses(from, 'responses', between('responses', event))).toMatchObject([{ code: 'event_dropped' }])
  })
})

describe.each(['chat', 'responses'] as const)('a stream of Messages for a client of %s', from => {
  test('An event of an unknown name need not be JSON.', () => {
    const { text, diagnostics } = convert(from, 'messages', [
      between('messages', 'event: x.note\ndata: hi\n\n'),
    ])
    expect(text).toBe(convert(from, 'messages', [streams.messages.join('')]).text)
    expect(diagnostics).toMatchObject([{ code: 'event_dropped', path: ['events', 'x.note'] }])
  })

  test('An event of a known name that is not JSON is a failure.', () => {
    const { text } = convert(from, 'messages', [
      between('messages', 'event: content_block_delta\ndata: {"x\n\n'),
    ])
    expect(text).toContain('error')
  })
})
