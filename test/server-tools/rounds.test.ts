/** Answers with server tool calls: one answer for the client, several rounds for the upstream. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { checkEventOrder } from '../support/streams/event-order.ts'
import type { UpstreamAnswer } from './exchange-fixtures.ts'
import {
  answerFrom,
  answerTurns,
  begin,
  call,
  condense,
  pairs,
  requestOf,
  requestTurns,
  run,
  streamFrom,
  text,
  userTurn,
  wires,
  writeRequest,
} from './exchange-fixtures.ts'

const tools = [{ name: 'lookup', parameters: { type: 'object', properties: {} } }]

const first: UpstreamAnswer = {
  parts: [text('Let me see. '), call('c1', 'lookup', { q: 'a' }), call('c2', 'lookup', { q: 'b' })],
  usage: { input: 10, output: 5, cacheRead: 4, reasoning: 1 },
}
const second: UpstreamAnswer = {
  parts: [text('It is so.')],
  usage: { input: 20, output: 7, cacheRead: 8 },
  id: 'r2',
}

const streamRequest = (wire: Wire): JsonObject =>
  requestOf(wire, ['own'], {
    stream: true,
    ...(wire === 'chat' && { stream_options: { include_usage: true } }),
  })

test('The upstream’s own reasoning is not sent back as text if its profile refuses that.', () => {
  const exchange = begin('chat', 'chat', { tools, profile: { reasoningText: false } })
  const reasoned = { kind: 'reasoning', summary: [], text: ['Hm.'], path: [] } as const
  const body = writeRequest('chat', [
    { role: 'assistant', parts: [reasoned, text('Yes.')], root: [] },
    userTurn,
  ])
  const { value, diagnostics } = exchange.request(body)
  expect(JSON.stringify(body)).toContain('Hm.')
  expect(JSON.stringify(value)).not.toContain('Hm.')
  expect(diagnostics.map(({ code }) => code)).toEqual(['reasoning_dropped'])
  const { serverCalls } = exchange.response(
    answerFrom('chat', { ...first, parts: [{ ...reasoned, text: ['Hm, hm.'] }, ...first.parts] }),
  )
  const next = exchange.next(run(serverCalls))
  expect(JSON.stringify(next.value)).not.toContain('Hm')
  expect(next.diagnostics.map(({ code }) => code)).toEqual(['reasoning_dropped'])
})

describe.each(pairs)('a client on %s, an upstream on %s', (from, to) => {
  test('Server tools are declared together with the client’s tools.', () => {
    const { value } = begin(from, to, { tools }).request(requestOf(from, ['own']))
    expect(JSON.stringify(value.tools)).toMatch(/"own".*"lookup"/)
  })

  test('A complete answer returns server tool calls, and the next request has them with their results.', () => {
    const exchange = begin(from, to, { tools })
    exchange.request(requestOf(from, ['own']))
    const serverCalls = exchange.response(answerFrom(to, first))
    expect(serverCalls.serverCalls).toEqual([
      { id: 'c1', name: 'lookup', arguments: '{"q":"a"}', truncated: false },
      { id: 'c2', name: 'lookup', arguments: '{"q":"b"}', truncated: false },
    ])
    expect(serverCalls).toMatchObject({ calls: [], finish: 'calls' })
    const next = exchange.next(run(serverCalls.serverCalls))
    expect(next.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(condense(requestTurns(to, next.value))).toEqual([
      ['user', 'go'],
      ['assistant', 'Let me see. '],
      ['call', 'function', 'c1', 'lookup', { q: 'a' }],
      ['call', 'function', 'c2', 'lookup', { q: 'b' }],
      ['result', 'c1', [['tool', 'result of c1']], false],
      ['result', 'c2', [['tool', 'result of c2']], false],
    ])
    const { value, serverCalls: none, usage } = exchange.response(answerFrom(to, second))
    expect(none).toEqual([])
    expect(usage).toMatchObject({ input: 30, output: 12, cacheRead: 12, reasoning: 1 })
    const words = condense(answerTurns(from, value)).map(upstreamAnswer => (upstreamAnswer as string[])[1])
    expect(words.join('')).toBe('Let me see. It is so.')
    expect(value.id).toContain('r1')
    expect(JSON.stringify(value)).not.toContain('lookup')
  })

  test('A streamed answer has one start, one end, and the parts of both rounds.', () => {
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const stream = exchange.stream()
    const received = [stream.push(streamFrom(to, first)), stream.end()]
    expect(stream).toMatchObject({ finish: 'calls', calls: [], answer: undefined })
    expect(stream.serverCalls.map(({ id }) => id)).toEqual(['c1', 'c2'])
    const next = exchange.next(run(stream.serverCalls))
    expect(condense(requestTurns(to, next.value)).map(part => (part as unknown[])[0])).toEqual([
      'user',
      'assistant',
      'call',
      'call',
      'result',
      'result',
    ])
    received.push(stream.nextRound())
    expect(stream.serverCalls).toEqual([])
    received.push(stream.push(streamFrom(to, second)), stream.end())
    expect(stream).toMatchObject({ finish: 'stop', serverCalls: [], failure: undefined })
    expect(stream.usage).toMatchObject({ input: 30, output: 12, cacheRead: 12, reasoning: 1 })
    expect(checkEventOrder(from, received.join(''))).toEqual([])
    expect(received.join('')).not.toContain('lookup')
    const words = condense(answerTurns(from, stream.answer ?? {})).map(
      upstreamAnswer => (upstreamAnswer as string[])[1],
    )
    expect(words.join('')).toBe('Let me see. It is so.')
  })

  test('A streamed and a complete answer give the upstream the same next request.', () => {
    const whole = begin(from, to, { tools })
    whole.request(requestOf(from, ['own']))
    const { serverCalls } = whole.response(answerFrom(to, first))
    const streamed = begin(from, to, { tools })
    streamed.request(requestOf(from, ['own']))
    const stream = streamed.stream()
    stream.push(streamFrom(to, first))
    expect(stream.serverCalls).toEqual(serverCalls)
    const [a, b] = [whole.next(run(serverCalls)).value, streamed.next(run(serverCalls)).value]
    expect(condense(requestTurns(to, b))).toEqual(condense(requestTurns(to, a)))
  })

  test('A stream after a round that was answered whole has the parts of both rounds.', () => {
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    exchange.next(run(exchange.response(answerFrom(to, first)).serverCalls))
    const stream = exchange.stream({ holdEnd: true })
    const again = { ...first, id: 'r2' }
    const received = [stream.push(streamFrom(to, again)), stream.end()]
    // Ids that the first round used up are not given out twice.
    expect(new Set(stream.serverCalls.map(({ id }) => id)).size).toBe(2)
    expect(stream.serverCalls.map(({ id }) => id)).not.toContain('c1')
    const next = exchange.next(run(stream.serverCalls))
    expect(condense(requestTurns(to, next.value))).toHaveLength(11)
    received.push(stream.nextRound(), stream.push(streamFrom(to, second)), stream.end(), stream.release())
    expect(checkEventOrder(from, received.join(''))).toEqual([])
    expect(stream).toMatchObject({ finish: 'stop', failure: undefined })
    expect(stream.usage).toMatchObject({ input: 40, output: 17, cacheRead: 16, reasoning: 2 })
    const words = condense(answerTurns(from, stream.answer ?? {})).map(part => (part as string[])[1])
    expect(words.join('')).toBe('Let me see. Let me see. It is so.')
    expect(stream.answer?.id).toContain('r1')
  })

  test('Calls for the client end the answer, and server tool calls in the same round stay hidden.', () => {
    const upstreamAnswer: UpstreamAnswer = { parts: [call('c1', 'lookup'), call('c2', 'own', { x: 1 })] }
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const { value, calls, serverCalls, finish } = exchange.response(answerFrom(to, upstreamAnswer))
    expect([calls, serverCalls.map(({ id }) => id), finish]).toEqual([['own'], ['c1'], 'calls'])
    expect(condense(answerTurns(from, value))).toEqual([['call', 'function', 'c2', 'own', { x: 1 }]])
    const stream = exchange.stream()
    const received = stream.push(streamFrom(to, upstreamAnswer)) + stream.end()
    expect(checkEventOrder(from, received)).toEqual([])
    expect([stream.calls, stream.serverCalls.map(({ id }) => id), stream.finish]).toEqual([
      ['own'],
      ['c1'],
      'calls',
    ])
    expect(received).not.toContain('lookup')
  })

  test('The calls of a truncated answer are not run, and the client sees that it is truncated.', () => {
    const cut: UpstreamAnswer = {
      parts: [{ ...call('c1', 'lookup'), status: 'incomplete' }],
      reason: 'length',
    }
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const whole = exchange.response(answerFrom(to, cut))
    expect(whole).toMatchObject({ finish: 'length', serverCalls: [{ id: 'c1', truncated: true }] })
    const stream = exchange.stream()
    const received = stream.push(streamFrom(to, cut)) + stream.end()
    expect(stream).toMatchObject({ finish: 'length', serverCalls: [{ id: 'c1', truncated: true }] })
    expect(checkEventOrder(from, received)).toEqual([])
  })

  test('An answer without a further round can be ended or failed.', () => {
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const stopped = exchange.stream()
    const received = stopped.push(streamFrom(to, first)) + stopped.stop()
    expect(checkEventOrder(from, received)).toEqual([])
    expect(stopped.finish).toBe('stop')
    const failed = exchange.stream()
    const words = failed.push(streamFrom(to, first)) + failed.fail({ kind: 'timeout', message: 'Too slow.' })
    expect(checkEventOrder(from, words)).toEqual([])
    expect(failed.failure).toBe('Too slow.')
  })

  test('An upstream may send a complete answer instead of a stream.', () => {
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const stream = exchange.stream()
    const received = [stream.whole(answerFrom(to, first))]
    exchange.next(run(stream.serverCalls))
    received.push(stream.whole(answerFrom(to, second)))
    expect(checkEventOrder(from, received.join(''))).toEqual([])
    expect(stream.finish).toBe('stop')
  })
})

test('A forced call is forced once, and in the last round no calls are possible.', () => {
  const exchange = begin('chat', 'chat', { tools })
  exchange.request(requestOf('chat', ['own'], { tool_choice: 'required' }))
  const { serverCalls } = exchange.response(answerFrom('chat', first))
  expect(exchange.next(run(serverCalls)).value).not.toHaveProperty('tool_choice')
  exchange.response(answerFrom('chat', first))
  const { value } = exchange.next(run(serverCalls), { last: true })
  expect(value.tool_choice).toBe('none')
  const { serverCalls: none, finish, diagnostics } = exchange.response(answerFrom('chat', first))
  expect([none, finish]).toEqual([[], 'stop'])
  expect(diagnostics.map(({ code }) => code)).toContain('call_not_allowed')
})

test('A client’s tool wins over a server tool with the same name.', () => {
  const exchange = begin('chat', 'responses', { tools })
  const { value, diagnostics } = exchange.request(requestOf('chat', ['lookup']))
  expect(value.tools).toHaveLength(1)
  expect(diagnostics.map(({ code }) => code)).toContain('server_tool_omitted')
  const { serverCalls, calls } = exchange.response(answerFrom('responses', { parts: [call('c1', 'lookup')] }))
  expect([serverCalls, calls]).toEqual([[], ['lookup']])
})

test('A missing result is reported, and results without content are still results.', () => {
  const exchange = begin('chat', 'messages', { tools })
  exchange.request(requestOf('chat'))
  const { serverCalls } = exchange.response(answerFrom('messages', first))
  const { value, diagnostics } = exchange.next([{ callId: 'c2', content: [] }])
  expect(serverCalls).toHaveLength(2)
  expect(diagnostics.map(({ code }) => code)).toEqual(['result_repaired'])
  const results = condense(requestTurns('messages', value)).slice(-2)
  expect(results).toEqual([
    ['result', 'c1', [['tool', 'The result of this call is unavailable.']], true],
    ['result', 'c2', [['tool', '']], false],
  ])
})

test('Images in results follow in a message if results hold only text.', () => {
  const image = {
    kind: 'image',
    source: { type: 'data', mediaType: 'image/png', data: 'AA==' },
    path: [],
  } as const
  const exchange = begin('messages', 'chat', { tools })
  exchange.request(requestOf('messages'))
  exchange.response(answerFrom('chat', { parts: [call('c1', 'lookup')] }))
  const { value } = exchange.next([{ callId: 'c1', content: [image] }])
  const messages = value.messages as { role: string; content: unknown }[]
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(JSON.stringify(messages.at(-1))).toContain('data:image/png;base64,AA==')
})

test('Calls without ids get one, the same for client, history and result.', () => {
  const { id: _, ...unnamed } = call('', 'lookup')
  const exchange = begin('responses', 'messages', { tools })
  exchange.request(requestOf('responses'))
  const body = answerFrom('messages', { parts: [unnamed, unnamed] })
  for (const block of body.content as Record<string, unknown>[]) delete block.id
  const { serverCalls } = exchange.response(body)
  expect(new Set(serverCalls.map(({ id }) => id)).size).toBe(2)
  const condensed = condense(requestTurns('messages', exchange.next(run(serverCalls)).value))
  const ids = serverCalls.map(({ id }) => id)
  expect(
    condensed.filter(part => (part as string[])[0] === 'call').map(part => (part as string[])[2]),
  ).toEqual(ids)
  expect(
    condensed.filter(part => (part as string[])[0] === 'result').map(part => (part as string[])[1]),
  ).toEqual(ids)
})

test('Calling next without server tool calls throws.', () => {
  expect(() => begin('chat', 'chat').next([])).toThrow(/"next" needs an answer/)
})

describe('an item that the client runs, with server tool calls in the same round', () => {
  const options = { tools } as const
  const shell = { tools: [{ type: 'local_shell' }] }

  test('An emulated item goes to the client with the end of the answer.', () => {
    const exchange = begin('responses', 'chat', options)
    exchange.request(requestOf('responses', [], shell))
    const upstreamAnswer = { parts: [call('c1', 'lookup'), call('c2', 'local_shell', { command: 'ls' })] }
    const whole = exchange.response(answerFrom('chat', upstreamAnswer))
    expect([whole.calls, whole.serverCalls.map(({ id }) => id)]).toEqual([['local_shell'], ['c1']])
    const stream = exchange.stream()
    const received = stream.push(streamFrom('chat', upstreamAnswer)) + stream.end()
    expect(checkEventOrder('responses', received)).toEqual([])
    expect([stream.calls, stream.finish]).toEqual([['local_shell'], 'calls'])
    const record = exchange.serverCallRecord(run(stream.serverCalls))
    expect(record?.callIds).toEqual(['c2'])
    const [item] = (stream.answer?.output ?? []) as JsonObject[]
    const input = [
      { role: 'user', content: 'go' },
      item,
      { type: 'local_shell_call_output', id: item?.id, output: 'a file' },
    ]
    const again = begin('responses', 'chat', { ...options, serverCallRecordFor: () => record })
    const { value, diagnostics } = again.request({ ...requestOf('responses', [], shell), input })
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(condense(requestTurns('chat', value)).slice(1)).toEqual([
      ['call', 'function', 'c1', 'lookup', {}],
      ['call', 'function', 'c2', 'local_shell', { command: 'ls' }],
      ['result', 'c1', [['tool', 'result of c1']], false],
      ['result', 'c2', [['tool', 'a file']], false],
    ])
  })

  test('An item of the upstream goes to the client without waiting for server tool calls.', () => {
    const exchange = begin('responses', 'responses', options)
    exchange.request(requestOf('responses', [], shell))
    const body = answerFrom('responses', { parts: [call('c1', 'lookup')] })
    const item = { type: 'local_shell_call', id: 'l1', call_id: 'c2', action: {}, status: 'completed' }
    const { calls, serverCalls, value } = exchange.response({
      ...body,
      output: [...(body.output as []), item],
    })
    expect([calls, serverCalls.map(({ id }) => id)]).toEqual([['local_shell'], ['c1']])
    expect(value.output).toEqual([item])
  })
})

test.each(['responses', 'messages'] as const)('Sealed reasoning goes back to %s.', to => {
  const thought = {
    kind: 'reasoning',
    summary: [],
    text: to === 'messages' ? ['Hm.'] : [],
    seal: { wire: to, value: 'sealed' },
    path: [],
  } as const
  for (const from of wires) {
    const exchange = begin(from, to, { tools })
    exchange.request(requestOf(from))
    const { serverCalls } = exchange.response(answerFrom(to, { parts: [thought, call('c1', 'lookup')] }))
    const { value } = exchange.next(run(serverCalls))
    expect(condense(requestTurns(to, value))[1]).toEqual(['reasoning', thought.text.join(''), thought.seal])
  }
})

test('Diagnostics of the first request are not repeated for the next one.', () => {
  const exchange = begin('chat', 'messages', { tools })
  const { diagnostics } = exchange.request(requestOf('chat', [], { seed: 3 }))
  expect(diagnostics.map(({ path }) => path.join('.'))).toContain('seed')
  const { serverCalls } = exchange.response(answerFrom('messages', first))
  expect(exchange.next(run(serverCalls)).diagnostics).toEqual([])
})

test('An incomplete call in an answer that claims to be complete is not run, and no round waits for it.', () => {
  const upstreamAnswer: UpstreamAnswer = {
    parts: [{ ...call('c1', 'lookup'), status: 'incomplete' }],
    reason: 'calls',
  }
  for (const from of wires) {
    const exchange = begin(from, 'responses', { tools })
    exchange.request(streamRequest(from))
    const whole = exchange.response(answerFrom('responses', upstreamAnswer))
    expect(whole).toMatchObject({ finish: 'length', calls: [], serverCalls: [{ id: 'c1', truncated: true }] })
    const stream = exchange.stream()
    const received = stream.push(streamFrom('responses', upstreamAnswer)) + stream.end()
    expect(stream).toMatchObject({ finish: 'length', serverCalls: [{ truncated: true }] })
    expect(checkEventOrder(from, received)).toEqual([])
  }
})
