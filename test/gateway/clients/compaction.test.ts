/** The official clients have their conversations summarised, and go on with their tools after that. */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { calls, says } from '@toolwire/core/testing'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createFetchHandler } from '../../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'

const summary = 'The user adds numbers. So far: 2 + 3 = 5.'
const long = 'word '.repeat(8000)
const sendTo = (harness: ReturnType<typeof openHarness>): typeof fetch => {
  const handle = createFetchHandler(harness.gateway)
  return (url, init) => handle(new Request(url as string, init))
}
/** What a client is sent, it may send back. */
const inputOf = (output: readonly OpenAI.Responses.ResponseOutputItem[]): OpenAI.Responses.ResponseInput =>
  output as OpenAI.Responses.ResponseInput
const textOf = (request: { readonly body: object } | undefined): string => JSON.stringify(request?.body)

test.each(['chat', 'messages'] as const)(
  'The client of OpenAI compacts a conversation with calls and continues it over %s.',
  async wire => {
    const add = calls({ name: 'add', arguments: { a: 2, b: 3 }, id: 'call_1' })
    const harness = openHarness(wire, [add, says('It is 5.'), says(summary), says('It is 10.')])
    const client = new OpenAI({
      apiKey: 'none',
      baseURL: 'http://localhost/v1',
      fetch: sendTo(harness),
      maxRetries: 0,
    })
    const parameters = { type: 'object', properties: {} }
    const head = {
      model: 'any',
      tools: [{ type: 'function' as const, name: 'add', parameters, strict: false }],
      store: false,
    }
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is 2 + 3?' }]
    const first = await client.responses.create({ ...head, input })
    input.push(...inputOf(first.output), { type: 'function_call_output', call_id: 'call_1', output: '5' })
    const second = await client.responses.create({ ...head, input })
    input.push(...inputOf(second.output))
    const compacted = await client.responses.compact({ model: 'any', input })
    expect(compacted.object).toBe('response.compaction')
    expect(compacted.output.map(({ type }) => type)).toEqual(['message', 'compaction'])
    const next = [...inputOf(compacted.output), { role: 'user' as const, content: 'And twice that?' }]
    const third = await client.responses.create({ ...head, input: next })
    expect(third.output_text).toBe('It is 10.')
    expect(textOf(harness.model.requests[3])).toContain(summary)
    expect(textOf(harness.model.requests[3])).not.toContain('call_1')
  },
)

const runs = (['chat', 'responses'] as const).flatMap(wire => [false, true].map(stream => ({ wire, stream })))

function anthropicOf(harness: ReturnType<typeof openHarness>): Anthropic {
  return new Anthropic({ apiKey: 'none', baseURL: 'http://localhost', fetch: sendTo(harness), maxRetries: 0 })
}

const addTool = betaZodTool({
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => `sum ${a + b}`,
})
const addition = (a: number, b: number) => calls({ name: 'add', arguments: { a, b } })

test.each(runs)(
  'The tool runner compacts by itself over $wire when its conversation is long (stream: $stream).',
  async ({ wire, stream }) => {
    const script = [says(summary), addition(5, 5), addition(10, 1), says('It is 11.')]
    const harness = openHarness(wire, script)
    const runner = anthropicOf(harness).beta.messages.toolRunner({
      model: 'any',
      max_tokens: 1024,
      messages: [
        { role: 'user', content: 'What is 2 + 3?' },
        { role: 'assistant', content: long },
        { role: 'user', content: 'Twice that, and one more?' },
      ],
      tools: [addTool],
      stream,
      betas: ['compact-2026-01-12'],
      context_management: {
        edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 4000 } }],
      },
    })
    const { content } = await runner
    expect(content).toMatchObject([{ type: 'text', text: 'It is 11.' }])
    const { requests } = harness.model
    expect(requests).toHaveLength(4)
    for (const request of requests.slice(1)) {
      expect(textOf(request)).toContain(summary)
      expect(textOf(request)).not.toContain('word word')
    }
    expect(textOf(requests[3])).toContain('sum 10')
    expect(textOf(requests[3])).toContain('sum 11')
  },
)

test.each(runs)(
  'The tool runner compacts on demand over $wire and goes on (stream: $stream).',
  async ({ wire, stream }) => {
    const harness = openHarness(wire, [addition(2, 3), says(summary), addition(5, 5), says('It is 10.')])
    const runner = anthropicOf(harness).beta.messages.toolRunner({
      model: 'any',
      max_tokens: 1024,
      messages: [{ role: 'user', content: 'What is twice 2 + 3?' }],
      tools: [addTool],
      stream,
      betas: ['compact-2026-09-04'],
    })
    let count = 0
    for await (const turn of runner) {
      if ('done' in turn) await turn.done()
      if (count++ === 0) runner.compactBeforeNextTurn()
    }
    expect((await runner.done()).content).toMatchObject([{ type: 'text', text: 'It is 10.' }])
    const { requests } = harness.model
    expect(requests).toHaveLength(4)
    expect(requests[1]?.body.tools).toBeUndefined()
    expect(textOf(requests[1])).toContain('sum 5')
    expect(textOf(requests[2])).toContain(summary)
    expect(textOf(requests[3])).toContain('sum 10')
  },
)
