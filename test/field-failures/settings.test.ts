/** Settings that a wire demands or refuses. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'

const user = { role: 'user', content: 'hi' }

describe('settings', () => {
  test('Messages demands an output limit, Responses has a least one, Chat streams usage on request', () => {
    const chat = { model: 'm', messages: [user] }
    expect(createExchange({ from: 'chat', to: 'messages' }).request(chat).value.max_tokens).toBe(4096)
    expect(
      createExchange({ from: 'chat', to: 'messages' }).request({ ...chat, max_tokens: 7 }).value.max_tokens,
    ).toBe(7)
    expect(
      createExchange({ from: 'chat', to: 'responses' }).request({ ...chat, max_tokens: 7 }).value
        .max_output_tokens,
    ).toBe(16)
    const streamed = createExchange({ from: 'responses', to: 'chat' }).request({
      model: 'm',
      input: 'hi',
      stream: true,
    })
    expect(streamed.value.stream_options).toEqual({ include_usage: true })
  })

  test('models that refuse functions on Chat while they reason get them without', () => {
    const tools = [{ type: 'function', name: 'w', parameters: null, strict: false }]
    const { value, diagnostics } = createExchange({ from: 'responses', to: 'chat' }).request({
      model: 'gpt-5.6-sol',
      input: 'hi',
      tools,
    })
    expect(value.reasoning_effort).toBe('none')
    expect(diagnostics.map(({ code }) => code)).toContain('reasoning_switched_off')
    expect(
      createExchange({ from: 'responses', to: 'chat' }).request({ model: 'gpt-5.6-sol', input: 'hi' }).value,
    ).not.toHaveProperty('reasoning_effort')
  })

  test('a conversation kept by the server it came from is an error to lose', () => {
    const { diagnostics } = createExchange({ from: 'responses', to: 'chat' }).request({
      model: 'm',
      input: 'and now?',
      previous_response_id: 'resp_1',
    })
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'context_dropped', severity: 'error', path: ['previous_response_id'] }),
    )
  })
})
