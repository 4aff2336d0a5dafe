/** Bodies that the gateway makes itself: models, what it stores, and what it says of itself. */
import { flag, list, type Node, open, orNull, schemaRef, text, whole } from './parts.ts'

const page = (of: Node): Node => ({
  object: { const: 'list' },
  data: list(of),
  first_id: orNull('string'),
  last_id: orNull('string'),
  has_more: flag,
})
const ends = ['data', 'first_id', 'last_id', 'has_more']
const metadata: Node = { type: ['object', 'null'] }

export const ownSchemas: Node = {
  Model: {
    anyOf: [
      open(
        'As OpenAI tells of it.',
        { id: text, object: { const: 'model' }, created: whole, owned_by: text },
        ['id', 'object'],
      ),
      open(
        'As Anthropic tells of it.',
        { id: text, type: { const: 'model' }, display_name: text, created_at: text },
        ['id', 'type'],
      ),
    ],
    examples: [{ id: 'qwen3', object: 'model', created: 0, owned_by: 'local' }],
  },
  ModelList: {
    anyOf: [
      open('As OpenAI lists them.', { object: { const: 'list' }, data: list(schemaRef('Model')) }, [
        'object',
        'data',
      ]),
      open(
        'As Anthropic lists them.',
        {
          data: list(schemaRef('Model')),
          has_more: flag,
          first_id: orNull('string'),
          last_id: orNull('string'),
        },
        ends,
      ),
    ],
  },
  Item: open('A message, a call, a result or anything else that stands in a response.', {
    id: text,
    type: text,
  }),
  ItemList: open('A page of items.', page(schemaRef('Item')), ['object', ...ends]),
  DeletedResponse: open(
    'The response is gone.',
    { id: text, object: { const: 'response' }, deleted: { const: true } },
    ['id', 'object', 'deleted'],
  ),
  Conversation: {
    ...open(
      'A history with a name.',
      { id: text, object: { const: 'conversation' }, created_at: whole, metadata: { type: 'object' } },
      ['id', 'object', 'created_at', 'metadata'],
    ),
    examples: [{ id: 'conv_a1b2c3', object: 'conversation', created_at: 1767225600, metadata: {} }],
  },
  NewConversation: open('What a conversation begins with.', {
    items: { type: ['array', 'null'], items: schemaRef('Item') },
    metadata,
  }),
  ConversationChange: open('What is to be different. Metadata is replaced as a whole.', { metadata }),
  NewItems: open('What is added at the end.', { items: list(schemaRef('Item')) }),
  DeletedConversation: open(
    'The conversation is gone, its items with it.',
    { id: text, object: { const: 'conversation.deleted' }, deleted: { const: true } },
    ['id', 'object', 'deleted'],
  ),
  Live: open('The process answers.', { status: { const: 'live' } }, ['status']),
  Ready: open(
    'Requests are taken.',
    { status: { const: 'ready' }, store: { ...text, description: 'The kind of store, or none.' } },
    ['status', 'store'],
  ),
  NotReady: open(
    'Requests should go elsewhere.',
    { status: { enum: ['draining', 'store unavailable'] }, reason: text },
    ['status'],
  ),
  Version: open('What runs here.', { name: { const: 'toolwire' }, version: text, node: text }, [
    'name',
    'version',
    'node',
  ]),
  TraceList: open(
    'Exchanges of the recent past, the newest first.',
    { object: { const: 'list' }, data: list(schemaRef('Trace')) },
    ['object', 'data'],
  ),
  Trace: open('One exchange, keys masked.', { id: text, route: text }),
}
