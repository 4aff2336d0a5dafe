/** No input makes the decoder throw or break the order of its events. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode, encode, expectOrder, parse } from '../../../../../../test/support/streams/chat.ts'

describe('the Chat stream decoder', () => {
  test('A stream of arbitrary frames neither throws nor breaks the order of events.', () => {
    const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(null, '', 0, -1, 0.5, [], {}, '{', '{}', 'a', 'b'))
    const piece = fc.record(
      {
        index: odd,
        id: odd,
        type: fc.constantFrom('function', 'custom', 'x'),
        function: fc.oneof(odd, fc.record({ name: odd, arguments: odd }, { requiredKeys: [] })),
        custom: odd,
      },
      { requiredKeys: [] },
    )
    const delta = fc.record(
      {
        content: fc.oneof(odd, fc.array(odd)),
        refusal: odd,
        reasoning: odd,
        reasoning_content: odd,
        annotations: odd,
        tool_calls: fc.oneof(odd, fc.array(piece)),
        function_call: fc.oneof(odd, fc.record({ name: odd, arguments: odd })),
        ['__proto__']: odd,
      },
      { requiredKeys: [] },
    )
    const choice = fc.record(
      { index: odd, delta, message: odd, finish_reason: odd, logprobs: odd, error: odd, usage: odd },
      { requiredKeys: ['delta'] },
    )
    const chunk = fc.record(
      { id: odd, model: odd, created: odd, choices: fc.oneof(odd, fc.array(choice)), usage: odd, error: odd },
      { requiredKeys: ['choices'] },
    )
    const data = fc.oneof(
      { weight: 6, arbitrary: chunk.map(value => JSON.stringify(value)) },
      fc.string(),
      fc.jsonValue().map(value => JSON.stringify(value)),
      fc.constant('[DONE]'),
    )
    const frame = fc.record({ event: fc.constantFrom('error', 'message'), data }, { requiredKeys: ['data'] })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), frames => {
        const events = decode(frames)
        expectOrder(events)
        expect(() => decode(parse([encode(events)]))).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })

  test('A stream whose residue is nested too deep to be written loses only that residue.', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const call = `{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"x":${deep}}`
    const usage = `{"prompt_tokens":1,"completion_tokens":2,"x":${deep}}`
    const events = decode([
      { data: `{"id":"c","x":${deep},"choices":[{"delta":{"content":"a","x":${deep}},"x":${deep}}]}` },
      { data: `{"choices":[{"delta":{"tool_calls":[${call}]},"logprobs":{"content":[${deep}]}}]}` },
      { data: `{"choices":[{"delta":{"annotations":[${deep}]},"finish_reason":"stop"}],"usage":${usage}}` },
      { data: '[DONE]' },
    ])
    expectOrder(events)
    const body = encode(events)
    expect(body).toContain('"arguments":"{}"')
    expect(body).toContain('"finish_reason":"tool_calls"')
    expect(body).toContain('"total_tokens":3')
  })
})
