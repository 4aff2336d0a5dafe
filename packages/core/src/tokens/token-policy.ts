/** Policies that give an answer more room than its caller asked for, and the seed formulas as two of them. */
import { show } from '../json/text.ts'

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

export interface PolicyFacts {
  readonly model: string | undefined
  readonly tools: number
  readonly history: number
  readonly limit: number | undefined
  because(reason: string): void
}

export function applyPolicy(
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
export function checkPolicy(policy: TokenBudgetPolicy): void {
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
