/** Requests that go by unread. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../../create-exchange.ts'
import type { JsonObject } from '../../json/json.ts'

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

describe('a request that passes', () => {
  test('is not read for an answer or a stream that needs nothing of it', () => {
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

  test('has an answer that is summed up without the request', () => {
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
      calls: ['now'],
    })
    expect(exchange.summary('no answer')).toEqual({ finish: 'failed', calls: [] })
    expect(count()).toBe(0)
  })

  test('is read once, when a failure has to be told in an answer that repeats it', () => {
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

  test('takes the place of one that was made before, and gives it to one that is made later', () => {
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
    [
      'tools that are run in the middle',
      { from: 'chat', to: 'chat', tools: [{ name: 'now', parameters: { type: 'object' } }] },
    ],
  ] as const)('cannot pass with %s', (_, options) => {
    expect(() => createExchange(options).passthrough(() => request)).toThrow(
      '"passthrough" needs the same wire on both sides',
    )
  })
})
