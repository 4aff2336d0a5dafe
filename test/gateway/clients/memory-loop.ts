/** A loop of the official OpenAI client that sends only what is new and trusts the server to remember the rest. */
import type OpenAI from 'openai'
import { maxTurns } from '../../clients/client.ts'
import { prompts } from '../../support/clients/model.ts'
import type { Toolbox } from '../../support/clients/toolbox.ts'
import { definitions } from '../../support/clients/toolbox.ts'
import type { Step } from '../../support/gateway/script.ts'

type Input = OpenAI.Responses.ResponseInputItem

export const steps: readonly Step[] = [
  {
    text: 'Let me look.',
    calls: [
      { name: 'get_weather', input: { city: 'Oslo' } },
      { name: 'broken_tool', input: {} },
    ],
  },
  { text: 'And Rome?', calls: [{ name: 'get_weather', input: { city: 'Rome' } }] },
  { text: 'It rains in both.' },
  { text: 'You are welcome.' },
]

export const thanks = 'Thank you.'

export interface Memory {
  readonly previous_response_id?: string
  readonly conversation?: string
}

/** One question to its answer. `remember` says how the next request refers to what was before. */
export async function ask(
  client: OpenAI,
  question: string,
  options: {
    readonly tools: Toolbox
    readonly stream: boolean
    readonly memory: Memory
    readonly remember: (id: string) => Memory
  },
): Promise<OpenAI.Responses.Response> {
  const { tools, stream, remember } = options
  let { memory } = options
  let input: Input[] = [{ role: 'user', content: question }]
  for (let turn = 0; turn < maxTurns; turn++) {
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
      ...memory,
    }
    const response: OpenAI.Responses.Response = await (stream
      ? client.responses.stream(body).finalResponse()
      : client.responses.create(body))
    const calls = response.output.filter(item => item.type === 'function_call')
    if (calls.length === 0) return response
    memory = remember(response.id)
    input = []
    for (const { name, call_id, arguments: text } of calls) {
      const { text: output } = await tools.run(name, JSON.parse(text))
      input.push({ type: 'function_call_output', call_id, output })
    }
  }
  throw new Error('The loop has no end.')
}
