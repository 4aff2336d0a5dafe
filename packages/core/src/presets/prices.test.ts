import { expect, test } from 'vitest'
import { hosts } from './hosts.ts'
import { costOf, priceOf, prices } from './prices.ts'

test.each([
  ['gpt-5-nano', 'openai', 'gpt-5-nano'],
  ['gpt-5-nano-2025-08-07', 'openai', 'gpt-5-nano'],
  ['claude-opus-4-1-20250805', 'anthropic', 'claude-opus-4-1'],
  ['claude-opus-5-5', 'anthropic', 'claude-opus-5-5'],
  ['gpt-5.4-mini', 'openai', undefined],
  ['gpt-5.4-codex', 'openai', undefined],
  ['gpt-5-nano', undefined, undefined],
  ['gpt-5-nano', 'anthropic', undefined],
  ['qwen3:8b', 'ollama', undefined],
])('The model %s at %s has the price of %s.', (model, host, name) => {
  expect(priceOf(model, host)?.model).toBe(name)
})

test('Own rows come first, and may be for any host and for many models.', () => {
  const own = [{ model: 'gpt-*', input: 1, output: 2, source: 'contract', date: '2026-11' }]
  expect(priceOf('gpt-5-nano', 'openai', own)?.source).toBe('contract')
  expect(priceOf('gpt-x', undefined, own)?.source).toBe('contract')
  expect(priceOf('claude-opus-5', 'anthropic', own)?.output).toBe(25)
})

test('Cached input costs its own rate, or what other input does.', () => {
  const price = { model: 'a', input: 10, output: 20, cacheRead: 1, source: '', date: '' }
  expect(costOf({ input: 1e6, output: 1e6 }, price)).toBe(30)
  expect(costOf({ input: 1e6, output: 0, cacheRead: 5e5, cacheWrite: 5e5 }, price)).toBe(5.5)
})

test('Long prompts cost the rates for them.', () => {
  const price = priceOf('claude-haiku-5-5', 'anthropic')
  if (price === undefined) throw new Error('It must have one.')
  expect(costOf({ input: 100_000, output: 0 }, price)).toBeCloseTo(0.01)
  expect(costOf({ input: 200_000, output: 0 }, price)).toBeCloseTo(0.1)
})

test('Every price names a known host, a page of that host and the month in which it was read.', () => {
  const names = hosts.map(({ name }) => name)
  for (const { host = '', source, date } of prices) {
    expect(names).toContain(host)
    // A page that quotes the host may be out of date without anybody noticing.
    expect(source).toMatch(/^(platform\.claude\.com|developers\.openai\.com)\//)
    expect(date).toMatch(/^20\d\d-\d\d$/)
  }
})
