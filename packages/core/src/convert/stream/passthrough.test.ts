/** Requests that are passed through without being decoded. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createExchange } from '../../create-exchange.ts'
import type { JsonObject } from '../../json/object.ts'
import type { ExchangeStream } from './exchange-stream.ts'

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

describe('what passes unchanged', () => {
  const frame = fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .map(text => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`)
  const open = (): ExchangeStream => {
    const exchange = createExchange({ from: 'chat', to: 'chat' })
    exchange.passthrough(() => request)
    return exchange.stream()
  }

  /** An event, where it is cut in two, and where a byte is broken. */
  const sent = fc.tuple(frame, fc.option(fc.nat(60)), fc.option(fc.nat(60)))
  const chunksOf = ([text, cut, broken]: readonly [string, number | null, number | null]): Uint8Array[] => {
    const bytes = new TextEncoder().encode(text)
    if (broken !== null) bytes.fill(0xc3, broken, broken + 1)
    return cut === null ? [bytes] : [bytes.subarray(0, cut), bytes.subarray(cut)]
  }

  test('Text that is called unchanged has the bytes of its chunk, also where a stream is cut or broken.', () => {
    fc.assert(
      fc.property(fc.array(sent, { maxLength: 8 }), all => {
        const stream = open()
        for (const chunk of all.flatMap(chunksOf)) {
          const text = stream.push(chunk)
          if (stream.isUnchanged) expect(new TextEncoder().encode(text)).toEqual(chunk)
        }
      }),
    )
  })

  test('A chunk of complete events in ASCII is unchanged, and what is converted is not.', () => {
    const chunk = new TextEncoder().encode('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n')
    const stream = open()
    stream.push(chunk)
    expect(stream.isUnchanged).toBe(true)
    stream.push(chunk.subarray(0, 20))
    expect(stream.isUnchanged).toBe(false)
    const failed = open()
    failed.push(chunk)
    failed.fail({ kind: 'server', message: 'No.' })
    expect([failed.push(chunk), failed.isUnchanged]).toEqual(['', false])
    const exchange = createExchange({ from: 'messages', to: 'chat' })
    exchange.request({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] })
    const converted = exchange.stream()
    converted.push(chunk)
    expect(converted.isUnchanged).toBe(false)
  })
})
