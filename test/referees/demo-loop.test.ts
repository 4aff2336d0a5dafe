/** The official OpenAI client completes tool loops with the demo model, streamed and not. */
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { base, fetchOver } from '../../packages/toolwire/src/demo/demo-client.test-helper.ts'
import { createDemoModel } from '../../packages/toolwire/src/demo/demo-model.ts'

const { transport, models } = createDemoModel()
const client = new OpenAI({ apiKey: 'none', baseURL: base, fetch: fetchOver(transport), maxRetries: 0 })

const toolsOf = (strict: boolean): OpenAI.ChatCompletionTool[] =>
  ['get_weather', 'get_time'].map(name => ({
    type: 'function',
    function: {
      name,
      strict,
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
    },
  }))

const results: Readonly<Record<string, string>> = {
  'get_weather Oslo': '{"temperature":7,"sky":"cloudy"}',
  'get_weather Rome': '[tool error] the station is closed',
  'get_weather Lima': 'Fog, 18 degrees.',
}

const clients = {
  whole: (body: OpenAI.ChatCompletionCreateParamsNonStreaming) => client.chat.completions.create(body),
  streamed: (body: OpenAI.ChatCompletionCreateParamsNonStreaming) =>
    client.chat.completions.stream({ ...body, stream: true }).finalChatCompletion(),
}

describe.each(Object.entries(clients))('A client that gets answers %s', (_, complete) => {
  test.each([
    ['demo', true],
    ['demo', false],
    ['demo-reasoning', true],
    ['any-other-name', false],
  ])('The client completes two rounds with %s, strict %s.', async (model, strict) => {
    const tools = toolsOf(strict)
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: 'The weather in Oslo, Rome and Lima' },
    ]
    const first = await complete({ model, messages, tools })
    expect(first.choices[0]?.finish_reason).toBe('tool_calls')
    const message = first.choices[0]?.message
    const calls = message?.tool_calls ?? []
    expect(calls).toHaveLength(3)
    if (message !== undefined) messages.push(message)
    for (const call of calls) {
      if (call.type !== 'function') throw new Error('The tools are functions.')
      const { city } = JSON.parse(call.function.arguments) as { city: string }
      messages.push({
        role: 'tool',
        tool_call_id: call.id,
        content: results[`${call.function.name} ${city}`] ?? 'unknown',
      })
    }
    const second = await complete({ model, messages, tools })
    expect(second.choices[0]?.finish_reason).toBe('stop')
    const text = second.choices[0]?.message.content
    expect(text).toContain('temperature 7, sky cloudy')
    expect(text).toContain('get_weather for Rome failed: the station is closed.')
    expect(text).toContain('get_weather for Lima: Fog, 18 degrees.')
  })
})

test('The tool runner of the client runs the tools.', async () => {
  const asked: string[] = []
  const runner = client.chat.completions.runTools({
    model: 'demo',
    stream: true,
    messages: [{ role: 'user', content: 'Weather in Oslo and Rome' }],
    tools: [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'Weather of a city',
          parse: JSON.parse,
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          function: ({ city }: { city: string }) => {
            asked.push(city)
            return `Rain in ${city}.`
          },
        },
      },
    ],
  })
  expect(await runner.finalContent()).toContain('Rain in Rome.')
  expect(asked).toEqual(['Oslo', 'Rome'])
})

test('The client throws its own errors.', async () => {
  const create = (model: string, stream: boolean): Promise<unknown> =>
    client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }], stream })
  await expect(create('demo-429', false)).rejects.toBeInstanceOf(OpenAI.RateLimitError)
  await expect(create('demo-500', true)).rejects.toBeInstanceOf(OpenAI.InternalServerError)
  await expect(create('demo-none', false)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
  const broken = (await create('demo-error-frame', true)) as AsyncIterable<unknown>
  await expect(exhaust(broken)).rejects.toBeInstanceOf(OpenAI.APIError)
})

async function exhaust(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

test('The client lists the models.', async () => {
  const ids: string[] = []
  for await (const { id } of client.models.list()) ids.push(id)
  expect(ids).toEqual(models)
})
