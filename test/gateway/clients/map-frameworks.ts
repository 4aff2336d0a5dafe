/** The Agents SDK, LangChain and the AI SDK, sending images in results. On Chat all three write them as text. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenResponses } from '@ai-sdk/open-responses'
import { createOpenAI } from '@ai-sdk/openai'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, tool as agentTool, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import type { LanguageModel } from 'ai'
import { generateText, isStepCount, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { maxTurns } from '../../clients/client.ts'
import { weatherInput as cityInput } from '../../support/clients/toolbox.ts'
import type { Connection, MapClient } from './map-tool.ts'
import { address, caption, description, endless, pixel, question, settings } from './map-tool.ts'

setTracingDisabled(true)

async function runAiSdk(model: LanguageModel, { stream }: Connection, rest: object = {}): Promise<string> {
  const options = {
    model,
    prompt: question,
    maxRetries: 0,
    stopWhen: isStepCount(maxTurns),
    tools: {
      draw_map: tool({
        description,
        inputSchema: cityInput,
        execute: async () => caption,
        toModelOutput: ({ output }) => ({
          type: 'content',
          value: [
            { type: 'text', text: output },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: pixel } },
          ],
        }),
      }),
    },
    ...rest,
  }
  if (!stream) return (await generateText(options)).text
  const failures: unknown[] = []
  const result = streamText({ ...options, onError: ({ error }) => void failures.push(error) })
  await result.consumeStream()
  if (failures.length > 0) throw failures[0]
  return await result.text
}

async function runAgents(connection: Connection): Promise<string> {
  const openAIClient = new OpenAI({ ...settings(connection), maxRetries: 0 })
  const modelProvider = new OpenAIProvider({ openAIClient, useResponses: true })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const draw = agentTool({
    name: 'draw_map',
    description,
    parameters: cityInput,
    execute: async () => [
      { type: 'text', text: caption },
      { type: 'image', image: address },
    ],
  })
  const agent = new Agent({ name: 'any', model: 'any', tools: [draw] })
  if (!connection.stream) return String((await runner.run(agent, question, { maxTurns })).finalOutput)
  const result = await runner.run(agent, question, { maxTurns, stream: true })
  await result.completed
  return String(result.finalOutput)
}

async function runLangchain(connection: Connection): Promise<string> {
  const draw = langchainTool(async () => caption, { name: 'draw_map', description, schema: cityInput })
  const { apiKey, ...configuration } = settings(connection)
  const model = new ChatOpenAI({
    model: 'any',
    apiKey,
    useResponsesApi: true,
    maxRetries: 0,
    streaming: connection.stream,
    configuration,
  }).bindTools([draw])
  const messages: (HumanMessage | ToolMessage | Awaited<ReturnType<typeof model.invoke>>)[] = [
    new HumanMessage(question),
  ]
  for (let turn = 0; turn < maxTurns; turn++) {
    const message = await model.invoke(messages)
    const calls = message.tool_calls ?? []
    if (calls.length === 0) return message.text
    messages.push(message)
    for (const { id = '' } of calls) {
      const content = [
        { type: 'input_text', text: caption },
        { type: 'input_image', image_url: address, detail: 'auto' },
      ]
      messages.push(new ToolMessage({ tool_call_id: id, content }))
    }
  }
  throw endless()
}

export const frameworkMapClients: readonly MapClient[] = [
  {
    name: '@ai-sdk/openai responses',
    wire: 'responses',
    run: connection => runAiSdk(createOpenAI(settings(connection)).responses('any'), connection),
  },
  {
    name: '@ai-sdk/open-responses',
    wire: 'responses',
    run: connection => {
      const { baseURL, fetch } = connection
      const provider = createOpenResponses({ name: 'any', url: `${baseURL}/responses`, fetch })
      return runAiSdk(provider('any'), connection)
    },
  },
  {
    name: '@ai-sdk/anthropic',
    wire: 'messages',
    run: connection =>
      runAiSdk(createAnthropic(settings(connection))('any'), connection, { maxOutputTokens: 1024 }),
  },
  { name: '@openai/agents responses', wire: 'responses', run: runAgents },
  { name: '@langchain/openai responses', wire: 'responses', run: runLangchain },
]
