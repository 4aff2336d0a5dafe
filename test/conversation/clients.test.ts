/** Conversations over the official clients and a bare fetch, before a scripted model that refuses what its server would. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { Sender } from '../../packages/core/src/client/send.ts'
import { runConversation } from '../../packages/core/src/run-conversation.ts'
import { defineTool } from '../../packages/core/src/runtime/tools/define-tool.ts'
import { ToolRegistry } from '../../packages/core/src/runtime/tools/registry.ts'
import { createModel, firstText, prompts } from '../support/clients/model.ts'
import { createToolbox, emptyInput, failure, report, weatherInput } from '../support/clients/toolbox.ts'

type Send = Sender['send']
type Connect = (fetch: typeof globalThis.fetch) => Send

const openai = (fetch: typeof globalThis.fetch): OpenAI =>
  new OpenAI({ apiKey: 'none', fetch, maxRetries: 0 })
const anthropic = (fetch: typeof globalThis.fetch): Anthropic =>
  new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })

const bare: Connect =
  fetch =>
  (body, { signal }) =>
    fetch('http://model.invalid', { method: 'POST', body: JSON.stringify(body), signal })

const clients = [
  {
    name: 'OpenAI chat.completions.create',
    wire: 'chat',
    connect: (fetch =>
      (body: OpenAI.ChatCompletionCreateParams, { signal }) =>
        openai(fetch).chat.completions.create(body, { signal })) as Connect,
  },
  {
    name: 'OpenAI responses.create',
    wire: 'responses',
    connect: (fetch =>
      (body: OpenAI.Responses.ResponseCreateParams, { signal }) =>
        openai(fetch).responses.create(body, { signal })) as Connect,
  },
  {
    name: 'Anthropic messages.create',
    wire: 'messages',
    connect: (fetch =>
      (body: Anthropic.MessageCreateParams, { signal }) =>
        anthropic(fetch).messages.create(body, { signal })) as Connect,
  },
  { name: 'fetch on Chat', wire: 'chat', connect: bare },
  { name: 'fetch on Responses', wire: 'responses', connect: bare },
  { name: 'fetch on Messages', wire: 'messages', connect: bare },
] as const

const requests = {
  chat: {
    model: 'any',
    messages: [
      { role: 'system', content: prompts.system },
      { role: 'user', content: prompts.user },
    ],
  },
  responses: { model: 'any', instructions: prompts.system, input: prompts.user },
  messages: {
    model: 'any',
    max_tokens: 1000,
    system: prompts.system,
    messages: [{ role: 'user', content: prompts.user }],
  },
}

const ways = clients.flatMap(client => [false, true].map(stream => ({ ...client, stream })))

describe.each(ways)('$name, streamed: $stream', ({ wire, connect, stream }) => {
  test('Calls are run and answered, and the requests are valid on the wire. [S002.13] [S002.15] [S002.18]', async () => {
    const model = createModel(wire)
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const reply = model.reply(JSON.parse(String(init?.body)))
      if ('refusal' in reply) return Response.json({ error: { message: reply.refusal } }, { status: 400 })
      if ('whole' in reply) return Response.json(reply.whole)
      return new Response(reply.events, { headers: { 'content-type': 'text/event-stream' } })
    }
    const box = createToolbox()
    const tools = new ToolRegistry([
      defineTool({
        name: 'get_weather',
        description: 'The weather.',
        schema: weatherInput,
        handler: box.weather,
      }),
      defineTool({
        name: 'broken_tool',
        description: 'Never works.',
        schema: emptyInput,
        handler: box.broken,
      }),
    ])
    let heard = ''
    const result = await runConversation({
      wire,
      request: requests[wire],
      stream,
      tools,
      send: connect(fetch),
      onEvent(event) {
        if (event.type === 'text-delta') heard += event.text
      },
    })
    expect(model.refusals).toEqual([])
    expect(result.error).toBeUndefined()
    expect(result).toMatchObject({ reason: 'answer', rounds: 2, text: model.texts[1] })
    expect(heard).toBe(firstText + model.texts[1])
    expect(box.called.toSorted()).toEqual(['broken_tool()', 'get_weather(Oslo)', 'get_weather(Rome)'])
    for (const told of [report('Oslo'), report('Rome'), failure]) expect(result.text).toContain(told)
    expect(result.usage.input).toBeGreaterThan(0)
  })

  test('An error of the server has its status, kind and message.', async () => {
    const error = { type: 'rate_limit_error', message: 'Slow down.' }
    const body =
      wire === 'messages' ? { type: 'error', error } : { error: { ...error, code: 'x', param: null } }
    const fetch = async (): Promise<Response> => Response.json(body, { status: 429 })
    const result = await runConversation({ wire, request: requests[wire], stream, send: connect(fetch) })
    expect(result).toMatchObject({
      reason: 'failed',
      error: { name: 'ModelError', status: 429, kind: 'rate_limit', message: 'Slow down.', body },
    })
  })

  test('An abort reaches the client.', async () => {
    const user = new AbortController()
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
        user.abort()
      })
    const request = requests[wire]
    const result = await runConversation({ wire, request, stream, signal: user.signal, send: connect(fetch) })
    expect(result.reason).toBe('aborted')
  })
})
