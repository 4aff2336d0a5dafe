/** Bodies of Messages. Only the main fields are named; everything else that the wire has may be there too. */
import {
  anything,
  flag,
  integer,
  list,
  message,
  model,
  openObject,
  orNull,
  stream,
  text,
} from '../../kit/schema-parts.ts'
import type { OpenApiSchema, WireOpenApi } from '../../service.ts'

const listedModel: OpenApiSchema = openObject(
  'As Anthropic tells of it.',
  { id: text, type: { const: 'model' }, display_name: text, created_at: text },
  ['id', 'type'],
)

export const messagesOpenApi: WireOpenApi = {
  error: 'MessagesError',
  model: listedModel,
  modelList: openObject(
    'As Anthropic lists them.',
    { data: list(listedModel), has_more: flag, first_id: orNull('string'), last_id: orNull('string') },
    ['data', 'first_id', 'last_id', 'has_more'],
  ),
  streamExample: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  schemas: {
    MessagesRequest: openObject(
      'A request of Anthropic Messages.',
      {
        model,
        messages: list(message),
        max_tokens: integer,
        system: { anyOf: [text, list({ type: 'object' })] },
        tools: list(
          openObject('A tool.', { name: text, type: orNull('string'), input_schema: { type: 'object' } }, [
            'name',
          ]),
        ),
        tool_choice: { type: 'object' },
        stream,
        metadata: { type: 'object' },
      },
      ['model', 'messages', 'max_tokens'],
    ),
    Message: openObject(
      'An answer of Anthropic Messages.',
      {
        id: text,
        type: { const: 'message' },
        role: { const: 'assistant' },
        model: text,
        content: list(openObject('A block.', { type: text }, ['type'])),
        stop_reason: orNull('string'),
        stop_sequence: orNull('string'),
        usage: { type: 'object' },
      },
      ['id', 'type', 'role', 'content', 'stop_reason'],
    ),
    TokenCountRequest: openObject(
      'A request of Anthropic Messages whose tokens are to be counted.',
      { model, messages: list(message), system: anything, tools: list({ type: 'object' }) },
      ['model', 'messages'],
    ),
    TokenCount: openObject('How long a request is.', { input_tokens: { type: 'integer', minimum: 0 } }, [
      'input_tokens',
    ]),
    MessagesError: {
      ...openObject(
        'An error of Messages.',
        {
          type: { const: 'error' },
          error: openObject('What is wrong.', { type: text, message: text, details: anything }, [
            'type',
            'message',
          ]),
          request_id: orNull('string'),
        },
        ['type', 'error'],
      ),
      examples: [
        { type: 'error', error: { type: 'overloaded_error', message: 'The gateway is shutting down.' } },
      ],
    },
  },
}
