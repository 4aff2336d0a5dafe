/** Bodies that the gateway writes itself: what it stores, and what it reports of itself. */
import { schemaParts } from '@toolwire/core/wires'
import type { Node } from './parts.ts'
import { schemaRef } from './parts.ts'

const { flag, integer, list, openObject, orNull, text } = schemaParts

const page = (of: Node): Readonly<Record<string, Node>> => ({
  object: { const: 'list' },
  data: list(of),
  first_id: orNull('string'),
  last_id: orNull('string'),
  has_more: flag,
})
const ends = ['data', 'first_id', 'last_id', 'has_more']
const metadata: Node = { type: ['object', 'null'] }

export const ownSchemas: Node = {
  ItemList: openObject('A page of items.', page(schemaRef('Item')), ['object', ...ends]),
  DeletedResponse: openObject(
    'The response was deleted.',
    { id: text, object: { const: 'response' }, deleted: { const: true } },
    ['id', 'object', 'deleted'],
  ),
  Conversation: {
    ...openObject(
      'A history with an id.',
      { id: text, object: { const: 'conversation' }, created_at: integer, metadata: { type: 'object' } },
      ['id', 'object', 'created_at', 'metadata'],
    ),
    examples: [{ id: 'conv_a1b2c3', object: 'conversation', created_at: 1767225600, metadata: {} }],
  },
  NewConversation: openObject('What a conversation begins with.', {
    items: { type: ['array', 'null'], items: schemaRef('Item') },
    metadata,
  }),
  ConversationChange: openObject('What is to be different. Metadata is replaced entirely.', { metadata }),
  NewItems: openObject('What is added at the end.', { items: list(schemaRef('Item')) }),
  DeletedConversation: openObject(
    'The conversation was deleted, with its items.',
    { id: text, object: { const: 'conversation.deleted' }, deleted: { const: true } },
    ['id', 'object', 'deleted'],
  ),
  Live: openObject('The process answers.', { status: { const: 'live' } }, ['status']),
  Ready: openObject(
    'Requests are taken.',
    { status: { const: 'ready' }, store: { ...text, description: 'The kind of store, or none.' } },
    ['status', 'store'],
  ),
  NotReady: openObject(
    'Requests should go elsewhere.',
    { status: { enum: ['draining', 'store unavailable'] }, reason: text },
    ['status'],
  ),
  Version: openObject('What runs here.', { name: { const: 'toolwire' }, version: text, node: text }, [
    'name',
    'version',
    'node',
  ]),
  TraceList: openObject(
    'Exchanges of the recent past, the newest first.',
    { object: { const: 'list' }, data: list(schemaRef('Trace')) },
    ['object', 'data'],
  ),
  Trace: openObject('One exchange, keys masked.', { id: text, route: text }),
}
