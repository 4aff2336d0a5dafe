/** The list of models as Anthropic's API has it, with the fields of October 2026. */
import type { JsonObject } from '../../../json/object.ts'
import { decodeModelFacts, decodeModelIds } from '../../kit/service-parts.ts'
import type { ListedModel, WireModels } from '../../service.ts'

const encodeModel: WireModels['encodeModel'] = model => ({
  type: 'model',
  id: model.id,
  display_name: model.target ?? model.id,
  created_at: '1970-01-01T00:00:00Z',
  lifecycle: 'active',
  deprecated_at: null,
  retires_at: null,
  line: null,
  max_input_tokens: model.contextWindow ?? null,
  max_tokens: model.largestOutput ?? null,
  capabilities: capabilitiesOf(model),
})

const support = (supported: boolean): JsonObject => ({ supported })

/** Images and files are converted, unless the model is known to take none. What the vendor's servers do is not promised. */
function capabilitiesOf({ images = true, files = true, efforts = [] }: ListedModel): JsonObject {
  const reasons = efforts.length > 0
  return {
    batch: support(false),
    citations: support(false),
    code_execution: support(false),
    // A summary is made for a model of any kind.
    context_management: {
      supported: true,
      clear_thinking_20251015: null,
      clear_tool_uses_20250919: null,
      compact_20260112: support(true),
    },
    effort: {
      supported: reasons,
      ...Object.fromEntries(
        ['low', 'medium', 'high', 'xhigh', 'max'].map(level => [level, support(efforts.includes(level))]),
      ),
    },
    image_input: support(images),
    pdf_input: support(files),
    server_tools: { supported: false, code_execution: support(false), web_search: support(false) },
    structured_outputs: support(true),
    thinking: {
      supported: reasons,
      types: {
        adaptive: support(reasons),
        between_tools: support(false),
        disabled: support(true),
        enabled: support(reasons),
      },
    },
  }
}

export const messagesModels: WireModels = {
  path: '/models',
  decodeIds: decodeModelIds,
  decodeFacts: decodeModelFacts,
  encodeList: (models, query = {}) => {
    const all = models.map(encodeModel)
    const after = query.after_id === undefined ? -1 : models.findIndex(({ id }) => id === query.after_id)
    const limit = Number(query.limit ?? all.length)
    const page = all.slice(after + 1, after + 1 + (limit > 0 ? limit : all.length))
    return {
      data: page,
      has_more: after + 1 + page.length < all.length,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    }
  },
  encodeModel,
}
