/** No input makes the decoder throw or break the order of its events. */

import { describe, expect, test } from 'vitest'
import { decode, encode, expectOrder } from '../../../../../../test/support/streams/chat.ts'

describe('the Chat stream decoder', () => {
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
