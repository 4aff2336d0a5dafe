/** The official Anthropic client: its calls in a loop written by hand, and its own tool runner. */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { prompts } from '../support/clients/model.ts'
import { definitions, emptyInput, weatherInput } from '../support/clients/toolbox.ts'
import type { Client, Task } from './client.ts'
import { maxTurns } from './client.ts'

const connect = (fetch: Task['fetch']): Anthropic =>
  new Anthropic({ apiKey: 'none', baseURL: 'http://toolwire.invalid', fetch, maxRetries: 0 })

const settings = { model: 'any', max_tokens: 1024, system: prompts.system }

const textOf = (content: readonly { type: string; text?: string }[]): string =>
  content.map(block => (block.type === 'text' ? block.text : '')).join('')

async function runMessages({ fetch, tools, stream }: Task): Promise<string[]> {
  const client = connect(fetch)
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: prompts.user }]
  const texts: string[] = []
  while (texts.length < maxTurns) {
    const body = {
      ...settings,
      messages,
      tools: definitions.map(({ name, description, schema }) => ({
        name,
        description,
        input_schema: schema,
      })),
    }
    const { content } = await (stream
      ? client.messages.stream(body).finalMessage()
      : client.messages.create(body))
    texts.push(textOf(content))
    const calls = content.filter(block => block.type === 'tool_use')
    if (calls.length === 0) break
    const results: Anthropic.ToolResultBlockParam[] = []
    // Results may come in any order; the last call is answered first.
    for (const { id, name, input } of calls.toReversed()) {
      const { text, failed } = await tools.run(name, input)
      results.push({ type: 'tool_result', tool_use_id: id, content: text, is_error: failed })
    }
    messages.push({ role: 'assistant', content }, { role: 'user', content: results })
  }
  return texts
}

async function runRunner({ fetch, tools, stream }: Task): Promise<string[]> {
  const texts: string[] = []
  const runner = connect(fetch).beta.messages.toolRunner({
    ...settings,
    messages: [{ role: 'user', content: prompts.user }],
    tools: [
      betaZodTool({
        name: 'get_weather',
        description: 'The weather in a city.',
        inputSchema: weatherInput,
        run: tools.weather,
      }),
      betaZodTool({
        name: 'broken_tool',
        description: 'Never works.',
        inputSchema: emptyInput,
        run: tools.broken,
      }),
    ],
    // By default the runner sends only new messages and relies on a thread that the server stores.
    thread: false,
    max_iterations: maxTurns,
    stream,
  })
  for await (const turn of runner) {
    const { content } = 'finalMessage' in turn ? await turn.finalMessage() : turn
    texts.push(textOf(content))
  }
  return texts
}

export const anthropicClients: readonly Client[] = [
  { name: '@anthropic-ai/sdk', wire: 'messages', run: runMessages },
  { name: '@anthropic-ai/sdk toolRunner', wire: 'messages', run: runRunner },
]
