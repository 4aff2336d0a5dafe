/** A Responses answer says what became of `strict` where the request left it to the server. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { native, streamed } from '../conversation/native.ts'

const closed = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}
const open = { type: 'object', properties: { a: { type: 'string' } } }
const tool = (name: string, parameters: object, more: object = {}) => ({
  type: 'function',
  name,
  parameters,
  ...more,
})
const tools = [
  tool('closed', closed),
  tool('closed_null', closed, { strict: null }),
  tool('open', open),
  tool('open_null', open, { strict: null }),
  tool('stated', closed, { strict: false }),
  tool('stated_too', closed, { strict: true }),
  {
    type: 'namespace',
    name: 'n',
    description: 'd',
    tools: [tool('inner', closed), tool('inner_open', open, { strict: null })],
  },
]
const expected = [
  { name: 'closed', strict: true },
  { name: 'closed_null', strict: true },
  { name: 'open', strict: false },
  { name: 'open_null', strict: false },
  { name: 'stated', strict: false },
  { name: 'stated_too', strict: true },
  {
    name: 'n',
    tools: [
      { name: 'inner', strict: true },
      { name: 'inner_open', strict: false },
    ],
  },
]

describe.each(['chat', 'messages'] as const)('a Responses client with an upstream of %s', to => {
  const body = native(to, { text: 'hi' })

  test('The whole answer repeats the effective boolean of each function, never null. [C1]', () => {
    const exchange = createExchange({ from: 'responses', to })
    exchange.request({ model: 'm', input: 'hi', tools })
    expect(exchange.response(body).value.tools).toMatchObject(expected)
  })

  test('Every event of the stream that holds the answer repeats it as well. [C1]', () => {
    const exchange = createExchange({ from: 'responses', to })
    exchange.request({ model: 'm', input: 'hi', tools, stream: true })
    const stream = exchange.stream()
    const text = stream.push(streamed(to, body).join('')) + stream.end()
    const answers = [...text.matchAll(/^data: (\{.*)$/gm)]
      .map(([, json = '']) => (JSON.parse(json) as { response?: JsonObject }).response)
      .filter(response => response !== undefined)
    expect(answers.length).toBeGreaterThan(2)
    for (const { tools: repeated } of answers) expect(repeated).toMatchObject(expected)
  })
})
