/** Requests that are passed through without being decoded. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../../create-exchange.ts'
import type { JsonObject } from '../../json/object.ts'

const request: JsonObject = {
  model: 'gpt-5.2',
  input: 'Hello',
  instructions: 'Be brief.',
  metadata: { ticket: '7' },
}

/** A request that counts how often it is read. */
function counted(): { readonly read: () => JsonObject; readonly count: () => number } {
  let count = 0
  return {
    read() {
      count++
      return request
    },
    count: () => count,
  }
}

const delta =
  'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hi"}\n\n'

describe('passthrough', () => {
  test('A passthrough request is not decoded for an answer or stream that does not repeat it.', () => {
    const { read, count } = counted()
    const exchange = createExchange({ from: 'responses', to: 'responses' })
    exchange.passthrough(read)
    expect(exchange.isPassthrough).toBe(true)
    const answer = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output: [] }
    expect(exchange.response(answer).value).toEqual(answer)
    const stream = exchange.stream()
    expect(stream.push(delta)).toBe(delta)
    expect(count()).toBe(0)
  })

  test('The answer to a passthrough request is summarized without decoding the request.', () => {
    const { read, count } = counted()
    const exchange = createExchange({ from: 'responses', to: 'responses' })
    exchange.passthrough(read)
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'now', arguments: '{}' }
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
    const answer = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      output: [call],
      usage,
    }
    expect(exchange.summary(answer)).toEqual({
      finish: 'calls',
      usage: { input: 3, output: 4 },
      isCompacted: false,
      calls: ['now'],
    })
    expect(exchange.summary('no answer')).toEqual({
      finish: 'failed',
      calls: [],
      isCompacted: false,
    })
    expect(count()).toBe(0)
  })

  test('A passthrough request is decoded once if an error answer has to repeat it.', () => {
    const { read, count } = counted()
    const exchange = createExchange({ from: 'responses', to: 'responses' })
    exchange.passthrough(read)
    for (const _ of [1, 2]) {
      const told = exchange.stream().fail({ kind: 'server', message: 'The upstream has gone.' })
      expect(told).toContain('"instructions":"Be brief."')
      expect(told).toContain('"metadata":{"ticket":"7"}')
      expect(told).toContain('The upstream has gone.')
    }
    expect(count()).toBe(1)
  })

  test('A passthrough replaces an earlier request, and a later request replaces the passthrough.', () => {
    const exchange = createExchange({ from: 'responses', to: 'responses' })
    exchange.request({ ...request, instructions: 'Be long.' })
    exchange.passthrough(() => request)
    const fail = (): string => exchange.stream().fail({ kind: 'server', message: 'Gone.' })
    expect(fail()).toContain('Be brief.')
    exchange.request({ ...request, instructions: 'Be long.' })
    expect(fail()).toContain('Be long.')
  })

  test.each([
    ['two wires', { from: 'responses', to: 'chat' }],
    ['an id for the answer', { from: 'chat', to: 'chat', answerId: 'a' }],
    ['server tools', { from: 'chat', to: 'chat', tools: [{ name: 'now', parameters: { type: 'object' } }] }],
  ] as const)('A passthrough is refused with %s.', (_, options) => {
    expect(() => createExchange(options).passthrough(() => request)).toThrow(
      '"passthrough" needs the same wire on both sides',
    )
  })
})

describe('a malformed event in a passthrough stream', () => {
  const begun = {
    chat: 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
    responses: delta,
    messages:
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[]}}\n\n',
  }
  const malformed = ['data: {"half\n\n', 'data: not JSON\n\n', 'event: x\ndata: [1,\n\n']
  const cases = (['chat', 'responses', 'messages'] as const).flatMap(wire =>
    malformed.map(event => ({ wire, event })),
  )

  test.each(cases)(
    'A $wire stream is sent on with $event, and its cut is still reported.',
    ({ wire, event }) => {
      for (const cut of ['end', 'fail'] as const) {
        const stream = createExchange({ from: wire, to: wire }).stream()
        const opening = begun[wire]
        expect(stream.push(opening)).toBe(opening)
        expect(stream.push(event)).toBe(event)
        expect(stream.push(opening)).toBe(opening)
        expect(stream.finish).toBeUndefined()
        const last = cut === 'end' ? stream.end() : stream.fail({ kind: 'server', message: 'It was reset.' })
        expect(last).toContain('error')
        expect(stream.failure).toMatch(cut === 'end' ? /ended before/ : /It was reset/)
      }
    },
  )
})
