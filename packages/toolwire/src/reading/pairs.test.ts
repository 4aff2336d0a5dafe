import { expect, test } from 'vitest'
import { pairsOf } from './pairs.ts'

test('Other members belong together by their names, also where a wire has another name for one.', () => {
  const chat = { body: { id: 'chatcmpl_1', created: 1, service_tier: 'auto' }, turns: [] }
  const responses = { body: { id: 'resp_1', created_at: 1, background: false }, turns: [] }
  expect(pairsOf(responses, chat)).toEqual([
    { kind: 'other', label: 'id', client: [['id']], upstream: [['id']] },
    { kind: 'other', label: 'created_at', client: [['created_at']], upstream: [['created']] },
    { kind: 'other', label: 'background', client: [['background']], upstream: [] },
    { kind: 'other', label: 'service_tier', client: [], upstream: [['service_tier']] },
  ])
})

test('A body with both names keeps both.', () => {
  const both = { body: { created: 1, created_at: 2 }, turns: [] }
  expect(pairsOf(both, undefined).map(({ client }) => client)).toEqual([[['created']], [['created_at']]])
})
