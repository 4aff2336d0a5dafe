import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { request } from '../../../../../../test/support/arbitraries/chat.ts'
import { decode, encode, roundTrip } from '../../../../../../test/support/fixtures/chat-round-trip.ts'
import type { JsonObject } from '../../../json/object.ts'

describe('laws', () => {
  test('identity: a valid request comes back as it was, and nothing is reported', () => {
    fc.assert(
      fc.property(request, body => {
        const result = roundTrip(body)
        expect(result.body).toStrictEqual(body)
        expect(result.diagnostics).toEqual([])
      }),
    )
  })

  test('totality: any JSON is read and written without throwing, and never written into', () => {
    const keys = [
      'role',
      'content',
      'type',
      'tool_calls',
      'function',
      'name',
      'arguments',
      'id',
      'annotations',
    ]
    const words = fc.constantFrom(
      'user',
      'assistant',
      'tool',
      'function',
      'text',
      'tool_use',
      'tool_result',
      'image',
    )
    const odd = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 5 },
        words,
        fc.jsonValue(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie('value'), { maxKeys: 5 }),
      ),
    })).value
    const body = fc.oneof(
      fc.dictionary(fc.string(), odd),
      fc.array(odd).map(messages => ({ messages })),
      fc.array(fc.dictionary(fc.constantFrom(...keys), odd)).map(messages => ({ messages })),
      request.chain(valid => odd.map(value => ({ ...valid, response_format: value, stream_options: value }))),
    )
    fc.assert(
      fc.property(body, value => {
        const before = JSON.stringify(value)
        roundTrip(value as JsonObject)
        expect(JSON.stringify(value)).toBe(before)
      }),
    )
  })

  test.each([
    ['nothing', {}],
    ['no messages', { model: 'm', messages: [] }],
    ['messages of null', { messages: null }],
    ['an empty list of parts', { messages: [{ role: 'user', content: [] }] }],
    ['no content', { messages: [{ role: 'user' }] }],
    ['bare texts in a list', { messages: [{ role: 'user', content: ['a', ''] }] }],
    ['empty options', { messages: [], stream_options: {} }],
    [
      'arguments as an object',
      call({ id: 'c', type: 'function', function: { name: 'f', arguments: { a: 1 } } }),
    ],
    ['arguments missing', call({ id: 'c', type: 'function', function: { name: 'f' } })],
    ['arguments of null', call({ id: 'c', type: 'function', function: { name: 'f', arguments: null } })],
    ['a call without type', call({ id: 'c', function: { name: 'f', arguments: '' } })],
    ['a call with an empty id', call({ id: '', type: 'function', function: { name: 'f', arguments: '' } })],
    [
      'a call left over from a stream',
      call({ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }),
    ],
    ['a call of unknown type', call({ id: 'c', type: 'retrieval', retrieval: {} })],
    ['a call without a name', call({ id: 'c', type: 'function', function: {} })],
    ['an output that is an object', { messages: [{ role: 'tool', tool_call_id: 'c', content: { a: [1] } }] }],
    ['an output that is a number', { messages: [{ role: 'tool', tool_call_id: 'c', content: 4 }] }],
    ['an output of texts', { messages: [{ role: 'tool', tool_call_id: 'c', content: ['a', 'b'] }] }],
    ['an output of null', { messages: [{ role: 'tool', tool_call_id: 'c', content: null }] }],
    [
      'a key called __proto__',
      JSON.parse('{"messages":[{"role":"user","content":"a","__proto__":{"b":1}}]}'),
    ],
    [
      'an image as a bare string',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'u' }] }] },
    ],
  ])('identity also for %s', (_, body) => {
    expect(roundTrip(body).body).toStrictEqual(body)
  })

  test.each([
    ['another role', { role: 'bot', content: 'x' }],
    ['no object', 'hello'],
    ['null', null],
  ])('a message with %s is passed on and reported', (_, odd) => {
    const result = roundTrip({ messages: [odd] })
    expect(result.body).toStrictEqual({ messages: [odd] })
    expect(result.diagnostics).toMatchObject([{ code: 'unknown_type', path: ['messages', 0] }])
  })

  test('nesting too deep for JSON text is left as it is', () => {
    const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))
    const body = call({ id: 'c', type: 'function', function: { name: 'f', arguments: { deep } } })
    const { request: read } = decode(body)
    const written = encode(read).body as {
      messages: [{ tool_calls: [{ function: { arguments: unknown } }] }]
    }
    expect(written.messages[0].tool_calls[0].function.arguments).toEqual(expect.objectContaining({}))
  })
})

function call(toolCall: unknown): JsonObject {
  return { messages: [{ role: 'assistant', content: null, tool_calls: [toolCall] }] }
}
