/** The AI SDK, with each of its providers for one of the three wires. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenResponses } from '@ai-sdk/open-responses'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import { generateText, isStepCount, streamText, tool } from 'ai'
import { baseURL } from '../support/clients/bridge.ts'
import { prompts } from '../support/clients/model.ts'
import { emptyInput, weatherInput } from '../support/clients/toolbox.ts'
import type { Client, Task } from './client.ts'
import { maxTurns } from './client.ts'

const apiKey = 'none'

async function run(model: LanguageModel, { tools, stream }: Task, rest: object = {}): Promise<string[]> {
  const options = {
    model,
    instructions: prompts.system,
    prompt: prompts.user,
    maxRetries: 0,
    stopWhen: isStepCount(maxTurns),
    tools: {
      get_weather: tool({
        description: 'The weather in a city.',
        inputSchema: weatherInput,
        execute: tools.weather,
      }),
      broken_tool: tool({ description: 'Never works.', inputSchema: emptyInput, execute: tools.broken }),
    },
    ...rest,
  }
  if (!stream) return (await generateText(options)).steps.map(({ text }) => text)
  const failures: unknown[] = []
  const result = streamText({ ...options, onError: ({ error }) => void failures.push(error) })
  await result.consumeStream()
  if (failures.length > 0) throw failures[0]
  return (await result.steps).map(({ text }) => text)
}

export const aiSdkClients: readonly Client[] = [
  {
    name: '@ai-sdk/openai responses',
    wire: 'responses',
    refersBack: true,
    leftOut: /^input\.2$/,
    run: task => run(createOpenAI({ baseURL, apiKey, fetch: task.fetch }).responses('any'), task),
  },
  {
    name: '@ai-sdk/openai responses, nothing stored',
    wire: 'responses',
    run: task =>
      run(createOpenAI({ baseURL, apiKey, fetch: task.fetch }).responses('any'), task, {
        providerOptions: { openai: { store: false } },
      }),
  },
  {
    name: '@ai-sdk/openai chat',
    wire: 'chat',
    run: task => run(createOpenAI({ baseURL, apiKey, fetch: task.fetch }).chat('any'), task),
  },
  {
    name: '@ai-sdk/open-responses',
    wire: 'responses',
    run: task =>
      run(createOpenResponses({ name: 'any', url: `${baseURL}/responses`, fetch: task.fetch })('any'), task),
  },
  {
    name: '@ai-sdk/openai-compatible',
    wire: 'chat',
    run: task => run(createOpenAICompatible({ name: 'any', baseURL, fetch: task.fetch })('any'), task),
  },
  {
    name: '@ai-sdk/anthropic',
    wire: 'messages',
    run: task =>
      run(createAnthropic({ baseURL, apiKey, fetch: task.fetch })('any'), task, { maxOutputTokens: 1024 }),
  },
]
