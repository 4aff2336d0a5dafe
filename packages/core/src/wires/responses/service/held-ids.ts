/** The ids under which a server of Responses holds what it made, and what requests may name beside that. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import { heldId, listOf, namedIds } from '../../kit/held-id.ts'
import type { HeldIds, HeldKind, HeldReference } from '../../service.ts'

/** With one of these fields an item of the type is complete. What any other item lacks, the server looks up by its id. */
const contentFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['message', ['content']],
  ['function_call', ['arguments']],
  ['function_call_output', ['output']],
  ['custom_tool_call', ['input']],
  ['custom_tool_call_output', ['output']],
  ['reasoning', ['encrypted_content', 'content']],
  ['compaction', ['encrypted_content']],
  ['compaction_trigger', ['type']],
])

/** Wherever they stand: in contents, results, tools and their environments. */
const names: ReadonlyMap<string, HeldKind> = new Map([
  ['file_id', 'file'],
  ['file_ids', 'file'],
  ['vector_store_ids', 'vector store'],
  ['skill_id', 'skill'],
  ['tunnel_id', 'tunnel'],
  ['comparison_response_id', 'response'],
])

/** What code wrote in a container; others are cited from what the client may have been shown by somebody else. */
const written: ReadonlySet<unknown> = new Set(['container_file_citation', 'file_path'])

export const responsesHeldIds: HeldIds = {
  marks: [
    '"previous_response_id"',
    '"conversation"',
    '"id"',
    '"container',
    '"approval_request_id"',
    ...[...names.keys()].map(name => `"${name}"`),
  ],
  references: body => [
    ...heldId('response', own(body, 'previous_response_id'), ['previous_response_id']),
    ...heldId('conversation', conversationOf(body), ['conversation']),
    ...itemReferences(listOf(body, 'input'), 'input'),
    // Of a conversation that is made or added to.
    ...itemReferences(listOf(body, 'items'), 'items'),
    ...listOf(body, 'tools').flatMap((tool, index) => containerReferences(tool, ['tools', index])),
    ...promptReferences(own(body, 'prompt')),
    ...namedIds(body, names),
  ],
  idsIn(answer) {
    // Of a response, or of a list of items.
    const output = [...listOf(answer, 'output'), ...listOf(answer, 'data')]
    const named = [
      ...heldId('response', own(answer, 'id'), []),
      ...heldId('conversation', conversationOf(answer), []),
      ...output.flatMap(item => heldId('item', own(item, 'id'), [])),
      ...output.flatMap(item => containerReferences(item, [])),
      ...output.flatMap(writtenFiles),
    ]
    return named.map(({ id }) => id)
  },
}

function promptReferences(prompt: unknown): HeldReference[] {
  return isObject(prompt) ? heldId('prompt', own(prompt, 'id'), ['prompt', 'id']) : []
}

function writtenFiles(item: JsonObject): HeldReference[] {
  return listOf(item, 'content').flatMap(part =>
    listOf(part, 'annotations').flatMap(annotation =>
      written.has(own(annotation, 'type')) ? heldId('file', own(annotation, 'file_id'), []) : [],
    ),
  )
}

function conversationOf(body: JsonObject): unknown {
  const conversation = own(body, 'conversation')
  return isObject(conversation) ? own(conversation, 'id') : conversation
}

function itemReferences(items: readonly JsonObject[], field: string): HeldReference[] {
  const given = new Set(items.map(item => own(item, 'id')))
  return items.flatMap((item, index) => {
    const path = [field, index]
    const [reference] = heldId('item', own(item, 'id'), [...path, 'id'])
    const approved = own(item, 'approval_request_id')
    return [
      ...(reference === undefined ? [] : [{ ...reference, isOptional: isComplete(item) }]),
      ...(given.has(approved) ? [] : heldId('item', approved, [...path, 'approval_request_id'])),
      ...containerReferences(item, path),
    ]
  })
}

function isComplete(item: JsonObject): boolean {
  const type = own(item, 'type') ?? (own(item, 'role') === undefined ? undefined : 'message')
  const fields = contentFields.get(type) ?? []
  return fields.some(field => {
    const content = own(item, field)
    return typeof content === 'string' || (Array.isArray(content) && content.length > 0)
  })
}

/** A tool names the container that it is to run in, and a call the one that it ran in. */
function containerReferences(holder: JsonObject, path: HeldReference['path']): HeldReference[] {
  const container = own(holder, 'container')
  const environment = own(holder, 'environment')
  return [
    ...(isObject(container) ? [] : heldId('container', container, [...path, 'container'])),
    ...heldId('container', own(holder, 'container_id'), [...path, 'container_id']),
    ...(isObject(environment)
      ? heldId('container', own(environment, 'container_id'), [...path, 'environment', 'container_id'])
      : []),
  ]
}
