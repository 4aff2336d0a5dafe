/** Lists of models: what servers say of theirs, and the form that OpenAI's own and Codex expect. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import type { ListedModel, ModelFacts, WireModels } from '../service.ts'

export function decodeModelIds(body: unknown): string[] {
  return entriesOf(body).map(({ id }) => id)
}

interface Entry {
  readonly id: string
  readonly entry: JsonObject
}

function entriesOf(body: unknown): Entry[] {
  const data = isObject(body) ? own(body, 'data') : undefined
  if (!Array.isArray(data)) return []
  return data.flatMap(entry => {
    const id = isObject(entry) ? own(entry, 'id') : undefined
    return isObject(entry) && typeof id === 'string' ? [{ id, entry }] : []
  })
}

/** As Groq, OpenRouter, vLLM, LM Studio, Mistral and Anthropic name it. */
const windowNames = [
  'context_window',
  'context_length',
  'max_model_len',
  'max_context_length',
  'max_input_tokens',
]
const outputNames = ['max_output_tokens', 'max_completion_tokens', 'max_tokens']

/** What servers add to the entries of their lists, each under names of its own. */
export function decodeModelFacts(body: unknown): ReadonlyMap<string, ModelFacts> {
  return new Map(
    entriesOf(body).map(({ id, entry }) => {
      const contextWindow = tokensIn(entry, windowNames)
      const largestOutput = tokensIn(entry, outputNames)
      const images = takesImages(entry)
      return [
        id,
        {
          ...(contextWindow !== undefined && { contextWindow }),
          ...(largestOutput !== undefined && { largestOutput }),
          ...(images !== undefined && { images }),
        },
      ]
    }),
  )
}

function tokensIn(entry: JsonObject, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = own(entry, name)
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  }
  return undefined
}

function takesImages(entry: JsonObject): boolean | undefined {
  const architecture = own(entry, 'architecture')
  for (const holder of [entry, isObject(architecture) ? architecture : {}]) {
    const modalities = own(holder, 'input_modalities')
    if (Array.isArray(modalities)) return modalities.includes('image')
  }
  const capabilities = own(entry, 'capabilities')
  const image = isObject(capabilities) ? own(capabilities, 'image_input') : undefined
  const supported = isObject(image) ? own(image, 'supported') : undefined
  return typeof supported === 'boolean' ? supported : undefined
}

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

export const openaiModels: WireModels = {
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
