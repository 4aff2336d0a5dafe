/** Official clients accept the answers of the scripted model. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ScriptedTurn } from '../../packages/core/src/testing/index.ts'
import { calls, createScriptedModel, fails, says } from '../../packages/core/src/testing/index.ts'

afterEach(() => vi.restoreAllMocks())

const pieces = { text: 3, bytes: { seed: 5 }, interleave: true }

const script: readonly ScriptedTurn[] = [
  {
    text: 'Looking 🎉',
    calls: [
      { name: 'weather', arguments: { city: 'Ålesund' } },
      { name: 'time', arguments: {} },
    ],
    usage: { input: 10, output: 20 },
  },
  says('It rains at noon.'),
]

const openai = (fetch: typeof globalThis.fetch, maxRetries = 0): OpenAI =>
  new OpenAI({ apiKey: 'none', fetch, maxRetries })

const parameters = { type: 'object', properties: { city: { type: 'string' } } }

describe('openai: Chat Completions', () => {
  test.each([false, true])('The OpenAI client runs a tool loop on Chat; streamed: %s.', async stream => {
    const model = createScriptedModel({ wire: 'chat', script, pieces })
    const { completions } = openai(model.fetch).chat
    const tools = ['weather', 'time'].map(name => ({
      type: 'function' as const,
      function: { name, parameters },
    }))
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }]
    const ask = async (): Promise<OpenAI.ChatCompletionMessage | undefined> => {
      const body = { model: 'any', messages, tools }
      const completion = stream
        ? await completions.stream(body).finalChatCompletion()
        : await completions.create(body)
      return completion.choices[0]?.message
    }
    const first = await ask()
    expect(first).toMatchObject({
      content: 'Looking 🎉',
      tool_calls: [
        { id: 'call_1', function: { name: 'weather', arguments: '{"city":"Ålesund"}' } },
        { id: 'call_2', function: { name: 'time', arguments: '{}' } },
      ],
    })
    if (first !== undefined) messages.push(first)
    messages.push({ role: 'tool', tool_call_id: 'call_1', content: 'Rain' })
    messages.push({ role: 'tool', tool_call_id: 'call_2', content: 'Noon' })
    expect(await ask()).toMatchObject({ content: 'It rains at noon.' })
    model.assertDone()
    expect(model.requests[1]?.results.map(({ callId, text }) => [callId, text])).toEqual([
      ['call_1', 'Rain'],
      ['call_2', 'Noon'],
    ])
    expect(model.requests[0]?.headers).toMatchObject({ authorization: 'Bearer none' })
  })

  test('The client retries a refusal after the time of its header.', async () => {
    const model = createScriptedModel({
      wire: 'chat',
      script: [fails(429, 'Slow down.', { 'retry-after-ms': '1' }), says('ok')],
    })
    const answer = await openai(model.fetch, 1).chat.completions.create({ model: 'any', messages: [] })
    expect(answer.choices[0]?.message.content).toBe('ok')
    model.assertDone()
  })

  test('A stream with a fault fails in the client.', async () => {
    // The client prints an event that it cannot parse.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const faults = [{ reset: 3 }, { errorFrame: 3 }, { malformed: 3 }, { cut: 3 }] as const
    for (const fault of faults) {
      const model = createScriptedModel({ wire: 'chat', script: [says('Hello, you there', { fault })] })
      const run = openai(model.fetch).chat.completions.stream({ model: 'any', messages: [] })
      await expect(run.finalChatCompletion(), JSON.stringify(fault)).rejects.toThrow()
    }
  })

  test('A stalled stream ends with the abort.', async () => {
    const model = createScriptedModel({ wire: 'chat', script: [says('Hello', { fault: { stall: 1 } })] })
    const abort = new AbortController()
    const stream = await openai(model.fetch).chat.completions.create(
      { model: 'any', messages: [], stream: true },
      { signal: abort.signal },
    )
    let chunks = 0
    for await (const _ of stream) {
      chunks += 1
      abort.abort()
    }
    expect(chunks).toBe(1)
  })
})

describe('openai: Responses', () => {
  test.each([false, true])(
    'The OpenAI client accepts text and calls on Responses; streamed: %s.',
    async stream => {
      const model = createScriptedModel({ wire: 'responses', script, pieces })
      const { responses } = openai(model.fetch)
      const body = { model: 'any', input: 'Weather?' }
      const response = stream ? await responses.stream(body).finalResponse() : await responses.create(body)
      expect(response).toMatchObject({
        status: 'completed',
        output_text: 'Looking 🎉',
        usage: { total_tokens: 30 },
      })
      const [first] = response.output.filter(item => item.type === 'function_call')
      expect(first).toMatchObject({ call_id: 'call_1', name: 'weather', arguments: '{"city":"Ålesund"}' })
    },
  )

  test('The OpenAI client accepts sealed reasoning.', async () => {
    const model = createScriptedModel({
      wire: 'responses',
      script: [{ reasoning: { text: 'Hmm', seal: 'secret' }, text: 'ok' }],
      pieces,
    })
    const { output } = await openai(model.fetch)
      .responses.stream({ model: 'any', input: 'x' })
      .finalResponse()
    expect(output[0]).toMatchObject({
      type: 'reasoning',
      encrypted_content: 'secret',
      summary: [{ text: 'Hmm' }],
    })
  })
})

describe('@anthropic-ai/sdk: Messages', () => {
  test.each([false, true])(
    'The Anthropic client accepts thinking, text and calls; streamed: %s.',
    async stream => {
      const turn = { ...script[0], reasoning: { text: 'Hmm', seal: 'signed' } }
      const model = createScriptedModel({ wire: 'messages', script: [turn], pieces })
      const { messages } = new Anthropic({ apiKey: 'none', fetch: model.fetch, maxRetries: 0 })
      const body = { model: 'any', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Weather?' }] }
      const message = stream ? await messages.stream(body).finalMessage() : await messages.create(body)
      expect(message).toMatchObject({
        stop_reason: 'tool_use',
        content: [
          { type: 'thinking', thinking: 'Hmm', signature: 'signed' },
          { type: 'text', text: 'Looking 🎉' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Ålesund' } },
          { type: 'tool_use', id: 'toolu_2', name: 'time', input: {} },
        ],
        usage: { input_tokens: 10, output_tokens: 20 },
      })
    },
  )

  test('The Anthropic client throws the errors of the service.', async () => {
    const model = createScriptedModel({
      wire: 'messages',
      script: [{ error: { kind: 'overloaded', message: 'Busy.' } }],
    })
    const { messages } = new Anthropic({ apiKey: 'none', fetch: model.fetch, maxRetries: 0 })
    const asked = messages.create({ model: 'any', max_tokens: 9, messages: [] })
    await expect(asked).rejects.toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } })
  })
})

describe('Scripts that do not match', () => {
  test('A script error reaches the client at once, without retries.', async () => {
    const model = createScriptedModel({ wire: 'chat', script: [] })
    const asked = openai(model.fetch, 2).chat.completions.create({ model: 'any', messages: [] })
    await expect(asked).rejects.toThrow('The script is empty, but the model got a request. Request 1 said ""')
    expect(model.requests).toHaveLength(1)
    expect(model.assertDone).toThrow('The script is empty')
  })

  test('The scripted model answers only the path of its wire.', async () => {
    const model = createScriptedModel({ wire: 'chat', script: [calls({ name: 'w', arguments: {} })] })
    const asked = openai(model.fetch).responses.create({ model: 'any', input: 'x' })
    await expect(asked).rejects.toThrow(
      'speaks chat at POST /chat/completions, but POST https://api.openai.com/v1/responses',
    )
    const got = await model.fetch('https://localhost/v1/chat/completions')
    expect(got.status).toBe(404)
    const garbled = await model.fetch('https://localhost/v1/chat/completions', { method: 'POST', body: '{' })
    expect([garbled.status, model.requests]).toEqual([400, []])
  })

  test('An unreachable server is a connection error in the client.', async () => {
    const model = createScriptedModel({ wire: 'chat', script: [says('', { fault: 'unreachable' })] })
    const asked = openai(model.fetch).chat.completions.create({ model: 'any', messages: [] })
    await expect(asked).rejects.toThrow(OpenAI.APIConnectionError)
  })
})
