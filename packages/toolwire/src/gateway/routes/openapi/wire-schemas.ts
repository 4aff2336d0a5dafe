/** Bodies of the three wires. Only the main fields are named; everything else that a wire has may be there too. */
import { flag, list, type Node, open, orNull, schemaRef, text, whole } from './parts.ts'

const anything: Node = {}
const message = open('One message of the history.', { role: text, content: anything }, ['role'])
const model: Node = { type: 'string', minLength: 1, description: 'Chooses the upstream.' }
const stream: Node = { ...flag, description: 'Answer with server-sent events.' }
const metadata: Node = { type: ['object', 'null'] }

export const wireSchemas: Node = {
  ChatRequest: open(
    'A request of OpenAI Chat Completions.',
    {
      model,
      messages: list(message),
      tools: list(open('A tool.', { type: text, function: { type: 'object' } }, ['type'])),
      tool_choice: anything,
      parallel_tool_calls: flag,
      stream,
      stream_options: { type: ['object', 'null'] },
      max_completion_tokens: orNull('integer'),
      metadata,
    },
    ['model', 'messages'],
  ),
  ChatCompletion: open(
    'An answer of OpenAI Chat Completions.',
    {
      id: text,
      object: { const: 'chat.completion' },
      created: whole,
      model: text,
      choices: list(
        open(
          'A choice.',
          {
            index: whole,
            message: open('What the model said and called.', {
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
  ResponseRequest: open(
    'A request of OpenAI Responses.',
    {
      model,
      input: { anyOf: [text, list({ type: 'object' })] },
      instructions: orNull('string'),
      tools: list(open('A tool.', { type: text }, ['type'])),
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
      conversation: { anyOf: [orNull('string'), open('A conversation.', { id: text }, ['id'])] },
      max_output_tokens: orNull('integer'),
      max_tool_calls: orNull('integer'),
      metadata,
    },
    ['model'],
  ),
  Response: open(
    'An answer of OpenAI Responses, also when it is stored.',
    {
      id: text,
      object: { const: 'response' },
      created_at: { type: 'number' },
      status: { enum: ['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'] },
      model: text,
      output: list(schemaRef('Item')),
      error: { type: ['object', 'null'] },
      incomplete_details: { type: ['object', 'null'] },
      usage: { type: ['object', 'null'] },
      background: { type: ['boolean', 'null'] },
      metadata,
    },
    ['id', 'object', 'status', 'output'],
  ),
  MessagesRequest: open(
    'A request of Anthropic Messages.',
    {
      model,
      messages: list(message),
      max_tokens: whole,
      system: { anyOf: [text, list({ type: 'object' })] },
      tools: list(
        open('A tool.', { name: text, type: orNull('string'), input_schema: { type: 'object' } }, ['name']),
      ),
      tool_choice: { type: 'object' },
      stream,
      metadata: { type: 'object' },
    },
    ['model', 'messages', 'max_tokens'],
  ),
  Message: open(
    'An answer of Anthropic Messages.',
    {
      id: text,
      type: { const: 'message' },
      role: { const: 'assistant' },
      model: text,
      content: list(open('A block.', { type: text }, ['type'])),
      stop_reason: orNull('string'),
      stop_sequence: orNull('string'),
      usage: { type: 'object' },
    },
    ['id', 'type', 'role', 'content', 'stop_reason'],
  ),
  TokenCountRequest: open(
    'A request of Anthropic Messages whose tokens are to be counted.',
    { model, messages: list(message), system: anything, tools: list({ type: 'object' }) },
    ['model', 'messages'],
  ),
  TokenCount: open('How long a request is.', { input_tokens: { type: 'integer', minimum: 0 } }, [
    'input_tokens',
  ]),
  OpenAiError: {
    ...open(
      'An error of Chat Completions and Responses.',
      {
        error: open(
          'What is wrong.',
          { message: text, type: orNull('string'), param: anything, code: anything },
          ['message'],
        ),
      },
      ['error'],
    ),
    examples: [
      {
        error: {
          message: 'The request names no model. Give its name as "model".',
          type: 'invalid_request_error',
          param: 'model',
          code: 'missing_model',
        },
      },
    ],
  },
  MessagesError: {
    ...open(
      'An error of Messages.',
      {
        type: { const: 'error' },
        error: open('What is wrong.', { type: text, message: text, details: anything }, ['type', 'message']),
        request_id: orNull('string'),
      },
      ['type', 'error'],
    ),
    examples: [
      { type: 'error', error: { type: 'overloaded_error', message: 'The gateway is shutting down.' } },
    ],
  },
}
