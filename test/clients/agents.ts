/** The OpenAI Agents SDK, on Responses and on Chat. */
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { baseURL } from '../support/clients/bridge.ts'
import { prompts } from '../support/clients/model.ts'
import { emptyInput, weatherInput } from '../support/clients/toolbox.ts'
import type { Client, Task } from './client.ts'
import { maxTurns } from './client.ts'

setTracingDisabled(true)

async function run({ fetch, tools, stream }: Task, useResponses: boolean): Promise<string[]> {
  const openAIClient = new OpenAI({ apiKey: 'none', baseURL, fetch, maxRetries: 0 })
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient, useResponses }),
    tracingDisabled: true,
  })
  const agent = new Agent({
    name: 'any',
    model: 'any',
    instructions: prompts.system,
    tools: [
      tool({
        name: 'get_weather',
        description: 'The weather in a city.',
        parameters: weatherInput,
        execute: tools.weather,
      }),
      tool({
        name: 'broken_tool',
        description: 'Never works.',
        parameters: emptyInput,
        execute: tools.broken,
      }),
    ],
  })
  if (!stream) return textsOf((await runner.run(agent, prompts.user, { maxTurns })).newItems)
  const result = await runner.run(agent, prompts.user, { maxTurns, stream: true })
  await result.completed
  return textsOf(result.newItems)
}

type Items = Awaited<ReturnType<Runner['run']>>['newItems']

const textsOf = (items: Items): string[] =>
  items.flatMap(item => (item.type === 'message_output_item' ? [item.content] : []))

/** The SDK hides the error message from the model. */
const failure = 'An error occurred while running the tool. Please try again.'

export const agentsClients: readonly Client[] = [
  { name: '@openai/agents responses', wire: 'responses', failure, run: task => run(task, true) },
  {
    name: '@openai/agents chat',
    wire: 'chat',
    failure,
    leftOut: /^messages\.2\.content\.0\.(role|tool_calls|annotations)$/,
    run: task => run(task, false),
  },
]
