/** The official OpenAI client: its Responses and Chat calls in a loop written by hand, and its own tool runner. */
import OpenAI from 'openai'
import { baseURL } from '../support/clients/bridge.ts'
import { prompts } from '../support/clients/model.ts'
import { definitions, emptyInput, weatherInput } from '../support/clients/toolbox.ts'
import type { Client, Task } from './client.ts'
import { maxTurns } from './client.ts'

const connect = (fetch: Task['fetch']): OpenAI =>
  new OpenAI({ apiKey: 'none', baseURL, fetch, maxRetries: 0 })

async function runResponses({ fetch, tools, stream }: Task): Promise<string[]> {
  const client = connect(fetch)
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: prompts.user }]
  const texts: string[] = []
  while (texts.length < maxTurns) {
    const body = {
      model: 'any',
      instructions: prompts.system,
      input,
      tools: definitions.map(({ name, description, schema }) => ({
        type: 'function' as const,
        name,
        description,
        parameters: schema,
        strict: true,
      })),
    }
    const response: OpenAI.Responses.Response = await (stream
      ? client.responses.stream(body).finalResponse()
      : client.responses.create(body))
    texts.push(response.output_text)
    const calls = response.output.filter(item => item.type === 'function_call')
    if (calls.length === 0) break
    input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]))
    // Results may come in any order; the last call is answered first.
    for (const call of calls.toReversed()) {
      const { text } = await tools.run(call.name, JSON.parse(call.arguments))
      input.push({ type: 'function_call_output', call_id: call.call_id, output: text })
    }
  }
  return texts
}

async function runChat({ fetch, tools, stream }: Task): Promise<string[]> {
  const client = connect(fetch)
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: prompts.system },
    { role: 'user', content: prompts.user },
  ]
  const texts: string[] = []
  while (texts.length < maxTurns) {
    const body = {
      model: 'any',
      messages,
      tools: definitions.map(({ name, description, schema }) => ({
        type: 'function' as const,
        function: { name, description, parameters: schema },
      })),
    }
    const { choices } = await (stream
      ? client.chat.completions.stream(body).finalChatCompletion()
      : client.chat.completions.create(body))
    const message = choices[0]?.message
    if (message === undefined) break
    texts.push(message.content ?? '')
    const calls = (message.tool_calls ?? []).filter(call => call.type === 'function')
    if (calls.length === 0) break
    messages.push(message)
    for (const call of calls.toReversed()) {
      const { text } = await tools.run(call.function.name, JSON.parse(call.function.arguments))
      messages.push({ role: 'tool', tool_call_id: call.id, content: text })
    }
  }
  return texts
}

async function runRunner({ fetch, tools, stream }: Task): Promise<string[]> {
  const body = {
    model: 'any',
    messages: [
      { role: 'developer' as const, content: prompts.system },
      { role: 'user' as const, content: prompts.user },
    ],
    tools: [
      {
        type: 'function' as const,
        function: {
          ...described('get_weather'),
          parse: (text: string) => weatherInput.parse(JSON.parse(text)),
          function: tools.weather,
        },
      },
      {
        type: 'function' as const,
        function: {
          ...described('broken_tool'),
          parse: (text: string) => emptyInput.parse(JSON.parse(text)),
          // The runner stops at a tool that throws, so the tool returns its failure as a result.
          function: async () => (await tools.run('broken_tool', {})).text,
        },
      },
    ],
  }
  const { completions } = connect(fetch).chat
  const runner = stream ? completions.runTools({ ...body, stream }) : completions.runTools(body)
  await runner.done()
  return runner.messages.flatMap(message => (message.role === 'assistant' ? [String(message.content)] : []))
}

function described(name: string): { name: string; description: string; parameters: object } {
  const found = definitions.find(definition => definition.name === name)
  if (found === undefined) throw new Error(`There is no tool ${name}.`)
  return { name, description: found.description, parameters: found.schema }
}

export const openaiClients: readonly Client[] = [
  // The stream helper adds its parsed arguments to the items.
  { name: 'openai responses', wire: 'responses', leftOut: /\.parsed_arguments$/, run: runResponses },
  { name: 'openai chat', wire: 'chat', run: runChat },
  { name: 'openai chat runTools', wire: 'chat', run: runRunner },
]
