/** Reads Responses requests as histories. */
import { z } from 'zod'
import { refuseUnless } from '../clients/scripted-wire.ts'
import type { Content, Entry, History, OfferedTool } from './history.ts'
import { add, checked, contentShape, imagesOf, nameShape, roleOf, schemaShape, textOf } from './history.ts'

const responsesRequest = z.looseObject({
  input: z.union([
    z.string(),
    z.array(
      z.looseObject({
        type: z.string().optional(),
        id: z.string().optional(),
        role: z.string().optional(),
        content: contentShape,
        call_id: z.string().max(64).optional(),
        name: nameShape.optional(),
        arguments: z.string().optional(),
        output: contentShape,
      }),
    ),
  ]),
  instructions: z.string().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        name: nameShape,
        description: z.string().nullish(),
        parameters: schemaShape,
      }),
    )
    .default([]),
  stream: z.boolean().nullish(),
})

type Item = Exclude<z.infer<typeof responsesRequest>['input'], string>[number]

/** `stored` has the items that the server sent before, for references to them. */
export function readResponses(body: unknown, stored: ReadonlyMap<string, unknown>): History {
  const { input, instructions, tools, stream } = responsesRequest.parse(body)
  const entries: Entry[] = []
  if (instructions != null) add(entries, { by: 'system', text: instructions, images: [] })
  const items: readonly Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  for (const item of items) readItem(entries, item.type === 'item_reference' ? resolve(item) : item)
  return checked(entries, {
    tools: tools.map(
      ({ name, description, parameters }): OfferedTool => ({
        name,
        description: description ?? '',
        schema: parameters ?? {},
      }),
    ),
    stream: stream === true,
    usage: true,
  })

  function resolve({ id = '' }: Item): Item {
    const found = stored.get(id)
    refuseUnless(found !== undefined, `Item with id '${id}' not found.`)
    return found as Item
  }
}

function readItem(entries: Entry[], item: Item): void {
  const { type = 'message', role = '', call_id = '', name = '', output } = item
  const content = item.content as Content
  if (type === 'message' && role === 'assistant') {
    add(entries, { by: 'assistant', text: textOf(content), calls: [] })
  } else if (type === 'message') {
    add(entries, { by: roleOf(role), text: textOf(content), images: imagesOf(content) })
  } else if (type === 'function_call') {
    const call = { id: call_id, name, input: JSON.parse(item.arguments ?? '') }
    add(entries, { by: 'assistant', text: '', calls: [call] })
  } else {
    refuseUnless(type === 'function_call_output', `An item of type ${type} is not understood.`)
    const result = { id: call_id, text: textOf(output), images: imagesOf(output) }
    add(entries, { by: 'tools', results: [result] })
  }
}
