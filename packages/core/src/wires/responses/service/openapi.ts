/** Bodies of Responses. Only the main fields are named; everything else that the wire has may be there too. */
import { openaiError, openaiOpenApi } from '../../kit/openai-service.ts'
import {
  anything,
  flag,
  list,
  metadata,
  model,
  openObject,
  orNull,
  stream,
  text,
} from '../../kit/schema-parts.ts'
import type { OpenApiSchema, WireOpenApi } from '../../service.ts'

const item: OpenApiSchema = { $ref: '#/components/schemas/Item' }

export const responsesOpenApi: WireOpenApi = {
  ...openaiOpenApi,
  streamExample:
    'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{}}\n\n',
  schemas: {
    ...openaiError,
    ResponseRequest: openObject(
      'A request of OpenAI Responses.',
      {
        model,
        input: { anyOf: [text, list({ type: 'object' })] },
        instructions: orNull('string'),
        tools: list(openObject('A tool.', { type: text }, ['type'])),
        tool_choice: anything,
        parallel_tool_calls: flag,
        stream,
        store: {
          type: ['boolean', 'null'],
          description: 'Keep the response. It is kept unless this is false.',
        },
        background: {
          type: ['boolean', 'null'],
          description:
            'Answer at once with a receipt, and work on it afterwards. With `stream`, its events can be heard again.',
        },
        previous_response_id: orNull('string'),
        conversation: { anyOf: [orNull('string'), openObject('A conversation.', { id: text }, ['id'])] },
        max_output_tokens: orNull('integer'),
        max_tool_calls: orNull('integer'),
        metadata,
      },
      ['model'],
    ),
    Response: openObject(
      'An answer of OpenAI Responses, also when it is stored.',
      {
        id: text,
        object: { const: 'response' },
        created_at: { type: 'number' },
        status: { enum: ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] },
        model: text,
        output: list(item),
        error: { type: ['object', 'null'] },
        incomplete_details: { type: ['object', 'null'] },
        usage: { type: ['object', 'null'] },
        background: { type: ['boolean', 'null'] },
        metadata,
      },
      ['id', 'object', 'status', 'output'],
    ),
    CompactedResponse: openObject(
      'A shorter conversation: the messages of the user, and an item that stands for the rest.',
      {
        id: text,
        object: { const: 'response.compaction' },
        created_at: { type: 'number' },
        output: list(item),
        usage: { type: 'object' },
      },
      ['id', 'object', 'output'],
    ),
    InputTokens: openObject(
      'How long a request is.',
      { object: { const: 'response.input_tokens' }, input_tokens: { type: 'integer', minimum: 0 } },
      ['object', 'input_tokens'],
    ),
    Item: openObject('A message, a call, a result or anything else that stands in a response.', {
      id: text,
      type: text,
    }),
  },
}
