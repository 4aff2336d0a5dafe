/** Calls that the request does not allow are not sent to the client, whatever the upstream does. */
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
  streamFrom,
  text,
  wires,
} from './exchange-fixtures.ts'

const none: { readonly [W in Wire]: JsonObject } = {
  chat: { tool_choice: 'none' },
  responses: { tool_choice: 'none' },
  messages: { tool_choice: { type: 'none' } },
}

const single: { readonly [W in Wire]: JsonObject } = {
  chat: { parallel_tool_calls: false },
  responses: { parallel_tool_calls: false },
  messages: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
}

const onlyA: { readonly [W in Exclude<Wire, 'messages'>]: JsonObject } = {
  chat: {
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'a' } }] },
    },
  },
  responses: {
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }] },
  },
}

interface ClientAnswer {
  readonly calls: readonly string[]
  readonly finish: unknown
  readonly upstreamAnswer: unknown[]
  readonly codes: readonly string[]
}

/** What the client hears of the answer, whole and streamed; both must be the same. */
function exchangeAnswer(
  from: Wire,
  to: Wire,
  more: JsonObject,
  upstreamAnswer: UpstreamAnswer,
): ClientAnswer {
  const request = requestOf(from, ['a', 'b'], { ...more, stream: true })
  const exchange = begin(from, to)
  exchange.request(request)
  const whole = exchange.response(answerFrom(to, upstreamAnswer))
  const stream = exchange.stream()
  const received = stream.push(streamFrom(to, upstreamAnswer)) + stream.end()
  expect(checkEventOrder(from, received)).toEqual([])
  expect([stream.calls, stream.finish]).toEqual([whole.calls, whole.finish])
  const parts = condense(answerTurns(from, whole.value))
  expect(condense(answerTurns(from, stream.answer ?? {}))).toEqual(parts)
  const codes = (list: readonly { code: string }[]): string[] =>
    list.map(({ code }) => code).filter(code => /call_not_allowed|parallel_call_dropped/.test(code))
  expect(codes(stream.diagnostics)).toEqual(codes(whole.diagnostics))
  return { calls: whole.calls, finish: whole.finish, upstreamAnswer: parts, codes: codes(whole.diagnostics) }
}

const both: UpstreamAnswer = { parts: [text('Well.'), call('c1', 'b'), call('c2', 'a'), call('c3', 'a')] }

describe.each(pairs)('a client on %s, an upstream on %s', (from, to) => {
  test('An answer whose calls are not allowed ends with stop.', () => {
    expect(exchangeAnswer(from, to, none[from], both)).toEqual({
      calls: [],
      finish: 'stop',
      upstreamAnswer: [['assistant', 'Well.']],
      codes: ['call_not_allowed', 'call_not_allowed', 'call_not_allowed'],
    })
  })

  test('An answer that consists only of forbidden calls is still a valid answer.', () => {
    const { finish, upstreamAnswer } = exchangeAnswer(from, to, none[from], { parts: [call('c1', 'a')] })
    expect([finish, upstreamAnswer]).toEqual(['stop', []])
  })

  test('If one call at a time is allowed, the first one is kept.', () => {
    expect(exchangeAnswer(from, to, single[from], both)).toEqual({
      calls: ['b'],
      finish: 'calls',
      upstreamAnswer: [
        ['assistant', 'Well.'],
        ['call', 'function', 'c1', 'b', {}],
      ],
      codes: ['parallel_call_dropped', 'parallel_call_dropped'],
    })
  })

  test('Without a restriction every call goes to the client.', () => {
    expect(exchangeAnswer(from, to, {}, both)).toMatchObject({ calls: ['b', 'a', 'a'], codes: [] })
  })
})

describe.each(pairs.filter((pair): pair is ['chat' | 'responses', Wire] => pair[0] !== 'messages'))(
  'a client on %s, an upstream on %s',
  (from, to) => {
    test('Only calls to the allowed tools are kept. [open-responses 8]', () => {
      expect(exchangeAnswer(from, to, onlyA[from], both)).toMatchObject({
        calls: ['a', 'a'],
        finish: 'calls',
        codes: ['call_not_allowed'],
      })
    })

    test('An undeclared tool is not in the allowed subset.', () => {
      const { calls, finish } = exchangeAnswer(from, to, onlyA[from], { parts: [call('c1', 'zzz')] })
      expect([calls, finish]).toEqual([[], 'stop'])
    })
  },
)

test('Bundled calls are checked one by one.', () => {
  const uses = ['functions.a', 'functions.b'].map(name => ({ recipient_name: name, parameters: {} }))
  const bundle = call('c1', 'parallel', { tool_uses: uses })
  expect(exchangeAnswer('chat', 'responses', onlyA.chat, { parts: [bundle] })).toMatchObject({
    calls: ['a'],
    codes: ['call_not_allowed'],
  })
  expect(exchangeAnswer('responses', 'chat', single.responses, { parts: [bundle] })).toMatchObject({
    calls: ['a'],
  })
})

test('Server tools are outside every allowed subset, and count if one call is allowed.', () => {
  const tools = [{ name: 'lookup' }]
  const ask = (more: JsonObject, upstreamAnswer: UpstreamAnswer): unknown[] => {
    const exchange = begin('chat', 'chat', { tools })
    exchange.request(requestOf('chat', ['a', 'b'], more))
    const { calls, serverCalls } = exchange.response(answerFrom('chat', upstreamAnswer))
    return [calls, serverCalls.map(({ id }) => id)]
  }
  expect(ask(onlyA.chat, { parts: [call('c1', 'lookup'), call('c2', 'a')] })).toEqual([['a'], []])
  expect(ask(none.chat, { parts: [call('c1', 'lookup')] })).toEqual([[], []])
  expect(ask(single.chat, { parts: [call('c1', 'lookup'), call('c2', 'a')] })).toEqual([[], ['c1']])
})

describe('on one wire', () => {
  test.each(wires)('On %s, an exchange is a passthrough unless a call may have to be dropped.', wire => {
    const bytes = streamFrom(wire, both)
    const free = begin(wire, wire)
    free.request(requestOf(wire, ['a', 'b']))
    expect(free.isPassthrough).toBe(true)
    expect(free.stream().push(bytes)).toBe(bytes)
    const bound = begin(wire, wire)
    bound.request(requestOf(wire, ['a', 'b'], single[wire]))
    expect(bound.isPassthrough).toBe(false)
  })
})
