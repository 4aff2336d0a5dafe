/** What OpenAI's two wires share over HTTP. */
import type { JsonObject } from '../../json/object.ts'
import type {
  ListedModel,
  ModelFacts,
  OpenApiSchema,
  UseLimit,
  UseLimits,
  WireHttp,
  WireModels,
  WireOpenApi,
} from '../service.ts'
import { anything, integer, list, openObject, orNull, text } from './schema-parts.ts'
import { bodyFields, decodeModelFacts, decodeModelIds, isCommonErrorBody } from './service-parts.ts'

const modalitiesOf = ({ images }: ModelFacts): string[] => (images === false ? ['text'] : ['text', 'image'])

const encodeModel: WireModels['encodeModel'] = model => ({
  id: model.id,
  object: 'model',
  created: 0,
  owned_by: model.owner,
  // OpenAI's own list has none of these; other servers' lists do, under the same names.
  ...(model.contextWindow !== undefined && { context_window: model.contextWindow }),
  ...(model.largestOutput !== undefined && { max_output_tokens: model.largestOutput }),
  ...(model.images !== undefined && { input_modalities: modalitiesOf(model) }),
})

const openaiModels: WireModels = {
  path: '/models',
  decodeIds: decodeModelIds,
  decodeFacts: decodeModelFacts,
  encodeList: (models, query = {}) => ({
    object: 'list',
    data: models.map(encodeModel),
    // Codex sends its version, and reads a list of its own.
    ...(query.client_version !== undefined && { models: models.map(encodeForCodex) }),
  }),
  encodeModel,
}

/** Codex replaces its own prompt by that of a model that is listed. */
const codexInstructions = `You are a coding agent that works with the user in a terminal. You have tools to run commands and to read and change files in the user's workspace.

- Read the code before you change it. Keep to its style and conventions, and change only what the task needs.
- Work on your own until the task is done. If something fails, find out why, and do not guess.
- Check your work: run the tests, the build or the program where there are any.
- Never undo changes that are not yours, and do not commit unless you are asked to.
- Be brief. In the end say what you did, how you checked it, and what is left.`

/** A word that an older Codex does not know would make the whole list unreadable to it. */
const codexEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']

/** As Codex 0.169 reads it; what it has no need for is left out. */
function encodeForCodex(model: ListedModel, index: number): JsonObject {
  const { id, owner, contextWindow, efforts = [] } = model
  return {
    slug: id,
    display_name: id,
    description: `Served by ${owner}.`,
    supported_reasoning_levels: efforts
      .filter(effort => codexEfforts.includes(effort))
      .map(effort => ({ effort, description: `Effort: ${effort}.` })),
    shell_type: 'unified_exec',
    visibility: 'list',
    supported_in_api: true,
    priority: index,
    upgrade: null,
    base_instructions: codexInstructions,
    supports_reasoning_summaries: false,
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: null,
    truncation_policy: { mode: 'bytes', limit: 10_000 },
    supports_parallel_tool_calls: true,
    ...(contextWindow !== undefined && { context_window: contextWindow }),
    experimental_supported_tools: [],
    input_modalities: modalitiesOf(model),
  }
}

/** `x-ratelimit-limit-requests` and so on; the time of reset is a duration such as `6m0s`. */
function openaiLimitHeaders(limits: UseLimits): { readonly [name: string]: string } {
  const headers = Object.entries(limits).flatMap(
    ([what, { limit, remaining, resetMs }]: [string, UseLimit]) => [
      [`x-ratelimit-limit-${what}`, String(limit)],
      [`x-ratelimit-remaining-${what}`, String(remaining)],
      [`x-ratelimit-reset-${what}`, duration(Math.ceil(resetMs / 1000))],
    ],
  )
  return Object.fromEntries(headers)
}

function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours}h${minutes}m${seconds % 60}s`
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}

export const openaiHttp: Omit<WireHttp, 'routes' | 'keepsState'> = {
  prefix: '/v1',
  ...bodyFields('model', 'stream'),
  keys: [{ header: 'authorization', scheme: 'Bearer' }],
  requestHeaders: { sent: {}, forwarded: [] },
  markerHeaders: [],
  requestId: { headers: [] },
  retryHeaders: ['retry-after', 'retry-after-ms', 'x-ratelimit-*', 'x-should-retry'],
  limitHeaders: openaiLimitHeaders,
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
