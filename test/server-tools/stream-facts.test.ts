/** The facts that a stream records besides its text, and local errors. */
import type { ExchangeStream, BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { createWholeEvents } from '../../packages/core/src/sse/whole-events.ts'
import { checkEventOrder } from '../support/streams/event-order.ts'
import type { UpstreamAnswer } from './exchange-fixtures.ts'
import {
  answerFrom,
  answerTurns,
  begin,
  call,
  condense,
  counting,
  framesOf,
  pairs,
  requestOf,
  streamFrom,
  text,
  wires,
} from './exchange-fixtures.ts'

const upstreamAnswer: UpstreamAnswer = {
  parts: [text('Yes.'), call('c1', 'own', { x: 1 })],
  usage: { input: 3, output: 2, cacheRead: 1 },
}

function open(from: Wire, to: Wire): ExchangeStream {
  const exchange = begin(from, to)
  exchange.request(requestOf(from, ['own'], { stream: true }))
  return exchange.stream()
}

describe.each(pairs)('a client on %s, an upstream on %s', (from, to) => {
  test('A finished stream has its usage, calls, finish reason and complete answer.', () => {
    const stream = open(from, to)
    expect(stream).toMatchObject({ usage: undefined, calls: [], finish: undefined, answer: undefined })
    const received = stream.push(streamFrom(to, upstreamAnswer)) + stream.end()
    expect(stream).toMatchObject({
      usage: { input: 3, output: 2, cacheRead: 1 },
      calls: ['own'],
      finish: 'calls',
    })
    const { value, usage, calls, finish } = begin(from, to).response(answerFrom(to, upstreamAnswer))
    expect(usage).toMatchObject({ input: 3, output: 2, cacheRead: 1 })
    expect([calls, finish]).toEqual([['own'], 'calls'])
    expect(condense(answerTurns(from, stream.answer ?? {}))).toEqual(condense(answerTurns(from, value)))
    const end = framesOf(received).at(-1)?.data.response
    if (from === 'responses') expect(stream.answer).toEqual(end)
    // Asking twice gives the same answer, ids included.
    expect(stream.answer).toEqual(stream.answer)
  })

  if (from !== to) {
    test('Generated ids are the same in the stream and in its complete answer.', () => {
      const stream = open(from, to)
      const source = streamFrom(to, upstreamAnswer)
        .replaceAll(/"id":"[^"]*",?/g, '')
        .replaceAll(/"call_id":"[^"]*",?/g, '')
      const received = stream.push(source) + stream.end()
      const ids = [...JSON.stringify(stream.answer).matchAll(/"(?:call_)?id":"([^"]*)"/g)].map(
        ([, id]) => id ?? '',
      )
      for (const id of ids) expect(received).toContain(id)
    })
  }

  test('A complete answer is streamed to the client.', () => {
    const stream = open(from, to)
    const received = stream.whole(answerFrom(to, upstreamAnswer))
    expect(checkEventOrder(from, received)).toEqual([])
    expect(stream).toMatchObject({ calls: ['own'], finish: 'calls', progress: 1 })
    const whole = begin(from, to).response(answerFrom(to, upstreamAnswer)).value
    expect(condense(answerTurns(from, stream.answer ?? {}))).toEqual(condense(answerTurns(from, whole)))
    expect(stream.push('data: more\n\n') + stream.end()).toBe('')
    const bad = open(from, to)
    expect(checkEventOrder(from, bad.whole('what?'))).toEqual([])
    expect(bad.failure).toMatch(/not a JSON object/)
  })

  test('A local error can end a stream before its first event and in the middle.', () => {
    const error = { kind: 'timeout', message: 'Too slow.', code: 'slow' } as const
    const early = open(from, to)
    expect(checkEventOrder(from, early.fail(error))).toEqual([])
    expect(early).toMatchObject({ failure: 'Too slow.', finish: 'failed' })
    const source = streamFrom(to, upstreamAnswer)
    for (let cut = 1; cut < source.length; cut += 41) {
      const stream = open(from, to)
      const before = stream.push(source.slice(0, cut))
      if (stream.finish !== undefined) continue
      const received = before + stream.fail(error)
      const frames = framesOf(received)
      expect(received.endsWith('\n\n')).toBe(true)
      expect(received.match(/Too slow/g)?.length).toBe(from === 'responses' ? 2 : 1)
      if (from === 'responses') {
        const numbers = frames.map(({ data }) => data.sequence_number)
        expect(numbers).toEqual(numbers.map((_, i) => i))
        expect(frames.slice(-2).map(({ event }) => event)).toEqual(['error', 'response.failed'])
      }
      if (from !== to) expect(checkEventOrder(from, received)).toEqual([])
      expect(stream.push(source.slice(cut)) + stream.end() + stream.fail(error)).toBe('')
    }
  })

  test('A stream that is cut anywhere gives the client complete events and one failure.', () => {
    const source = streamFrom(to, upstreamAnswer)
    for (let cut = 1; cut < source.length; cut += 23) {
      const stream = open(from, to)
      const received = stream.push(source.slice(0, cut)) + stream.end()
      const failed = stream.failure !== undefined
      expect(failed).toBe(stream.finish === 'failed')
      for (const frame of received.split('\n\n').slice(0, -1)) {
        const data = /^data: (.*)$/m.exec(frame)?.[1] ?? ''
        if (data !== '[DONE]') expect(() => JSON.parse(data)).not.toThrow()
      }
      if (failed) expect(received.match(/"(?:error|response\.failed)"/g)?.length).toBeGreaterThan(0)
    }
  })
})

test.each(wires)('On %s, keep-alive events do not count as progress.', wire => {
  for (const from of wires) {
    const stream = open(from, wire)
    stream.push(': hello\n\nevent: ping\ndata: {"type": "ping"}\n\ndata: {"type":"ping"}\n\n')
    stream.push('event: keepalive\ndata: {"type":"keepalive","sequence_number":3}\n\n')
    expect(stream.progress).toBe(0)
    stream.push(streamFrom(wire, upstreamAnswer))
    const frames = framesOf(streamFrom(wire, upstreamAnswer)).length
    expect([frames, frames + 1]).toContain(stream.progress)
  }
})

describe('on one wire', () => {
  test('Passthrough events are complete and have the bytes that they came with.', () => {
    const stream = open('responses', 'responses')
    expect(stream.push('event: a\r\ndata: {}\r\n\r')).toBe('')
    expect(stream.push('\ndata: {"b"')).toBe('event: a\r\ndata: {}\r\n\r\n')
    expect(stream.push(':1}\n\n')).toBe('data: {"b":1}\n\n')
  })

  test('A passthrough stream holds back only the incomplete event, wherever the chunks end.', () => {
    const pieces = fc.array(fc.constantFrom('data: x', '\n', '\r\n', '\n\n', '\r\r', 'y', '\r'), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(pieces, fc.nat(20), (lines, cut) => {
        const whole = lines.join('')
        const wholeEvents = createWholeEvents()
        const passed = [wholeEvents.push(whole.slice(0, cut)), wholeEvents.push(whole.slice(cut))]
        expect(passed.join('') + wholeEvents.flush()).toBe(whole)
        for (const one of passed) if (one !== '') expect(one).toMatch(/(\n\n|\n\r\n|\r\r)$/)
        const left = whole.slice(passed.join('').length)
        expect(left).not.toMatch(/\n\n|\n\r\n|\r\r/)
      }),
    )
  })

  test('The error of an upstream is sent on in its own words.', () => {
    const stream = open('responses', 'responses')
    const error = 'event: error\ndata: {"type":"error","error":{"type":"server_error","message":"Oh."}}\n\n'
    const failed = 'event: response.failed\ndata: {"type":"response.failed","response":{"id":"resp_1"}}\n\n'
    expect(stream.push(error) + stream.push(failed) + stream.end()).toBe(error + failed)
    expect(stream).toMatchObject({ failure: 'Oh.', answer: { id: 'resp_1' } })
  })

  test('A last event without a blank line is sent on, and half an event is not.', () => {
    const source = streamFrom('chat', upstreamAnswer)
    const whole = open('chat', 'chat')
    expect(whole.push(source.trimEnd()) + whole.end()).toBe(source.trimEnd())
    const half = open('chat', 'chat')
    const received = half.push('data: {"id":"x","choices":[]}\n\ndata: {"id":"x","cho') + half.end()
    expect(framesOf(received)).toMatchObject([
      { data: { id: 'x' } },
      { data: { error: { type: 'server_error' } } },
    ])
  })
})

describe('errors of one’s own', () => {
  test.each<[Wire, JsonObject, number]>([
    ['chat', { error: { message: 'No.', type: 'timeout_error', param: null, code: 'x' } }, 504],
    ['responses', { error: { message: 'No.', type: 'timeout_error', param: null, code: 'x' } }, 504],
    [
      'messages',
      {
        type: 'error',
        request_id: null,
        error: { type: 'timeout_error', message: 'No.', details: { error_code: 'x' } },
      },
      504,
    ],
  ])('A local error has the shape and status of %s.', (wire, value, status) => {
    const exchange = createExchange({ from: wire, to: 'chat', ...counting() })
    expect(exchange.failure({ kind: 'timeout', message: 'No.', code: 'x' })).toEqual({ value, status })
    expect(exchange.failure({ kind: 'server', message: 'No.', status: 502 }).status).toBe(502)
    const overloaded = exchange.failure({ kind: 'overloaded', message: 'No.' })
    expect(overloaded.status).toBe(wire === 'messages' ? 529 : 503)
  })
})

describe('untouched', () => {
  test.each(wires)('An exchange on %s is a passthrough as long as nothing is changed.', wire => {
    const exchange = begin(wire, wire)
    expect(exchange.isPassthrough).toBe(false)
    exchange.request(requestOf(wire, ['own']))
    expect(exchange.isPassthrough).toBe(true)
    const other = begin(wire, wires.find(one => one !== wire) ?? wire)
    other.request(requestOf(wire, ['own']))
    expect(other.isPassthrough).toBe(false)
    const registered = begin(wire, wire, { tools: [{ name: 'lookup' }] })
    registered.request(requestOf(wire, ['own']))
    expect(registered.isPassthrough).toBe(false)
    const named = begin(wire, wire, { profile: { nameMaxLength: 16 } })
    named.request(requestOf(wire, ['a_name_that_is_too_long']))
    expect(named.isPassthrough).toBe(false)
  })
})

test('Answers repeat the client’s request without the history that was added to it.', () => {
  const exchange = begin('responses', 'chat')
  const context = { model: 'm', input: 'again', previous_response_id: 'resp_0' }
  exchange.request({ model: 'm', input: 'all of it' }, { clientRequest: context })
  expect(exchange.response(answerFrom('chat', upstreamAnswer)).value.previous_response_id).toBe('resp_0')
})
