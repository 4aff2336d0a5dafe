/** No input makes the decoder throw or break the order of its events, and the work is linear in the size of the input. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFrames, encodeStream } from '../../../../../../test/support/streams/responses.ts'
import type { Part } from '../../../model/conversation.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'

const types = [
  'response.created',
  'response.in_progress',
  'response.output_item.added',
  'response.output_item.done',
  'response.content_part.added',
  'response.content_part.done',
  'response.output_text.delta',
  'response.output_text.done',
  'response.output_text.annotation.added',
  'response.refusal.delta',
  'response.refusal.done',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.custom_tool_call_input.delta',
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.done',
  'response.mcp_call.completed',
  'keepalive',
]
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('', null, -1, 1e9, '__proto__'))
const some = (...values: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, odd)
const fields = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(model, { requiredKeys: [] })
const part = fields({
  type: some('output_text', 'refusal', 'reasoning_text', 'input_image'),
  text: some('a', 'ab'),
  refusal: some('a'),
  annotations: some([]),
})
const item = fields({
  type: some(
    'message',
    'function_call',
    'custom_tool_call',
    'reasoning',
    'web_search_call',
    'acme',
    'tool_use',
  ),
  id: some('i1', 'i2'),
  call_id: some('c1', 'c2'),
  name: some('n', ''),
  arguments: some('{}', ''),
  input: some('x'),
  role: some('assistant', 'tool'),
  content: fc.oneof(odd, fc.array(part, { maxLength: 3 })),
  summary: some([{ type: 'summary_text', text: 's' }]),
  status: some('completed', 'incomplete'),
  tool_calls: some([{ id: 'c3', function: { name: 'n', arguments: '{}' } }]),
})
const response = fields({
  id: some('r'),
  output: fc.oneof(odd, fc.array(item, { maxLength: 3 })),
  usage: odd,
  error: odd,
  status: some('completed'),
})
const frame = fields({
  type: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...types) },
    fc.constantFrom('response.completed', 'error', 'response.failed'),
    odd,
  ),
  item,
  part,
  response,
  item_id: some('i1', 'i2'),
  output_index: some(0, 1),
  content_index: some(0, 1),
  summary_index: some(0, 1),
  delta: some('a', '{}'),
  text: some('ab'),
  refusal: some('ab'),
  arguments: some('{}{}'),
  error: odd,
}).map(object => ({ data: JSON.stringify(object) }))

function isOrdered(events: readonly StreamEvent[]): boolean {
  const open = new Set<number>()
  let next = 0
  for (const [i, event] of events.entries()) {
    if ((event.type === 'start') !== (i === 0)) return false
    if ((event.type === 'finish' || event.type === 'error') !== (i === events.length - 1)) return false
    if (event.type === 'part-start' && event.index !== next++) return false
    if (event.type === 'part-start') open.add(event.index)
    if (event.type === 'part-delta' && !open.has(event.index)) return false
    if (event.type === 'part-end' && !open.delete(event.index)) return false
  }
  return open.size === 0
}

describe('Responses streams of arbitrary contents', () => {
  test('Arbitrary frames neither throw nor break the order of events, which can be encoded again.', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 30, arbitrary: frame }, fc.record({ data: fc.string() })), {
          maxLength: 12,
        }),
        frames => {
          const { events } = decodeFrames(frames)
          expect(events.filter(event => !isOrdered(events) && event)).toEqual([])
          expect(isOrdered(decodeFrames([{ data: '[DONE]' }]).events)).toBe(true)
          expect(encodeStream(events).text).toContain('[DONE]')
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('Parts that this wire cannot express are reported and skipped.', () => {
    const path = ['content', 0]
    const parts: Part[] = [
      { kind: 'hosted', wire: 'messages', type: 'server_tool_use', value: { type: 'server_tool_use' }, path },
      { kind: 'opaque', wire: 'chat', value: { a: 1 }, path },
    ]
    for (const given of parts) {
      const { text, diagnostics } = encodeStream([
        { type: 'part-start', index: 0, part: given },
        { type: 'part-end', index: 0, part: given },
        { type: 'finish', finish: { reason: 'stop' } },
      ])
      expect(diagnostics).toMatchObject([{ code: 'part_dropped', path }])
      expect(text).not.toContain('output_item')
    }
  })

  test('Values that are nested too deep are cut and do not throw.', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const data = `{"type":"response.output_item.done","item":{"type":"acme","id":"x","value":${deep}}}`
    const { events } = decodeFrames([{ data }, { data: '{"type":"response.completed","response":{}}' }])
    const { text, diagnostics } = encodeStream(events)
    expect(text).toContain('response.completed')
    expect(diagnostics.map(({ code }) => code)).toContain('field_dropped')
  })
})
