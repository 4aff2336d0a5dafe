/** Answers with calls that are run in the middle: to the client they are one answer, to the upstream a conversation. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { checkEventOrder } from '../support/streams/event-order.ts'
import type { Said } from './rehearsal.ts'
import {
  answerTurns,
  begin,
  call,
  gistOf,
  pairs,
  requestOf,
  requestTurns,
  run,
  streamFrom,
  text,
  wholeFrom,
  wires,
} from './rehearsal.ts'

const tools = [{ name: 'lookup', parameters: { type: 'object', properties: {} } }]

const first: Said = {
  parts: [text('Let me see. '), call('c1', 'lookup', { q: 'a' }), call('c2', 'lookup', { q: 'b' })],
  usage: { input: 10, output: 5, cacheRead: 4, reasoning: 1 },
}
const second: Said = { parts: [text('It is so.')], usage: { input: 20, output: 7, cacheRead: 8 }, id: 'r2' }

const streamRequest = (wire: Wire): JsonObject =>
  requestOf(wire, ['own'], {
    stream: true,
    ...(wire === 'chat' && { stream_options: { include_usage: true } }),
  })

describe.each(pairs)('a client on %s, an upstream on %s', (from, to) => {
  test('registered tools are declared beside the client’s own', () => {
    const { value } = begin(from, to, { tools }).request(requestOf(from, ['own']))
    expect(JSON.stringify(value.tools)).toMatch(/"own".*"lookup"/)
  })

  test('whole: calls are held, and the next request has them with their results', () => {
    const exchange = begin(from, to, { tools })
    exchange.request(requestOf(from, ['own']))
    const serverCalls = exchange.response(wholeFrom(to, first))
    expect(serverCalls.serverCalls).toEqual([
      { id: 'c1', name: 'lookup', arguments: '{"q":"a"}', truncated: false },
      { id: 'c2', name: 'lookup', arguments: '{"q":"b"}', truncated: false },
    ])
    expect(serverCalls).toMatchObject({ calls: [], finish: 'calls' })
    const next = exchange.next(run(serverCalls.serverCalls))
    expect(next.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(gistOf(requestTurns(to, next.value))).toEqual([
      ['user', 'go'],
      ['assistant', 'Let me see. '],
      ['call', 'function', 'c1', 'lookup', { q: 'a' }],
      ['call', 'function', 'c2', 'lookup', { q: 'b' }],
      ['result', 'c1', [['tool', 'result of c1']], false],
      ['result', 'c2', [['tool', 'result of c2']], false],
    ])
    const { value, serverCalls: none, usage } = exchange.response(wholeFrom(to, second))
    expect(none).toEqual([])
    expect(usage).toMatchObject({ input: 30, output: 12, cacheRead: 12, reasoning: 1 })
    const words = gistOf(answerTurns(from, value)).map(said => (said as string[])[1])
    expect(words.join('')).toBe('Let me see. It is so.')
    expect(value.id).toContain('r1')
    expect(JSON.stringify(value)).not.toContain('lookup')
  })

  test('streamed: one start, one end, and the parts of both rounds', () => {
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const stream = exchange.stream()
    const told = [stream.push(streamFrom(to, first)), stream.end()]
    expect(stream).toMatchObject({ finish: 'calls', calls: [], answer: undefined })
    expect(stream.serverCalls.map(({ id }) => id)).toEqual(['c1', 'c2'])
    const next = exchange.next(run(stream.serverCalls))
    expect(gistOf(requestTurns(to, next.value)).map(part => (part as unknown[])[0])).toEqual([
      'user',
      'assistant',
      'call',
      'call',
      'result',
      'result',
    ])
    told.push(stream.nextRound())
    expect(stream.serverCalls).toEqual([])
    told.push(stream.push(streamFrom(to, second)), stream.end())
    expect(stream).toMatchObject({ finish: 'stop', serverCalls: [], failure: undefined })
    expect(stream.usage).toMatchObject({ input: 30, output: 12, cacheRead: 12, reasoning: 1 })
    expect(checkEventOrder(from, told.join(''))).toEqual([])
    expect(told.join('')).not.toContain('lookup')
    const words = gistOf(answerTurns(from, stream.answer ?? {})).map(said => (said as string[])[1])
    expect(words.join('')).toBe('Let me see. It is so.')
  })

  test('streamed and whole give the upstream the same next request', () => {
    const whole = begin(from, to, { tools })
    whole.request(requestOf(from, ['own']))
    const { serverCalls } = whole.response(wholeFrom(to, first))
    const streamed = begin(from, to, { tools })
    streamed.request(requestOf(from, ['own']))
    const stream = streamed.stream()
    stream.push(streamFrom(to, first))
    expect(stream.serverCalls).toEqual(serverCalls)
    const [a, b] = [whole.next(run(serverCalls)).value, streamed.next(run(serverCalls)).value]
    expect(gistOf(requestTurns(to, b))).toEqual(gistOf(requestTurns(to, a)))
  })

  test('calls for the client end the answer, and held ones beside them stay hidden', () => {
    const said: Said = { parts: [call('c1', 'lookup'), call('c2', 'own', { x: 1 })] }
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const { value, calls, serverCalls, finish } = exchange.response(wholeFrom(to, said))
    expect([calls, serverCalls.map(({ id }) => id), finish]).toEqual([['own'], ['c1'], 'calls'])
    expect(gistOf(answerTurns(from, value))).toEqual([['call', 'function', 'c2', 'own', { x: 1 }]])
    const stream = exchange.stream()
    const told = stream.push(streamFrom(to, said)) + stream.end()
    expect(checkEventOrder(from, told)).toEqual([])
    expect([stream.calls, stream.serverCalls.map(({ id }) => id), stream.finish]).toEqual([
      ['own'],
      ['c1'],
      'calls',
    ])
    expect(told).not.toContain('lookup')
  })

  test('of an answer that was cut short nothing is to be run, and the client is told so', () => {
    const cut: Said = { parts: [{ ...call('c1', 'lookup'), status: 'incomplete' }], reason: 'length' }
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const whole = exchange.response(wholeFrom(to, cut))
    expect(whole).toMatchObject({ finish: 'length', serverCalls: [{ id: 'c1', truncated: true }] })
    const stream = exchange.stream()
    const told = stream.push(streamFrom(to, cut)) + stream.end()
    expect(stream).toMatchObject({ finish: 'length', serverCalls: [{ id: 'c1', truncated: true }] })
    expect(checkEventOrder(from, told)).toEqual([])
  })

  test('an answer that nobody goes on with can be ended, or failed', () => {
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const stopped = exchange.stream()
    const told = stopped.push(streamFrom(to, first)) + stopped.stop()
    expect(checkEventOrder(from, told)).toEqual([])
    expect(stopped.finish).toBe('stop')
    const failed = exchange.stream()
    const words = failed.push(streamFrom(to, first)) + failed.fail({ kind: 'timeout', message: 'Too slow.' })
    expect(checkEventOrder(from, words)).toEqual([])
    expect(failed.failure).toBe('Too slow.')
  })

  test('an upstream that answers whole where a stream was asked for', () => {
    const exchange = begin(from, to, { tools })
    exchange.request(streamRequest(from))
    const stream = exchange.stream()
    const told = [stream.whole(wholeFrom(to, first))]
    exchange.next(run(stream.serverCalls))
    told.push(stream.whole(wholeFrom(to, second)))
    expect(checkEventOrder(from, told.join(''))).toEqual([])
    expect(stream.finish).toBe('stop')
  })
})

test('a call that was demanded is demanded once, and after the last round none is possible', () => {
  const exchange = begin('chat', 'chat', { tools })
  exchange.request(requestOf('chat', ['own'], { tool_choice: 'required' }))
  const { serverCalls } = exchange.response(wholeFrom('chat', first))
  expect(exchange.next(run(serverCalls)).value.tool_choice).toBe('auto')
  exchange.response(wholeFrom('chat', first))
  const { value } = exchange.next(run(serverCalls), { last: true })
  expect(value.tool_choice).toBe('none')
  const { serverCalls: none, finish, diagnostics } = exchange.response(wholeFrom('chat', first))
  expect([none, finish]).toEqual([[], 'stop'])
  expect(diagnostics.map(({ code }) => code)).toContain('call_not_allowed')
})

test('a client’s tool goes before a registered one of the same name', () => {
  const exchange = begin('chat', 'responses', { tools })
  const { value, diagnostics } = exchange.request(requestOf('chat', ['lookup']))
  expect(value.tools).toHaveLength(1)
  expect(diagnostics.map(({ code }) => code)).toContain('duplicate_tool_name')
  const { serverCalls, calls } = exchange.response(wholeFrom('responses', { parts: [call('c1', 'lookup')] }))
  expect([serverCalls, calls]).toEqual([[], ['lookup']])
})

test('a missing result is spoken of, and results without content are still results', () => {
  const exchange = begin('chat', 'messages', { tools })
  exchange.request(requestOf('chat'))
  const { serverCalls } = exchange.response(wholeFrom('messages', first))
  const { value, diagnostics } = exchange.next([{ callId: 'c2', content: [] }])
  expect(serverCalls).toHaveLength(2)
  expect(diagnostics.map(({ code }) => code)).toEqual(['result_repaired'])
  const results = gistOf(requestTurns('messages', value)).slice(-2)
  expect(results).toEqual([
    ['result', 'c1', [['tool', 'The result of this call is unavailable.']], true],
    ['result', 'c2', [['tool', '']], false],
  ])
})

test('images in results follow in a message where results hold only text', () => {
  const image = {
    kind: 'image',
    source: { type: 'data', mediaType: 'image/png', data: 'AA==' },
    path: [],
  } as const
  const exchange = begin('messages', 'chat', { tools })
  exchange.request(requestOf('messages'))
  exchange.response(wholeFrom('chat', { parts: [call('c1', 'lookup')] }))
  const { value } = exchange.next([{ callId: 'c1', content: [image] }])
  const messages = value.messages as { role: string; content: unknown }[]
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(JSON.stringify(messages.at(-1))).toContain('data:image/png;base64,AA==')
})

test('calls without ids get one, the same for the client, the history and the result', () => {
  const { id: _, ...unnamed } = call('', 'lookup')
  const exchange = begin('responses', 'messages', { tools })
  exchange.request(requestOf('responses'))
  const body = wholeFrom('messages', { parts: [unnamed, unnamed] })
  for (const block of body.content as Record<string, unknown>[]) delete block.id
  const { serverCalls } = exchange.response(body)
  expect(new Set(serverCalls.map(({ id }) => id)).size).toBe(2)
  const gist = gistOf(requestTurns('messages', exchange.next(run(serverCalls)).value))
  const ids = serverCalls.map(({ id }) => id)
  expect(gist.filter(part => (part as string[])[0] === 'call').map(part => (part as string[])[2])).toEqual(
    ids,
  )
  expect(gist.filter(part => (part as string[])[0] === 'result').map(part => (part as string[])[1])).toEqual(
    ids,
  )
})

test('to go on without a call that is held is a mistake of the program', () => {
  expect(() => begin('chat', 'chat').next([])).toThrow(/"next" needs an answer/)
})

describe('an item that the client runs, beside calls that are held', () => {
  const options = { tools } as const
  const shell = { tools: [{ type: 'local_shell' }] }

  test('emulated: the client gets its item and the end of the answer', () => {
    const exchange = begin('responses', 'chat', options)
    exchange.request(requestOf('responses', [], shell))
    const said = { parts: [call('c1', 'lookup'), call('c2', 'local_shell', { command: 'ls' })] }
    const whole = exchange.response(wholeFrom('chat', said))
    expect([whole.calls, whole.serverCalls.map(({ id }) => id)]).toEqual([['local_shell'], ['c1']])
    const stream = exchange.stream()
    const told = stream.push(streamFrom('chat', said)) + stream.end()
    expect(checkEventOrder('responses', told)).toEqual([])
    expect([stream.calls, stream.finish]).toEqual([['local_shell'], 'calls'])
    const hidden = exchange.serverCallRecord(run(stream.serverCalls))
    expect(hidden?.callIds).toEqual(['c2'])
    const [item] = (stream.answer?.output ?? []) as JsonObject[]
    const input = [
      { role: 'user', content: 'go' },
      item,
      { type: 'local_shell_call_output', id: item?.id, output: 'a file' },
    ]
    const again = begin('responses', 'chat', { ...options, serverCallRecordFor: () => hidden })
    const { value, diagnostics } = again.request({ ...requestOf('responses', [], shell), input })
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(gistOf(requestTurns('chat', value)).slice(1)).toEqual([
      ['call', 'function', 'c1', 'lookup', {}],
      ['call', 'function', 'c2', 'local_shell', { command: 'ls' }],
      ['result', 'c1', [['tool', 'result of c1']], false],
      ['result', 'c2', [['tool', 'a file']], false],
    ])
  })

  test('the upstream’s own: nobody waits for the held ones', () => {
    const exchange = begin('responses', 'responses', options)
    exchange.request(requestOf('responses', [], shell))
    const body = wholeFrom('responses', { parts: [call('c1', 'lookup')] })
    const item = { type: 'local_shell_call', id: 'l1', call_id: 'c2', action: {}, status: 'completed' }
    const { calls, serverCalls, value } = exchange.response({
      ...body,
      output: [...(body.output as []), item],
    })
    expect([calls, serverCalls.map(({ id }) => id)]).toEqual([['local_shell'], ['c1']])
    expect(value.output).toEqual([item])
  })
})

test.each(['responses', 'messages'] as const)('reasoning goes back to %s under its seal', to => {
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
    const { serverCalls } = exchange.response(wholeFrom(to, { parts: [thought, call('c1', 'lookup')] }))
    const { value } = exchange.next(run(serverCalls))
    expect(gistOf(requestTurns(to, value))[1]).toEqual(['reasoning', thought.text.join(''), thought.seal])
  }
})

test('what was said of the request is not said again of the next one', () => {
  const exchange = begin('chat', 'messages', { tools })
  const { diagnostics } = exchange.request(requestOf('chat', [], { seed: 3 }))
  expect(diagnostics.map(({ path }) => path.join('.'))).toContain('seed')
  const { serverCalls } = exchange.response(wholeFrom('messages', first))
  expect(exchange.next(run(serverCalls)).diagnostics).toEqual([])
})

test('a call that broke off in an answer that claims to be whole is not run, and nobody waits for it', () => {
  const said: Said = { parts: [{ ...call('c1', 'lookup'), status: 'incomplete' }], reason: 'calls' }
  for (const from of wires) {
    const exchange = begin(from, 'responses', { tools })
    exchange.request(streamRequest(from))
    const whole = exchange.response(wholeFrom('responses', said))
    expect(whole).toMatchObject({ finish: 'length', calls: [], serverCalls: [{ id: 'c1', truncated: true }] })
    const stream = exchange.stream()
    const told = stream.push(streamFrom('responses', said)) + stream.end()
    expect(stream).toMatchObject({ finish: 'length', serverCalls: [{ truncated: true }] })
    expect(checkEventOrder(from, told)).toEqual([])
  }
})
