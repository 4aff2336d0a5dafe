/**
 * Checks a response object against the Open Responses contract, without the library's code: which keys exist, which may
 * be null, and the shapes of items, tools and usage. Extra keys are allowed.
 */
import { z } from 'zod'

const text = z.string()
const id = z.string().min(1)
const count = z.int().nonnegative()
const status = z.enum(['in_progress', 'completed', 'incomplete'])

const annotation = z.looseObject({ type: text })
const outputText = z.looseObject({ type: z.literal('output_text'), text, annotations: z.array(annotation) })
const refusal = z.looseObject({ type: z.literal('refusal'), refusal: text })
const summaryText = z.looseObject({ type: z.literal('summary_text'), text })
const reasoningText = z.looseObject({ type: z.literal('reasoning_text'), text })

export const contentPart = z.discriminatedUnion('type', [outputText, refusal])
export const summaryPart = summaryText

const message = z.looseObject({
  type: z.literal('message'),
  id,
  status,
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.array(contentPart),
  phase: z.enum(['commentary', 'final_answer']).optional(),
})

const functionCall = z.looseObject({
  type: z.literal('function_call'),
  id,
  call_id: id,
  name: id,
  arguments: text,
  status,
})

const reasoning = z.looseObject({
  type: z.literal('reasoning'),
  id,
  // Optional in the contract's schema, but its text requires it for every item.
  status,
  summary: z.array(summaryText),
  content: z.array(reasoningText).optional(),
  encrypted_content: text.optional(),
})

/** Items of tools that a provider runs, which the contract leaves to each provider. */
const hostedItem = z.looseObject({
  type: z.enum(['web_search_call', 'mcp_call', 'custom_tool_call', 'file_search_call']),
  id,
  status: z.enum(['in_progress', 'searching', 'calling', 'completed', 'incomplete', 'failed']),
})

export const anyItem = z.discriminatedUnion('type', [message, functionCall, reasoning, hostedItem])

/** All five keys are required, whatever the client sent. */
const functionTool = z.looseObject({
  type: z.literal('function'),
  name: id,
  description: text.nullable(),
  parameters: z.looseObject({}).nullable(),
  strict: z.boolean().nullable(),
})

const toolName = z.looseObject({ type: z.literal('function'), name: id })
const toolChoice = z.union([
  z.enum(['auto', 'required', 'none']),
  toolName,
  z.looseObject({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required', 'none']),
    tools: z.array(toolName),
  }),
])

const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: z.looseObject({ cached_tokens: count }),
  output_tokens_details: z.looseObject({ reasoning_tokens: count }),
})

const shape = {
  id,
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  incomplete_details: z.looseObject({ reason: id }).nullable(),
  model: id,
  previous_response_id: id.nullable(),
  instructions: text.nullable(),
  output: z.array(anyItem),
  error: z.looseObject({ code: id, message: text }).nullable(),
  tools: z.array(functionTool),
  tool_choice: toolChoice,
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.looseObject({ effort: text.nullable(), summary: text.nullable() }).nullable(),
  usage: usage.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: id,
  metadata: z.record(text, text).nullable(),
  safety_identifier: text.nullable(),
  prompt_cache_key: text.nullable(),
} as const

export const responseKeys: readonly string[] = Object.keys(shape)

const responseResource = z.looseObject(shape)

type Response = z.infer<typeof responseResource>

/** Returns what is wrong with a response object, or nothing. */
export function checkResponse(value: unknown): string[] {
  const { success, data, error } = responseResource.safeParse(value)
  return success ? checkStatus(data) : issuesOf(error)
}

/** Rules that the schema cannot express: which fields belong to which status. */
function checkStatus(response: Response): string[] {
  const wrong: string[] = []
  const { output, usage: used } = response
  const require = (holds: boolean, fault: string): void => void (holds || wrong.push(fault))
  const is = (status: Response['status']): boolean => response.status === status
  require((response.completed_at !== null) === is('completed'), 'completed_at belongs to completed')
  require(!is('incomplete') || response.incomplete_details !== null, 'incomplete needs a reason')
  require(is('incomplete') || response.incomplete_details === null, 'only incomplete has a reason')
  require(is('failed') === (response.error !== null), 'an error belongs to failed')
  const ids = output.map(item => item.id)
  require(new Set(ids).size === ids.length, `ids repeat: ${ids.join(', ')}`)
  const cut = output.filter(item => item.status === 'incomplete')
  require(cut.every(item => item === output.at(-1)), 'an incomplete item is not the last')
  require(!is('completed') || cut.length === 0, 'completed, but an item is incomplete')
  require(!is('incomplete') || output.length === 0 || cut.length === 1, 'incomplete, but no item is')
  require(output.every(item => item.status !== 'in_progress'), 'an item is still in progress')
  if (used !== null)
    require(used.total_tokens === used.input_tokens + used.output_tokens, 'tokens do not add up')
  return wrong
}

export function issuesOf(error: z.ZodError): string[] {
  return error.issues.map(({ path, message: fault }) => `${path.map(String).join('.')}: ${fault}`)
}

/** `{error: {message, type, param, code}}`, the last two of which may be null but not missing. */
export const errorBody = z.looseObject({
  error: z.looseObject({ message: text.min(1), type: id, param: text.nullable(), code: text.nullable() }),
})
