/** LangChain's OpenAI model on Responses and on Chat, in a loop written by hand. */
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { baseURL } from '../support/clients/bridge.ts'
import { prompts } from '../support/clients/model.ts'
import { emptyInput, weatherInput } from '../support/clients/toolbox.ts'
import type { Client, Task } from './client.ts'
import { maxTurns } from './client.ts'

async function run({ fetch, tools, stream }: Task, useResponsesApi: boolean): Promise<string[]> {
  const offered = [
    tool(tools.weather, {
      name: 'get_weather',
      description: 'The weather in a city.',
      schema: weatherInput,
    }),
    tool(tools.broken, { name: 'broken_tool', description: 'Never works.', schema: emptyInput }),
  ]
  const model = new ChatOpenAI({
    model: 'any',
    apiKey: 'none',
    useResponsesApi,
    maxRetries: 0,
    configuration: { baseURL, fetch },
  }).bindTools(offered)
  const messages: BaseMessage[] = [new SystemMessage(prompts.system), new HumanMessage(prompts.user)]
  const texts: string[] = []
  while (texts.length < maxTurns) {
    const message = stream ? await gathered(await model.stream(messages)) : await model.invoke(messages)
    texts.push(message.text)
    const calls = message.tool_calls ?? []
    if (calls.length === 0) break
    messages.push(message)
    // Results may come in any order; the last call is answered first.
    for (const { id = '', name, args } of calls.toReversed()) {
      const { text, failed } = await tools.run(name, args)
      const status = failed ? 'error' : 'success'
      messages.push(new ToolMessage({ tool_call_id: id, content: text, status }))
    }
  }
  return texts
}

async function gathered(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of chunks) whole = whole === undefined ? chunk : whole.concat(chunk)
  if (whole === undefined) throw new Error('The stream was empty.')
  return whole
}

export const langchainClients: readonly Client[] = [
  { name: '@langchain/openai responses', wire: 'responses', run: task => run(task, true) },
  { name: '@langchain/openai chat', wire: 'chat', run: task => run(task, false) },
]
