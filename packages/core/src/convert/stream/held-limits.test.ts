/** How much an answer may have where all of it has to be kept until its end. */
import { expect, test } from 'vitest'
import { createExchange } from '../../create-exchange.ts'
import type { Exchange } from '../exchange.ts'
import type { ExchangeStream } from './exchange-stream.ts'

const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`

function open(options: Parameters<Exchange['stream']>[0] = {}): ExchangeStream {
  const exchange = createExchange({ from: 'responses', to: 'chat', limits: { parts: 20 } })
  exchange.request({ model: 'm', input: 'Hello' })
  return exchange.stream(options)
}

test.each([{}, { holdEnd: true }, { longTexts: [] }])(
  'With %j a stream fails at as much text as there may be, whatever its events are.',
  options => {
    const stream = open({ ...options, mostText: 1000 })
    let written = ''
    for (let index = 0; index < 100; index++) written += stream.push(chunk({ content: 'x'.repeat(10) }))
    expect(stream.failure).toBeUndefined()
    written += stream.push(chunk({ content: 'y' }))
    expect(stream.failure).toBe('The answer is kept whole, and has more than 1000 characters.')
    expect(written).toContain('response.failed')
    expect(stream.textLength).toBe(1001)
  },
)

test('A stream may have any length by itself.', () => {
  const stream = open()
  for (let index = 0; index < 100; index++) stream.push(chunk({ content: 'x'.repeat(100) }))
  expect(stream.failure).toBeUndefined()
  expect(stream.textLength).toBe(10_000)
})

test('A stream with more parts than there may be fails.', () => {
  const stream = open()
  const call = (index: number): object => ({
    tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'f', arguments: '{}' } }],
  })
  for (let index = 0; index < 20; index++) stream.push(chunk(call(index)))
  expect(stream.failure).toBeUndefined()
  stream.push(chunk(call(20)))
  expect(stream.failure).toBe('The answer has more than 20 parts.')
})
