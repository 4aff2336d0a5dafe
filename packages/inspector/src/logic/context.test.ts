import { describe, expect, test } from 'vitest'
import { costsOf, firstDifference, isRequestCut, prefixBreak, scaledParts, sharesOf } from './context.ts'

interface Body {
  readonly model?: string
  readonly system: string
  readonly tools: readonly { readonly name: string; readonly description?: string }[]
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

const counted = (body: Body) => ({
  body,
  parts: [
    { path: ['system'], kind: 'instructions', label: 'instructions', tokens: 100 },
    ...body.messages.map((_, i) => ({
      path: ['messages', i],
      kind: 'message',
      label: `message ${i}`,
      tokens: 10,
    })),
    ...body.tools.map(({ name }, i) => ({ path: ['tools', i], kind: 'tool', label: name, tokens: 50 })),
    { path: [], kind: 'overhead', label: 'the beginning of the answer', tokens: 3 },
  ],
})

const first: Body = {
  model: 'm',
  system: 'You are careful. Today is Monday.',
  tools: [{ name: 'a' }, { name: 'b' }],
  messages: [{ role: 'user', content: 'one' }],
}
const next: Body = { ...first, messages: [...first.messages, { role: 'assistant', content: 'two' }] }

describe('where the cached prefix broke', () => {
  test('A request that only goes on keeps everything that was there before.', () => {
    expect(prefixBreak(counted(first), counted(next))).toEqual({
      keptTokens: 210,
      totalTokens: 220,
      settings: [],
    })
  })

  test('A changed text is found to the place, with what stood there before and after.', () => {
    const changed = { ...next, system: 'You are careful. Today is Tuesday.' }
    const { at, keptTokens } = prefixBreak(counted(first), counted(changed))
    expect(keptTokens).toBe(100)
    expect(at).toMatchObject({ why: 'changed', path: ['system'], label: 'instructions' })
    expect(at?.before).toContain('Monday')
    expect(at?.after).toContain('Tuesday')
  })

  test.each([
    ['inserted', [{ name: 'a' }, { name: 'new' }, { name: 'b' }], 50],
    ['removed', [{ name: 'b' }], 0],
    ['moved', [{ name: 'b' }, { name: 'a' }], 0],
    ['changed', [{ name: 'a', description: 'x' }, { name: 'b' }], 0],
  ])('A tool that was %s breaks it there.', (why, tools, kept) => {
    const found = prefixBreak(counted(first), counted({ ...next, tools }))
    expect([found.at?.why, found.keptTokens]).toEqual([why, kept])
  })

  test('A mark for caching that wanders breaks nothing, and another model everything.', () => {
    const marked = { ...next, messages: [{ role: 'user', content: [{ text: 'one', cache_control: {} }] }] }
    const plain = { ...next, messages: [{ role: 'user', content: [{ text: 'one' }] }] }
    expect(prefixBreak(counted(marked), counted(plain)).at).toBeUndefined()
    expect(prefixBreak(counted(first), counted({ ...next, model: 'other' })).settings).toEqual(['model'])
  })
})

test('Shares are scaled to what the provider reported, and told by what they are.', () => {
  const { parts } = counted(first)
  const scaled = scaledParts({ parts, total: 213 }, 426)
  const shares = sharesOf(scaled)
  expect(shares.map(({ tokens }) => tokens)).toEqual([200, 20, 100, 100, 6])
  expect(shares.map(({ group }) => group)).toEqual(['instructions', 'messages', 'tools', 'tools', 'overhead'])
  expect(scaledParts({ parts, total: 213 }, undefined)).toEqual(parts)
  const later = counted(next)
  const kept = prefixBreak(
    { body: first, parts: scaled },
    { body: next, parts: scaledParts({ parts: later.parts, total: 223 }, 446) },
  )
  expect([kept.keptTokens, kept.totalTokens]).toEqual([420, 440])
})

test('The first difference of two values has the path to it.', () => {
  expect(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })).toEqual(['a', 1, 'b'])
  expect(firstDifference({ a: 1 }, { a: 1, c: 2 })).toEqual(['c'])
})

test('What a cache held is as cheap as the provider makes it: the tools and instructions first, then the messages.', () => {
  const shares = sharesOf([
    { path: ['system'], kind: 'instructions', label: 'instructions', tokens: 300 },
    { path: ['messages', 0], kind: 'message', label: 'user', tokens: 200 },
    { path: ['messages', 1], kind: 'message', label: 'user', tokens: 100 },
    { path: ['tools', 0], kind: 'tool', label: 'run', tokens: 400 },
  ])
  const summary = { input_tokens: 1000, cache_read_tokens: 800, cached_cost_usd: 0.08, input_cost_usd: 0.28 }
  const costs = (given: Parameters<typeof costsOf>[1]) =>
    shares.map(share => {
      const { usd = Number.NaN, cached } = costsOf(shares, given)?.get(share) ?? {}
      return [usd.toFixed(3), cached]
    })
  expect(costs(summary)).toEqual([
    ['0.030', 300],
    ['0.110', 100],
    ['0.100', 0],
    ['0.040', 400],
  ])
  expect(costs({ input_tokens: 1000, input_cost_usd: 1 }).map(([usd]) => usd)).toEqual([
    '0.300',
    '0.200',
    '0.100',
    '0.400',
  ])
  expect(costsOf(shares, { input_tokens: 1000 })).toBeUndefined()
})

test('Of a request that was cut, what was kept takes no share of the rest.', () => {
  const part = { path: ['messages', 0], kind: 'message', label: 'user', tokens: 10 }
  expect(scaledParts({ parts: [part], total: 10 }, 1000, true)).toEqual([
    part,
    { path: [], kind: 'overhead', label: 'what was not kept', tokens: 990 },
  ])
  const parts = [{ text: '{', size: 9, cut: true }]
  const views = { 'upstream-request': { parts, omitted: 0 } } as const
  expect([isRequestCut({ views }, 'upstream'), isRequestCut({ views }, 'client')]).toEqual([true, false])
})
