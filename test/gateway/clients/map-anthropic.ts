/** The official Anthropic client and its tool runner, sending images in results. */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { maxTurns } from '../../clients/client.ts'
import { weatherInput as cityInput } from '../../support/clients/toolbox.ts'
import type { Connection, MapClient } from './map-tool.ts'
import { caption, description, endless, pixel, question, settings } from './map-tool.ts'

const picture: (Anthropic.TextBlockParam | Anthropic.ImageBlockParam)[] = [
  { type: 'text', text: caption },
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
]

/** It wants the address without the version. */
const anthropic = (connection: Connection): Anthropic =>
  new Anthropic({ ...settings(connection), baseURL: new URL(connection.baseURL).origin, maxRetries: 0 })

async function runAnthropic(connection: Connection): Promise<string> {
  const client = anthropic(connection)
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }]
  for (let turn = 0; turn < maxTurns; turn++) {
    const body = {
      model: 'any',
      max_tokens: 1024,
      messages,
      tools: [
        {
          name: 'draw_map',
          description,
          input_schema: { ...cityInput.toJSONSchema(), type: 'object' as const },
        },
      ],
    }
    const { content } = await (connection.stream
      ? client.messages.stream(body).finalMessage()
      : client.messages.create(body))
    const calls = content.filter(block => block.type === 'tool_use')
    if (calls.length === 0) return content.map(block => (block.type === 'text' ? block.text : '')).join('')
    const results = calls.map(({ id }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: picture,
    }))
    messages.push({ role: 'assistant', content }, { role: 'user', content: results })
  }
  throw endless()
}

async function runToolRunner(connection: Connection): Promise<string> {
  const runner = anthropic(connection).beta.messages.toolRunner({
    model: 'any',
    max_tokens: 1024,
    messages: [{ role: 'user', content: question }],
    tools: [betaZodTool({ name: 'draw_map', description, inputSchema: cityInput, run: () => picture })],
    thread: false,
    max_iterations: maxTurns,
    stream: connection.stream,
  })
  let last = ''
  for await (const turn of runner) {
    const { content } = 'finalMessage' in turn ? await turn.finalMessage() : turn
    last = content.map(block => (block.type === 'text' ? block.text : '')).join('')
  }
  return last
}

export const anthropicMapClients: readonly MapClient[] = [
  { name: '@anthropic-ai/sdk', wire: 'messages', run: runAnthropic },
  { name: '@anthropic-ai/sdk toolRunner', wire: 'messages', run: runToolRunner },
]
