/** The official OpenAI client, sending images in results. */
import OpenAI from 'openai'
import { maxTurns } from '../../clients/client.ts'
import { weatherInput as cityInput } from '../../support/clients/toolbox.ts'
import type { Connection, MapClient } from './map-tool.ts'
import { address, caption, description, endless, question, settings } from './map-tool.ts'

async function runOpenAI(connection: Connection): Promise<string> {
  const client = new OpenAI({ ...settings(connection), maxRetries: 0 })
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: question }]
  for (let turn = 0; turn < maxTurns; turn++) {
    const body = {
      model: 'any',
      input,
      tools: [
        {
          type: 'function' as const,
          name: 'draw_map',
          description,
          parameters: cityInput.toJSONSchema(),
          strict: false,
        },
      ],
    }
    const { output, output_text }: OpenAI.Responses.Response = await (connection.stream
      ? client.responses.stream(body).finalResponse()
      : client.responses.create(body))
    const calls = output.filter(item => item.type === 'function_call')
    if (calls.length === 0) return output_text
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]))
    for (const { call_id } of calls) {
      input.push({
        type: 'function_call_output',
        call_id,
        output: [
          { type: 'input_text', text: caption },
          { type: 'input_image', image_url: address, detail: 'auto' },
        ],
      })
    }
  }
  throw endless()
}

/** The wire takes only text in results; editors send images there all the same. */
async function runChat(connection: Connection): Promise<string> {
  const client = new OpenAI({ ...settings(connection), maxRetries: 0 })
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }]
  const parameters = cityInput.toJSONSchema()
  for (let turn = 0; turn < maxTurns; turn++) {
    const body = {
      model: 'any',
      messages,
      tools: [{ type: 'function' as const, function: { name: 'draw_map', description, parameters } }],
    }
    const { choices } = await (connection.stream
      ? client.chat.completions.stream(body).finalChatCompletion()
      : client.chat.completions.create(body))
    const message = choices[0]?.message
    if (message?.tool_calls === undefined || message.tool_calls.length === 0) return message?.content ?? ''
    const content = [
      { type: 'text', text: caption },
      { type: 'image_url', image_url: { url: address } },
    ] as OpenAI.ChatCompletionContentPartText[]
    messages.push(message)
    for (const { id } of message.tool_calls) messages.push({ role: 'tool', tool_call_id: id, content })
  }
  throw endless()
}

export const openaiMapClients: readonly MapClient[] = [
  { name: 'openai responses', wire: 'responses', run: runOpenAI },
  { name: 'openai chat', wire: 'chat', refusedAtHome: true, run: runChat },
]
