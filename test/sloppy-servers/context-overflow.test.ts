/** An input that does not fit the model's window, as servers tell it: agents of every wire are told in words that they know. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'

const wires = ['chat', 'responses', 'messages'] as const

const openai = (message: string, more: object = {}) => ({ error: { message, ...more } })
const anthropic = (message: string) => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
  request_id: 'req_1',
})

const bodies = {
  'vLLM on chat': [
    'chat',
    openai("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.", {
      type: 'BadRequestError',
      param: null,
      code: 400,
    }),
  ],
  'llama.cpp on chat': [
    'chat',
    openai('the request exceeds the available context size, try increasing it', {
      type: 'exceed_context_size_error',
      code: 400,
    }),
  ],
  'OpenAI on responses': [
    'responses',
    openai('Your input exceeds the context window of this model.', {
      type: 'invalid_request_error',
      param: 'input',
      code: 'context_length_exceeded',
    }),
  ],
  'Anthropic on messages': ['messages', anthropic('prompt is too long: 205429 tokens > 200000 maximum')],
  'Anthropic with its limit on messages': [
    'messages',
    anthropic('input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000'),
  ],
} as const

describe.each(Object.entries(bodies))('%s', (_, [to, body]) => {
  test.each(wires)('A client on %s reads that the input is too long.', from => {
    const exchange = createExchange({ from, to })
    exchange.request({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], input: 'Hi' })
    const { value } = exchange.response(body)
    if (from === to) return expect(value).toEqual(body)
    const { error } = value as { error: { message: string; code?: string } }
    expect(error.message).toContain(body.error.message)
    if (from === 'messages') expect(error.message).toMatch(/prompt is too long/i)
    else expect(error.code).toBe('context_length_exceeded')
  })
})

test.each(wires.filter(wire => wire !== 'chat'))(
  'A stream for %s that breaks off because the window is full says so.',
  from => {
    const exchange = createExchange({ from, to: 'chat' })
    exchange.request({
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
      input: 'Hi',
      stream: true,
    })
    const stream = exchange.stream()
    const event = { error: { message: 'the input length exceeds the context length', type: 'server_error' } }
    const text = stream.push(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`)) + stream.end()
    expect(text).toMatch(
      from === 'messages' ? /Prompt is too long: the input/ : /"code":"context_length_exceeded"/,
    )
  },
)

test.each(wires)('An error about something else on %s is told as it is.', to => {
  for (const from of wires) {
    if (from === to) continue
    const exchange = createExchange({ from, to })
    exchange.request({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], input: 'Hi' })
    const message = 'The name of a tool exceeds 64 characters.'
    const { value } = exchange.response(
      to === 'messages' ? anthropic(message) : openai(message, { type: 'invalid_request_error' }),
    )
    expect(value).toMatchObject({ error: { message } })
    expect(JSON.stringify(value)).not.toContain('context_length')
  }
})
