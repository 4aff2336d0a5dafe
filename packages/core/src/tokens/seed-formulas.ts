/**
 * The two formulas of the document on tool handling, under their own names. They raise the caller's cap, so
 * nothing here applies them by itself: `planTokens` passes a cap through unless a policy asks for more.
 */
import { refuseUnknownOptions } from '../json/known-options.ts'
import { isObject, type JsonObject, own } from '../json/object.ts'
import type { ModelLimits } from '../presets/models.ts'
import { outputLimitOf } from './model-limits.ts'

/**
 * Room for thinking about tools: without tools `baseTokens`; with them at least 15000, twice the base, and
 * 1000 for each tool beside 5000 for the thought. What is not a list counts as no tools, and a base that is
 * not a positive finite number as 0.
 */
export function calculateToolTokens(
  tools: readonly unknown[] | null | undefined,
  baseTokens: number,
): number {
  const base = positive(baseTokens) ?? 0
  const count = Array.isArray(tools) ? tools.length : 0
  return count === 0 ? base : Math.max(15000, base * 2, base + 1000 * count + 5000)
}

/** The parts of a Chat request that an optimal token limit depends on. */
export interface OptimalTokensRequest {
  readonly model?: string
  readonly max_tokens?: number | null
  readonly messages?: readonly unknown[]
  readonly tools?: readonly unknown[] | null
}

/**
 * `max_tokens`, or 4000 where there is none, raised for tools, for two kinds of models that reason at length
 * and for a long history, and held to the model's largest output where that is known (`options.models` comes
 * before the library's own figures). A `max_tokens` that is not a positive finite number counts as absent.
 */
export function calculateOptimalTokens(
  request: OptimalTokensRequest,
  options: { readonly models?: ModelLimits } = {},
): number {
  refuseUnknownOptions('calculateOptimalTokens', options, { models: true })
  const body: JsonObject = isObject(request) ? request : {}
  const model = own(body, 'model')
  const given = positive(own(body, 'max_tokens')) ?? 4000
  const withTools = raiseForTools(given, lengthOf(own(body, 'tools')))
  const history = lengthOf(own(body, 'messages'))
  const wanted = Math.max(withTools, floorOf(model)) + (history > 5 ? history * 200 : 0)
  return Math.min(wanted, outputLimitOf(model, options.models) ?? Number.POSITIVE_INFINITY)
}

/** Times 1.5 and 0.2 more for each tool, in tenths: as a binary fraction 100 × 2.3 is less than 230. */
function raiseForTools(tokens: number, tools: number): number {
  return tools === 0 ? tokens : Math.floor((tokens * (15 + 2 * tools)) / 10)
}

function floorOf(model: unknown): number {
  if (typeof model !== 'string') return 0
  return model.includes('o4-mini') ? 20000 : model.includes('o3') ? 15000 : 0
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : undefined
}
