import { expect, test } from 'vitest'
import { estimateTokens } from './estimate-tokens.ts'

const estimate = (value: unknown): number =>
  estimateTokens(new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)))

test('Four bytes of text are a token, and words about pictures are text.', () => {
  expect(estimate('x'.repeat(4_001))).toBe(1_001)
  expect(estimate({ text: `base64 ${'x'.repeat(393)}` })).toBeLessThan(1_100)
})

test.each([
  [{ url: `data:image/png;base64,${'A'.repeat(9e5)}` }],
  [{ type: 'base64', media_type: 'image/png', data: 'A'.repeat(9e5) }],
  [{ data: 'A'.repeat(100), type: 'base64' }],
])('A picture counts as about a thousand tokens, whatever its size.', source => {
  expect(estimate(source)).toBeLessThan(1_100)
})

test('Each picture counts.', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(9e5) }
  expect(Math.round(estimate([source, source, source]) / 1_000)).toBe(3)
})

test('What is never closed is looked at once.', () => {
  let searches = 0
  const bytes = new TextEncoder().encode(`{"a":"${'base64'.repeat(50_000)}`)
  const { indexOf } = Buffer.prototype
  Buffer.prototype.indexOf = function (this: Buffer, ...given: Parameters<typeof indexOf>) {
    searches++
    return indexOf.apply(this, given)
  } as typeof indexOf
  try {
    estimateTokens(bytes)
  } finally {
    Buffer.prototype.indexOf = indexOf
  }
  expect(searches).toBeLessThan(10)
})
