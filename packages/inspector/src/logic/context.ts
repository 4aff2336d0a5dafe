/** What takes the model's window, and where the part that the provider can have cached ends. */
import type { Trace } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { type Path, valueAt } from './json-tree.ts'

export interface ContextPart {
  readonly path: Path
  readonly kind: string
  readonly label: string
  readonly tokens: number
}

export interface Share {
  readonly part: ContextPart
  readonly tokens: number
  readonly group: 'instructions' | 'tools' | 'messages' | 'overhead'
}

/** Whether no more than the beginning of a request was kept. */
export function isRequestCut({ views }: Pick<Trace, 'views'>, side: 'client' | 'upstream'): boolean {
  return views[`${side}-request`]?.parts.at(-1)?.cut === true
}

/** The parts with their tokens scaled to what the provider reported; of a request that was cut, with one for the rest. */
export function scaledParts(
  { parts, total }: { readonly parts: readonly ContextPart[]; readonly total: number },
  reported: number | undefined,
  isCut = false,
): ContextPart[] {
  if (isCut) {
    const rest = Math.max(0, (reported ?? 0) - total)
    return [...parts, { path: [], kind: 'overhead', label: 'what was not kept', tokens: rest }]
  }
  const scale = reported === undefined || reported === 0 || total === 0 ? 1 : reported / total
  return parts.map(part => ({ ...part, tokens: Math.round(part.tokens * scale) }))
}

export function sharesOf(parts: readonly ContextPart[]): Share[] {
  return parts.map(part => ({ part, tokens: part.tokens, group: groupOf(part) }))
}

function groupOf({ kind, label }: ContextPart): Share['group'] {
  if (kind === 'tool') return 'tools'
  if (kind === 'overhead') return 'overhead'
  return kind === 'instructions' || /^(system|developer)\b/.test(label) ? 'instructions' : 'messages'
}

interface InputCost {
  readonly input_cost_usd?: number | undefined
  readonly cached_cost_usd?: number | undefined
  readonly input_tokens?: number | undefined
  readonly cache_read_tokens?: number | undefined
}

/**
 * What each part cost, in the order in which providers read them: a cache holds the beginning, so the first tokens cost what
 * cached ones do, and the others the rest. `undefined` where no price is known.
 */
export function costsOf(
  shares: readonly Share[],
  {
    input_cost_usd: cost,
    cached_cost_usd: cachedCost,
    input_tokens,
    cache_read_tokens: cached = 0,
  }: InputCost,
): ReadonlyMap<Share, PartCost> | undefined {
  const total = input_tokens || shares.reduce((sum, { tokens }) => sum + tokens, 0)
  if (cost === undefined || total === 0) return undefined
  // Without the price of what was cached, all tokens cost the same.
  const cachedRate = cached === 0 || cachedCost === undefined ? cost / total : cachedCost / cached
  const freshRate =
    cachedCost === undefined || total <= cached ? cost / total : (cost - cachedCost) / (total - cached)
  const costs = new Map<Share, PartCost>()
  let left = cached
  for (const share of inPromptOrder(shares)) {
    const held = Math.min(left, share.tokens)
    left -= held
    costs.set(share, { usd: held * cachedRate + (share.tokens - held) * freshRate, cached: held })
  }
  return costs
}

export interface PartCost {
  readonly usd: number
  /** How many of its tokens a cache can have held. */
  readonly cached: number
}

function inPromptOrder(shares: readonly Share[]): Share[] {
  return shares
    .map((share, i) => ({ share, i }))
    .sort((a, b) => promptOrder[a.share.group] - promptOrder[b.share.group] || a.i - b.i)
    .map(({ share }) => share)
}

export interface PrefixBreak {
  /** Tokens of the beginning that both requests share. */
  readonly keptTokens: number
  readonly totalTokens: number
  /** Absent where the earlier request is the beginning of the later one. */
  readonly at?: {
    readonly label: string
    readonly path: Path
    readonly why: 'changed' | 'inserted' | 'removed' | 'moved'
    readonly before: string
    readonly after: string
  }
  /** Settings that make a provider start anew, whatever the prompt is. */
  readonly settings: readonly string[]
}

interface Segment {
  readonly part: ContextPart
  readonly json: string
  readonly value: unknown
}

interface Counted {
  readonly body: unknown
  readonly parts: readonly ContextPart[]
}

/** Providers read tools first, then instructions, then messages. */
const promptOrder: { readonly [group in Share['group']]: number } = {
  tools: 0,
  instructions: 1,
  messages: 2,
  overhead: 3,
}

export function prefixBreak(before: Counted, after: Counted): PrefixBreak {
  const [old, fresh] = [segmentsOf(before), segmentsOf(after)]
  const settings = decisive.filter(
    name => text(valueAt(before.body, [name])) !== text(valueAt(after.body, [name])),
  )
  const totalTokens = fresh.reduce((sum, { part }) => sum + part.tokens, 0)
  let same = 0
  while (same < fresh.length && same < old.length && old[same]?.json === fresh[same]?.json) same++
  const keptTokens = fresh.slice(0, same).reduce((sum, { part }) => sum + part.tokens, 0)
  const [was, is] = [old[same], fresh[same]]
  if (was === undefined) return { keptTokens, totalTokens, settings }
  return { keptTokens, totalTokens, settings, at: breakAt(was, is, old.slice(same), fresh.slice(same)) }
}

const decisive = ['model', 'tool_choice', 'thinking', 'reasoning']

function segmentsOf({ body, parts }: Counted): Segment[] {
  return parts
    .map((part, i) => ({ part, i, order: promptOrder[groupOf(part)] }))
    .filter(({ order, part }) => order < 3 && part.path.length > 0)
    .sort((a, b) => a.order - b.order || a.i - b.i)
    .map(({ part }) => {
      const value = valueAt(body, part.path)
      return { part, value, json: text(value) }
    })
}

/** Marks for caching move from request to request without changing the prompt. */
function text(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner)) ?? ''
}

function breakAt(
  was: Segment,
  is: Segment | undefined,
  oldRest: readonly Segment[],
  freshRest: readonly Segment[],
): NonNullable<PrefixBreak['at']> {
  const { label, path } = (is ?? was).part
  const common = { label, path, before: snippet(was.json), after: snippet(is?.json ?? '') }
  if (is === undefined) return { ...common, why: 'removed' }
  const keptLater = freshRest.some(({ json }) => json === was.json)
  const knownBefore = oldRest.some(({ json }) => json === is.json)
  if (keptLater && knownBefore) return { ...common, why: 'moved' }
  if (keptLater) return { ...common, why: 'inserted' }
  if (knownBefore) return { ...common, why: 'removed', label: was.part.label }
  const place = firstDifference(was.value, is.value)
  return {
    label,
    why: 'changed',
    path: [...path, ...place],
    ...around(valueText(valueAt(was.value, place)), valueText(valueAt(is.value, place))),
  }
}

/** The path of the first value that differs. */
export function firstDifference(a: unknown, b: unknown): Path {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return []
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const step = Array.isArray(a) ? Number(key) : key
    const [left, right] = [valueAt(a, [step]), valueAt(b, [step])]
    if (text(left) !== text(right)) return [step, ...firstDifference(left, right)]
  }
  return []
}

const shownAround = 60

/** The first place where two texts differ, with something around it. */
export function around(before: string, after: string): { readonly before: string; readonly after: string } {
  let at = 0
  while (at < before.length && at < after.length && before[at] === after[at]) at++
  const from = Math.max(0, at - shownAround / 2)
  const cut = (whole: string): string => `${from > 0 ? '…' : ''}${snippet(whole.slice(from))}`
  return { before: cut(before), after: cut(after) }
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : text(value)
}

function snippet(whole: string): string {
  return whole.length > 2 * shownAround ? `${whole.slice(0, 2 * shownAround)}…` : whole
}
