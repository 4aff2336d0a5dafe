/** What OpenAI's two wires share over HTTP. */
import type { OpenApiSchema, WireHttp, WireOpenApi } from '../service.ts'
import { openaiModels } from './model-list.ts'
import { anything, integer, list, openObject, orNull, text } from './schema-parts.ts'
import { bodyFields, isCommonErrorBody } from './service-parts.ts'

export const openaiHttp: Omit<WireHttp, 'routes' | 'keepsState'> = {
  prefix: '/v1',
  ...bodyFields('model', 'stream'),
  keys: [{ header: 'authorization', scheme: 'Bearer' }],
  requestHeaders: { sent: {}, forwarded: [] },
  markerHeaders: [],
  requestId: { headers: [] },
  retryHeaders: ['retry-after', 'retry-after-ms', 'x-ratelimit-*', 'x-should-retry'],
  errorField: 'error',
  isErrorBody: isCommonErrorBody,
  models: openaiModels,
}

const model: OpenApiSchema = {
  ...openObject(
    'As OpenAI tells of it.',
    {
      id: text,
      object: { const: 'model' },
      created: integer,
      owned_by: text,
      context_window: integer,
      max_output_tokens: integer,
      input_modalities: list(text),
    },
    ['id', 'object'],
  ),
  examples: [{ id: 'qwen3', object: 'model', created: 0, owned_by: 'local' }],
}

export const openaiError: { readonly OpenAiError: OpenApiSchema } = {
  OpenAiError: {
    ...openObject(
      'An error of Chat Completions and Responses.',
      {
        error: openObject(
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
}

export const openaiOpenApi: Pick<WireOpenApi, 'error' | 'model' | 'modelList'> = {
  error: 'OpenAiError',
  model,
  modelList: openObject('As OpenAI lists them.', { object: { const: 'list' }, data: list(model) }, [
    'object',
    'data',
  ]),
}
