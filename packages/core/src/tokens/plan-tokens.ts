/**
 * The cap of an answer. It is the caller's, and passes through; only what the server's API cannot take is
 * raised to its minimum. A policy, off unless given, may ask for more room.
 */

import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import { createReport, type Diagnostic } from '../model/diagnostic.ts'
import type { ModelLimits } from '../presets/models.ts'
import type { Wire } from '../wires/registry.ts'
import { conversationOf } from '../wires/registry.ts'
import { outputLimitOf } from './model-limits.ts'

/** The wire, policy and limits for `planTokens`. */
export interface PlanOptions {
  readonly wire: Wire
  /** Without one, the cap passes through. */
  readonly policy?: TokenBudgetPolicy
  /** Largest outputs that come before the library's own figures. */
  readonly models?: ModelLimits
}

/** The output limit for a request, and the reasons for it. */
export interface TokenPlan {
  /** The cap to send; `undefined` when there is none. */
  readonly maxOutputTokens: number | undefined
  /** The field of the body that holds it. */
  readonly field: string
  readonly changed: boolean
  /** What each change was made for, in the order of the changes. */
  readonly reasons: string[]
  readonly diagnostics: Diagnostic[]
  /** The body with that cap; the same object when nothing changed. */
  readonly value: unknown
}

const known: KnownOptions<PlanOptions> = { wire: true, policy: true, models: true }

/** The output limit of a request by a policy. A limit that is not a finite number is not changed, and the server refuses it. */
export function planTokens(body: unknown, options: PlanOptions): TokenPlan {
  refuseUnknownOptions('planTokens', options, known)
  const { wire, policy, models } = options
  const codec = conversationOf(wire, 'wire')
  if (policy !== undefined) checkPolicy(policy)
  const { report, diagnostics } = createReport()
  const { limitField } = codec.framing
  if (!isObject(body)) {
    report('invalid_request', [], `A request body must be an object; this is ${show(body)}.`)
    const unread = { maxOutputTokens: undefined, field: limitField, changed: false, reasons: [] }
    return { ...unread, diagnostics, value: body }
  }
  const { settings, turns, tools, model } = codec.decodeRequest(body, () => undefined)
  const field = String(settings.maxOutputTokens?.path[0] ?? limitField)
  const given = settings.maxOutputTokens?.value
  const reasons: string[] = []
  const wanted = applyPolicy(Number.isFinite(given) ? given : undefined, policy ?? {}, {
    model,
    tools: (tools.tools ?? []).length + (tools.additionalTools ?? []).length,
    history: turns.filter(({ instructions }) => instructions !== true).length,
    limit: outputLimitOf(model, models),
    because: reason => reasons.push(reason),
  })
  const least = codec.profile.minOutputLimit
  const planned = wanted !== undefined && wanted < least ? least : wanted
  if (wanted !== planned) {
    const reason = `This API takes no cap below ${least}.`
    report('output_limit_raised', [field], reason)
    reasons.push(reason)
  }
  const changed = planned !== undefined && planned !== given
  return {
    maxOutputTokens: planned,
    field,
    changed,
    reasons: changed ? reasons : [],
    diagnostics,
    value: changed ? { ...body, [field]: planned } : body,
  }
}

/** How an output limit is computed from what a request contains. */
export interface TokenBudgetPolicy {
  /** The cap when the caller gave none; without it, no cap stays no cap. */
  readonly base?: number
  /** Never less than this. */
  readonly floor?: number
  readonly multiplier?: number
  /**
   * For requests with tools, the largest of: `floor`; the cap times `multiplier` and `multiplierPerTool` more for
   * each tool; the cap and `add` and `perTool` for each tool.
   */
  readonly withTools?: {
    readonly floor?: number
    readonly multiplier?: number
    readonly multiplierPerTool?: number
    readonly add?: number
    readonly perTool?: number
  }
  /** Models whose name holds the text get at least so many; the first that fits counts. */
  readonly modelFloors?: readonly (readonly [nameHolds: string, floor: number])[]
  /** For histories longer than `above`, so many more for each of their messages or items. */
  readonly history?: { readonly above: number; readonly perItem: number }
  /** Never more than the model's largest output, where that is known. */
  readonly modelCap?: boolean
}

/** `calculateToolTokens` and `calculateOptimalTokens` as policies. */
export const tokenPolicies: {
  readonly toolTokens: TokenBudgetPolicy
  readonly optimalTokens: TokenBudgetPolicy
} = {
  toolTokens: { withTools: { floor: 15000, multiplier: 2, add: 5000, perTool: 1000 } },
  optimalTokens: {
    base: 4000,
    withTools: { multiplier: 1.5, multiplierPerTool: 0.2 },
    modelFloors: [
      ['o4-mini', 20000],
      ['o3', 15000],
    ],
    history: { above: 5, perItem: 200 },
    modelCap: true,
  },
}

interface PolicyFacts {
  readonly model: string | undefined
  readonly tools: number
  readonly history: number
  readonly limit: number | undefined
  because(reason: string): void
}

function applyPolicy(
  given: number | undefined,
  policy: TokenBudgetPolicy,
  facts: PolicyFacts,
): number | undefined {
  const { base, floor, multiplier, modelFloors = [], history, modelCap } = policy
  const start = given ?? base
  if (start === undefined) return undefined
  let cap = start
  const change = (to: number, reason: string): void => {
    if (to !== cap) facts.because(reason)
    cap = to
  }
  if (given === undefined) facts.because(`The caller gave no cap; the policy begins with ${start}.`)
  if (multiplier !== undefined) change(times(cap, multiplier), `The cap is taken ${multiplier} times.`)
  if (facts.tools > 0) change(forTools(cap, policy.withTools, facts.tools), `Room for ${facts.tools} tools.`)
  const held = modelFloors.find(([part]) => facts.model?.includes(part) === true)
  if (held !== undefined)
    change(Math.max(cap, held[1]), `Models of the kind ${held[0]} get ${held[1]} or more.`)
  if (floor !== undefined) change(Math.max(cap, floor), `At least ${floor}.`)
  if (history !== undefined && facts.history > history.above)
    change(cap + history.perItem * facts.history, `A history of ${facts.history}.`)
  if (modelCap === true && facts.limit !== undefined)
    change(Math.min(cap, facts.limit), `The model gives at most ${facts.limit}.`)
  return cap
}

function forTools(cap: number, rule: TokenBudgetPolicy['withTools'], tools: number): number {
  if (rule === undefined) return cap
  const { floor = 0, multiplier = 1, multiplierPerTool = 0, add = 0, perTool = 0 } = rule
  return Math.max(floor, times(cap, multiplier + multiplierPerTool * tools), cap + add + perTool * tools)
}

/** Whole tokens. Twelve digits: as a binary fraction 100 × 2.3 is less than 230. */
function times(cap: number, factor: number): number {
  return Math.floor(Number((cap * factor).toPrecision(12)))
}

/** A policy is code, so a wrong one is thrown at once. */
function checkPolicy(policy: TokenBudgetPolicy): void {
  const { base, floor, multiplier, withTools = {}, history, modelFloors = [] } = policy
  const figures: readonly (readonly [name: string, value: unknown])[] = [
    ['base', base],
    ['floor', floor],
    ['multiplier', multiplier],
    ...Object.entries(withTools).map(([key, value]) => [`withTools.${key}`, value] as const),
    ...Object.entries(history ?? {}).map(([key, value]) => [`history.${key}`, value] as const),
    ...modelFloors.map(([name, value]) => [`modelFloors ${show(name)}`, value] as const),
  ]
  for (const [name, value] of figures) {
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= 0)) continue
    throw new TypeError(`"policy.${name}" must be a number of 0 or more; got ${show(value)}.`)
  }
}
