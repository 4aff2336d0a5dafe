/** The fields around an answer: most of them repeat the request, or what holds when it was silent. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, own, setOwn } from '../../../json/object.ts'
import type { Tool } from '../../../model/tool.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { jsonText } from '../../kit/json-text.ts'
import { decodeTool, encodeTool } from '../tools/tools.ts'

/** Fields of an answer that repeat the request. Other wires lose nothing without them. */
export const echoedFields: ReadonlySet<string> = new Set([
  'background',
  'conversation',
  'frequency_penalty',
  'include',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'presence_penalty',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
])

type Echoed = Pick<AnswerContext, 'request' | 'sentTools'>

/** All fields that an answer repeats. Clients expect each of them, whether it was in the request or not. */
export function echoRequest({ request = {}, sentTools = [] }: Echoed): JsonObject {
  const given = <T>(key: string, fits: (value: unknown) => value is T): T | undefined => {
    const value = own(request, key)
    return fits(value) ? value : undefined
  }
  const { background, previous_response_id, store, conversation } = echoMemory(request)
  const echo: Record<string, unknown> = {
    background,
    frequency_penalty: given('frequency_penalty', isNumber) ?? 0,
    instructions: given('instructions', isString) ?? null,
    max_output_tokens: given('max_output_tokens', isNumber) ?? null,
    max_tool_calls: given('max_tool_calls', isNumber) ?? null,
    metadata: given('metadata', isObject) ?? {},
    parallel_tool_calls: given('parallel_tool_calls', isBoolean) ?? true,
    presence_penalty: given('presence_penalty', isNumber) ?? 0,
    prompt_cache_key: given('prompt_cache_key', isString) ?? null,
    reasoning: echoReasoning(given('reasoning', isObject)),
    safety_identifier: given('safety_identifier', isString) ?? null,
    temperature: given('temperature', isNumber) ?? 1,
    text: echoFormat(given('text', isObject)),
    tool_choice: own(request, 'tool_choice') ?? 'auto',
    tools: echoTools(given('tools', isList) ?? [], sentTools),
    top_logprobs: given('top_logprobs', isNumber) ?? 0,
    top_p: given('top_p', isNumber) ?? 1,
    truncation: given('truncation', isString) ?? 'disabled',
    previous_response_id,
    store,
  }
  const user = given('user', isString)
  if (user !== undefined) echo.user = user
  if (conversation !== undefined) echo.conversation = conversation
  return echo
}

/** The tier of an answer that does not say in which it was served. */
export function askedTier(request: JsonObject): string {
  const tier = own(request, 'service_tier')
  return isString(tier) && tier !== 'auto' ? tier : 'default'
}

/** The same as JSON, without the braces around it; `undefined` if it is nested too deep to be written. */
export function echoText(context: AnswerContext): string | undefined {
  const { cache: kept } = context
  const text = kept?.echo ?? jsonText(echoRequest(context))?.slice(1, -1)
  if (kept !== undefined && text !== undefined) kept.echo = text
  return text
}

/** The fields of a request about stored conversations and background mode. */
export function echoMemory(request: JsonObject): JsonObject {
  const previous = own(request, 'previous_response_id')
  const store = own(request, 'store')
  const memory = {
    background: own(request, 'background') === true,
    previous_response_id: isString(previous) ? previous : null,
    store: isBoolean(store) ? store : true,
  }
  const conversation = echoConversation(own(request, 'conversation'))
  return conversation === undefined ? memory : { ...memory, conversation }
}

const isString = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** The `text` of the request, with its default format. */
function echoFormat(asked: JsonObject = {}): JsonObject {
  const text: Record<string, unknown> = { format: { type: 'text' } }
  for (const key of Object.keys(asked)) {
    const value = asked[key]
    if (value !== null && value !== undefined) setOwn(text, key, value)
  }
  return text
}

/** An id or an object in the request; always an object in the answer. */
function echoConversation(conversation: unknown): JsonObject | undefined {
  const id = isObject(conversation) ? own(conversation, 'id') : conversation
  return typeof id === 'string' ? { id } : undefined
}

/** Both keys, or `null`. */
function echoReasoning(reasoning: JsonObject | undefined): JsonObject | null {
  if (reasoning === undefined || Object.keys(reasoning).length === 0) return null
  return { effort: null, summary: null, ...reasoning }
}

/**
 * A function is repeated with all five of its keys, in this wire's shape. Where the request left `strict` to the server,
 * the answer says what became of it.
 */
function echoTools(tools: readonly unknown[], sentTools: readonly Tool[]): unknown[] {
  let strict: ReadonlySet<string> | undefined
  const withStrict = (tool: unknown, namespace?: string): unknown => {
    if (!isObject(tool)) return tool
    const name = own(tool, 'name')
    const inner = own(tool, 'tools')
    if (own(tool, 'type') === 'namespace' && isList(inner))
      return { ...tool, tools: inner.map(one => withStrict(one, String(name))) }
    if (own(tool, 'type') !== 'function' || isBoolean(own(tool, 'strict'))) return tool
    strict ??= strictNames(sentTools)
    return { ...tool, strict: strict.has(keyOf(String(name), namespace)) }
  }
  return tools.map(tool => withStrict(echoTool(tool)))
}

/** The names, as the client declared them, of the functions that the upstream was sent as strict. */
function strictNames(sentTools: readonly Tool[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const tool of sentTools) {
    if (tool.kind !== 'function' || tool.strict !== true) continue
    const { name, namespace } = tool.origin ?? { name: tool.name }
    names.add(keyOf(name, namespace))
  }
  return names
}

function keyOf(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : `${namespace}\n${name}`
}

function echoTool(tool: unknown): unknown {
  const plain = echoPlainFunction(tool)
  if (plain !== undefined) return plain
  const silent = (): void => {}
  // Clients tell the tools of an answer apart by their types.
  const typed = isObject(tool) && own(tool, 'type') === undefined ? { type: 'function', ...tool } : tool
  const written = encodeTool(decodeTool(typed, [], silent), silent)
  if (!isObject(written) || own(written, 'type') !== 'function') return written
  return { description: null, parameters: null, strict: null, ...written }
}

const functionKeys: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict'])

/** Fast path for nearly every tool: a function in this wire's shape. */
function echoPlainFunction(tool: unknown): JsonObject | undefined {
  if (!isObject(tool) || own(tool, 'type') !== 'function') return undefined
  const name = own(tool, 'name')
  const description = own(tool, 'description') ?? null
  const parameters = own(tool, 'parameters') ?? null
  const strict = own(tool, 'strict') ?? null
  const isPlain =
    isString(name) &&
    name !== '' &&
    (description === null || isString(description)) &&
    (parameters === null || isObject(parameters)) &&
    (strict === null || isBoolean(strict)) &&
    Object.keys(tool).every(key => functionKeys.has(key))
  return isPlain ? { description, parameters, strict, type: 'function', name } : undefined
}
