/** Bodies of Chat Completions. Only the main fields are named; everything else that the wire has may be there too. */
import { openaiError, openaiOpenApi } from '../../kit/openai-service.ts'
import {
  anything,
  flag,
  integer,
  list,
  message,
  metadata,
  model,
  openObject,
  orNull,
  stream,
  text,
} from '../../kit/schema-parts.ts'
import type { WireOpenApi } from '../../service.ts'

export const chatOpenApi: WireOpenApi = {
  ...openaiOpenApi,
  streamExample:
    'data: {"id":"chatcmpl_1","object":"chat.completion.chunk","choices":[]}\n\ndata: [DONE]\n\n',
  schemas: {
    ...openaiError,
    ChatRequest: openObject(
      'A request of OpenAI Chat Completions.',
      {
        model,
        messages: list(message),
        tools: list(openObject('A tool.', { type: text, function: { type: 'object' } }, ['type'])),
        tool_choice: anything,
        parallel_tool_calls: flag,
        stream,
        stream_options: { type: ['object', 'null'] },
        max_completion_tokens: orNull('integer'),
        metadata,
      },
      ['model', 'messages'],
    ),
    ChatCompletion: openObject(
      'An answer of OpenAI Chat Completions.',
      {
        id: text,
        object: { const: 'chat.completion' },
        created: integer,
        model: text,
        choices: list(
          openObject(
            'A choice.',
            {
              index: integer,
              message: openObject('What the model said and called.', {
                role: { const: 'assistant' },
                content: anything,
                tool_calls: list({ type: 'object' }),
              }),
              finish_reason: orNull('string'),
            },
            ['index', 'message', 'finish_reason'],
          ),
        ),
        usage: { type: ['object', 'null'] },
        metadata,
      },
      ['id', 'object', 'created', 'model', 'choices'],
    ),
  },
}
