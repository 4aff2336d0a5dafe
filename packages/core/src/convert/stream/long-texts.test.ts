/** A long text that the end of a stream repeats is there once, and put in place it is the same stream. */
import { expect, test } from 'vitest'
import { createExchange } from '../../create-exchange.ts'
import type { BuiltInWire } from '../../wires/registry.ts'

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const call = (text: string): object => ({
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: text } }],
})

function stream(from: BuiltInWire, deltas: readonly object[], longTexts?: Iterable<string>[]): string {
  let count = 0
  const newId = (prefix: string): string => `${prefix}${++count}`
  const exchange = createExchange({ from, to: 'chat', newId, now: () => 1 })
  exchange.request({
    model: 'm',
    input: 'Hello',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'Hello' }],
  })
  const opened = exchange.stream(longTexts === undefined ? {} : { longTexts })
  return [...deltas.map(delta => chunk(delta)), chunk({}, 'stop')].map(opened.push).join('') + opened.end()
}

const million = 1_100_000
test.each([
  ['a plain text', { content: 'x'.repeat(million) }],
  ['a text with escapes', { content: '"\n\\\u0000é'.repeat(million / 4) }],
  ['a reasoning', { reasoning_content: 'x'.repeat(million) }],
  ['the arguments of a call', call(JSON.stringify('x'.repeat(million)))],
])('On Responses %s is put aside once, and repeated by reference.', (_, delta) => {
  const longTexts: Iterable<string>[] = []
  const written = stream('responses', [delta, delta], longTexts)
  const complete = written
    .split('\0')
    .map((piece, at) => (at % 2 === 0 ? piece : [...(longTexts[Number(piece)] ?? [])].join('')))
    .join('')
  expect(longTexts).toHaveLength(1)
  expect(written.length).toBeLessThan(complete.length - 2 * million)
  // Compared by hand: a difference of megabytes is not worth showing.
  expect(complete === stream('responses', [delta, delta])).toBe(true)
})

test.each(['chat', 'messages'] as const)('On %s, which repeats nothing, nothing is put aside.', wire => {
  const longTexts: Iterable<string>[] = []
  const delta = { content: 'x'.repeat(million) }
  expect(stream(wire, [delta], longTexts) === stream(wire, [delta])).toBe(true)
  expect(longTexts).toEqual([])
})

test('A short text on Responses is written in its place.', () => {
  const longTexts: Iterable<string>[] = []
  expect(stream('responses', [{ content: 'Hello.' }], longTexts)).toBe(
    stream('responses', [{ content: 'Hello.' }]),
  )
  expect(longTexts).toEqual([])
})
