/** Reads Messages requests as histories. */
import { z } from 'zod'
import { refuseUnless } from '../clients/scripted-wire.ts'
import type { Entry, History, HistoryCall } from './history.ts'
import { add, checked, contentShape, imagesOf, nameShape, textOf } from './history.ts'

const block = z.looseObject({
  type: z.enum(['text', 'image', 'tool_use', 'tool_result']),
  text: z.string().min(1).optional(),
  id: z
    .string()
    .regex(/^[\w-]+$/)
    .optional(),
  name: nameShape.optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: z.string().optional(),
  content: contentShape,
})

type Block = z.infer<typeof block>

const blocks = z.union([z.string().min(1), z.array(block).min(1)])

const messagesRequest = z.looseObject({
  max_tokens: z.int().positive(),
  system: contentShape,
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']), content: blocks })).min(1),
  tools: z
    .array(
      z.union([
        z.looseObject({
          type: z.literal('custom').nullish(),
          name: nameShape,
          description: z.string().optional(),
          input_schema: z.looseObject({ type: z.literal('object') }),
        }),
        // Hosted tools have no schema.
        z.strictObject({ type: z.literal('web_search_20250305'), name: z.literal('web_search') }),
      ]),
    )
    .default([]),
  stream: z.boolean().optional(),
})

export function readMessages(body: unknown): History {
  const { system, messages, tools, stream } = messagesRequest.parse(body)
  const entries: Entry[] = []
  if (system != null) add(entries, { by: 'system', text: textOf(system), images: [] })
  for (const { role, content } of messages) {
    const all = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
    const plain = all.filter(({ type }) => type === 'text' || type === 'image')
    const text = textOf(plain)
    if (role === 'assistant') {
      const calls = all.flatMap(block => (block.type === 'tool_use' ? [callOf(block)] : []))
      add(entries, { by: 'assistant', text, calls })
      continue
    }
    const results = all.flatMap(({ type, tool_use_id = '', content }) =>
      type === 'tool_result' ? [{ id: tool_use_id, text: textOf(content), images: imagesOf(content) }] : [],
    )
    refuseUnless(
      all.slice(0, results.length).every(({ type }) => type === 'tool_result'),
      'Results must be the first blocks of a message.',
    )
    if (results.length > 0) add(entries, { by: 'tools', results })
    if (plain.length > 0) add(entries, { by: 'user', text, images: imagesOf(plain) })
  }
  return checked(entries, {
    tools: tools.flatMap(tool =>
      'input_schema' in tool
        ? [{ name: tool.name, description: tool.description ?? '', schema: tool.input_schema }]
        : [],
    ),
    stream: stream === true,
    usage: true,
  })
}

function callOf({ id, name, input }: Block): HistoryCall {
  refuseUnless(
    id !== undefined && name !== undefined && input !== undefined,
    'A call lacks its id, name or input.',
  )
  return { id, name, input }
}
