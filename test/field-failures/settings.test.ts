/** Settings that a wire requires or refuses. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'

const user = { role: 'user', content: 'hi' }

describe('settings', () => {
  test('Messages requires an output limit, Responses has a minimum, and Chat streams usage on request.', () => {
    const chat = { model: 'm', messages: [user] }
    expect(createExchange({ from: 'chat', to: 'messages' }).request(chat).value.max_tokens).toBe(32_000)
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

  test('Models that refuse functions on Chat while reasoning get them with reasoning off.', () => {
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

  test('Losing a conversation that is stored on the source server is an error.', () => {
    const { diagnostics } = createExchange({ from: 'responses', to: 'chat' }).request({
      model: 'm',
      input: 'and now?',
      previous_response_id: 'resp_1',
    })
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'context_dropped', severity: 'error', path: ['previous_response_id'] }),
    )
  })

  test('An image in a result becomes a text if no user message may follow results. [field A15]', () => {
    const image = { type: 'input_image', image_url: 'https://i.example/x.png' }
    const input = [
      user,
      { type: 'function_call', call_id: 'a', name: 'w', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: [image] },
    ]
    const { value, diagnostics } = createExchange({
      from: 'responses',
      to: 'chat',
      profile: { userAfterResults: false },
    }).request({ model: 'm', input })
    expect((value.messages as { role: string }[]).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
    ])
    expect(diagnostics.map(({ code }) => code)).toContain('part_dropped')
  })

  test('Item ids are accepted, and all removed for a server that stores no items. [field A23] [field A43]', () => {
    const input = [
      { ...user, type: 'message', id: 'msg_1' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'E' },
      { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'w', arguments: '{}' },
      { type: 'function_call_output', id: 'fco_1', call_id: 'a', output: '1' },
    ]
    expect(
      createExchange({ from: 'responses', to: 'responses' }).request({ model: 'm', input }).value.input,
    ).toEqual(input)
    const { value } = createExchange({
      from: 'responses',
      to: 'responses',
      profile: { itemIds: false },
    }).request({ model: 'm', input })
    expect(value.input).toEqual(input.map(({ id: _, ...item }) => item))
  })

  test('A request to compact is an error if the target cannot compact. [field A25]', () => {
    const { diagnostics } = createExchange({ from: 'responses', to: 'chat' }).request({
      model: 'm',
      input: [user, { type: 'compaction_trigger' }],
    })
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'demand_dropped', severity: 'error', path: ['input', 1] }),
    )
  })

  test('Effort and a forced tool never switch thinking on. [field B27]', () => {
    const tools = [{ type: 'function', function: { name: 'w' } }]
    const { value } = createExchange({ from: 'chat', to: 'messages' }).request({
      model: 'm',
      messages: [user],
      tools,
      tool_choice: 'required',
      reasoning_effort: 'high',
    })
    expect(value).not.toHaveProperty('thinking')
    expect(value.tool_choice).toEqual({ type: 'any' })
  })
})
