/** Reads Chat Completions requests as histories. */
import { z } from 'zod'
import { refuseUnless } from '../clients/scripted-wire.ts'
import type { Entry, History } from './history.ts'
import { add, checked, contentShape, imagesOf, nameShape, roleOf, schemaShape, textOf } from './history.ts'

const chatRequest = z.looseObject({
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: contentShape,
      tool_call_id: z.string().optional(),
      tool_calls: z
        .array(
          z.looseObject({
            id: z.string().min(1).max(40),
            type: z.literal('function'),
            function: z.looseObject({ name: nameShape, arguments: z.string() }),
          }),
        )
        .optional(),
    }),
  ),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({
          name: nameShape,
          description: z.string().optional(),
          parameters: schemaShape,
        }),
      }),
    )
    .default([]),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
})

export function readChat(body: unknown): History {
  const { messages, tools, stream, stream_options } = chatRequest.parse(body)
  const entries: Entry[] = []
  for (const { role, content, tool_calls = [], tool_call_id } of messages) {
    const text = textOf(content)
    const images = imagesOf(content)
    if (role === 'tool') {
      refuseUnless(tool_call_id !== undefined, 'A result has no tool_call_id.')
      refuseUnless(images.length === 0, 'Images are only allowed for messages with role user.')
      add(entries, { by: 'tools', results: [{ id: tool_call_id, text, images }] })
    } else if (role === 'assistant') {
      const calls = tool_calls.map(call => ({
        id: call.id,
        name: call.function.name,
        input: JSON.parse(call.function.arguments),
      }))
      refuseUnless(content != null || calls.length > 0, 'An assistant message needs content or calls.')
      add(entries, { by: 'assistant', text, calls })
    } else add(entries, { by: roleOf(role), text, images })
  }
  return checked(entries, {
    tools: tools.map(({ function: { name, description = '', parameters } }) => ({
      name,
      description,
      schema: parameters ?? {},
    })),
    stream: stream === true,
    usage: stream_options?.include_usage === true,
  })
}
