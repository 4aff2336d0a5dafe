/** What the request did not allow does not reach the client, whatever the upstream lets the model do. */
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
  streamFrom,
  text,
  wholeFrom,
  wires,
} from './rehearsal.ts'

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

interface Heard {
  readonly calls: readonly string[]
  readonly finish: unknown
  readonly said: unknown[]
  readonly codes: readonly string[]
}

/** What the client hears of the answer, whole and streamed; both must be the same. */
function hear(from: Wire, to: Wire, more: JsonObject, said: Said): Heard {
  const request = requestOf(from, ['a', 'b'], { ...more, stream: true })
  const exchange = begin(from, to)
  exchange.request(request)
  const whole = exchange.response(wholeFrom(to, said))
  const stream = exchange.stream()
  const told = stream.push(streamFrom(to, said)) + stream.end()
  expect(checkEventOrder(from, told)).toEqual([])
  expect([stream.calls, stream.finish]).toEqual([whole.calls, whole.finish])
  const parts = gistOf(answerTurns(from, whole.value))
  expect(gistOf(answerTurns(from, stream.answer ?? {}))).toEqual(parts)
  const codes = (list: readonly { code: string }[]): string[] =>
    list.map(({ code }) => code).filter(code => /call_not_allowed|parallel_call_dropped/.test(code))
  expect(codes(stream.diagnostics)).toEqual(codes(whole.diagnostics))
  return { calls: whole.calls, finish: whole.finish, said: parts, codes: codes(whole.diagnostics) }
}

const both: Said = { parts: [text('Well.'), call('c1', 'b'), call('c2', 'a'), call('c3', 'a')] }

describe.each(pairs)('a client on %s, an upstream on %s', (from, to) => {
  test('no calls where none are allowed: the answer stops', () => {
    expect(hear(from, to, none[from], both)).toEqual({
      calls: [],
      finish: 'stop',
      said: [['assistant', 'Well.']],
      codes: ['call_not_allowed', 'call_not_allowed', 'call_not_allowed'],
    })
  })

  test('an answer of nothing but such calls is an answer all the same', () => {
    const { finish, said } = hear(from, to, none[from], { parts: [call('c1', 'a')] })
    expect([finish, said]).toEqual(['stop', []])
  })

  test('one call at a time: the first one', () => {
    expect(hear(from, to, single[from], both)).toEqual({
      calls: ['b'],
      finish: 'calls',
      said: [
        ['assistant', 'Well.'],
        ['call', 'function', 'c1', 'b', {}],
      ],
      codes: ['parallel_call_dropped', 'parallel_call_dropped'],
    })
  })

  test('without such a word every call passes', () => {
    expect(hear(from, to, {}, both)).toMatchObject({ calls: ['b', 'a', 'a'], codes: [] })
  })
})

describe.each(pairs.filter((pair): pair is ['chat' | 'responses', Wire] => pair[0] !== 'messages'))(
  'a client on %s, an upstream on %s',
  (from, to) => {
    test('[open-responses 8] only the tools of the subset', () => {
      expect(hear(from, to, onlyA[from], both)).toMatchObject({
        calls: ['a', 'a'],
        finish: 'calls',
        codes: ['call_not_allowed'],
      })
    })

    test('a tool that nobody declared is in no subset', () => {
      const { calls, finish } = hear(from, to, onlyA[from], { parts: [call('c1', 'zzz')] })
      expect([calls, finish]).toEqual([[], 'stop'])
    })
  },
)

test('bundled calls are judged one by one', () => {
  const uses = ['functions.a', 'functions.b'].map(name => ({ recipient_name: name, parameters: {} }))
  const bundle = call('c1', 'parallel', { tool_uses: uses })
  expect(hear('chat', 'responses', onlyA.chat, { parts: [bundle] })).toMatchObject({
    calls: ['a'],
    codes: ['call_not_allowed'],
  })
  expect(hear('responses', 'chat', single.responses, { parts: [bundle] })).toMatchObject({ calls: ['a'] })
})

test('registered tools are outside every subset, and count when one call is allowed', () => {
  const tools = [{ name: 'lookup' }]
  const ask = (more: JsonObject, said: Said): unknown[] => {
    const exchange = begin('chat', 'chat', { tools })
    exchange.request(requestOf('chat', ['a', 'b'], more))
    const { calls, serverCalls } = exchange.response(wholeFrom('chat', said))
    return [calls, serverCalls.map(({ id }) => id)]
  }
  expect(ask(onlyA.chat, { parts: [call('c1', 'lookup'), call('c2', 'a')] })).toEqual([['a'], []])
  expect(ask(none.chat, { parts: [call('c1', 'lookup')] })).toEqual([[], []])
  expect(ask(single.chat, { parts: [call('c1', 'lookup'), call('c2', 'a')] })).toEqual([[], ['c1']])
})

describe('on one wire', () => {
  test.each(wires)('%s: bytes pass as they are, unless something may have to be held back', wire => {
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
