/** Exchanges as rows of the list: flat, or by conversation, turn and step. */
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'

export interface Group {
  readonly conversation: string
  /** What the user said first. */
  readonly title: string
  readonly exchanges: readonly TraceSummary[]
  readonly turns: number
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly cost: number | undefined
  readonly losses: number
  readonly failures: number
}

export type ListRow =
  | { readonly kind: 'group'; readonly key: string; readonly group: Group; readonly isOpen: boolean }
  | {
      readonly kind: 'exchange'
      readonly key: string
      readonly summary: TraceSummary
      /** Set within a group. */
      readonly place?: Place
    }

/** Where an exchange stands in its conversation, from 1. */
export interface Place {
  readonly turn: number
  readonly step: number
  /** Of several histories in one conversation, such as those of an agent and its helpers; the longest has none. */
  readonly branch?: string
}

export const groupKey = (conversation: string): string => `group ${conversation}`

/** `summaries`: the newest first. */
export function flatRows(summaries: readonly TraceSummary[]): ListRow[] {
  return summaries.map(summary => ({ kind: 'exchange', key: summary.id, summary }))
}

/**
 * A conversation stands where its newest exchange does; one with a single exchange is a plain row. `all`: with those that a
 * filter leaves out, which have their turns and steps too.
 */
export function groupedRows(
  summaries: readonly TraceSummary[],
  closed: ReadonlySet<string>,
  all: readonly TraceSummary[] = summaries,
): ListRow[] {
  const places = placesOf(all)
  const rows: ListRow[] = []
  for (const [conversation, exchanges] of byConversation(summaries)) {
    const [only] = exchanges
    if (only !== undefined && exchanges.length === 1) {
      rows.push({ kind: 'exchange', key: only.id, summary: only })
      continue
    }
    const isOpen = !closed.has(conversation)
    const group = groupOf(conversation, exchanges, places)
    rows.push({ kind: 'group', key: groupKey(conversation), group, isOpen })
    if (!isOpen) continue
    for (const summary of exchanges) {
      const place = places.get(summary.id)
      rows.push({ kind: 'exchange', key: summary.id, summary, ...(place !== undefined && { place }) })
    }
  }
  return rows
}

function byConversation(summaries: readonly TraceSummary[]): ReadonlyMap<string, TraceSummary[]> {
  const found = new Map<string, TraceSummary[]>()
  for (const summary of summaries) {
    const key = summary.conversation ?? summary.id
    const list = found.get(key)
    if (list === undefined) found.set(key, [summary])
    else list.push(summary)
  }
  return found
}

type Places = ReadonlyMap<string, Place>

function placesOf(all: readonly TraceSummary[]): Places {
  const places = new Map<string, Place>()
  for (const exchanges of byConversation(all).values()) {
    const branches = branchesOf(exchanges)
    const steps = new Map<string, number>()
    for (const { id, turn = 1 } of exchanges.toReversed()) {
      const branch = branches.get(id)
      const step = (steps.get(`${branch} ${turn}`) ?? 0) + 1
      steps.set(`${branch} ${turn}`, step)
      places.set(id, { turn, step, ...(branch !== undefined && { branch }) })
    }
  }
  return places
}

/** The letters of those that do not go on from the longest history. */
function branchesOf(newestFirst: readonly TraceSummary[]): ReadonlyMap<string, string> {
  const roots = new Map<string, string>()
  const sizes = new Map<string, number>()
  for (const { id, follows = '' } of newestFirst.toReversed()) {
    const root = roots.get(follows) ?? id
    roots.set(id, root)
    sizes.set(root, (sizes.get(root) ?? 0) + 1)
  }
  // Where nothing is known of what goes on from what, all of it is one history.
  if (sizes.size === roots.size) return new Map()
  const [main] = [...sizes].reduce((most, each) => (each[1] > most[1] ? each : most))
  const others = [...sizes.keys()].filter(root => root !== main)
  const letter = new Map(others.map((root, i) => [root, letters[i % letters.length] ?? '']))
  return new Map([...roots].flatMap(([id, root]) => (root === main ? [] : [[id, letter.get(root) ?? '']])))
}

const letters = 'bcdefghijklmnopqrstuvwxyz'

function groupOf(conversation: string, exchanges: readonly TraceSummary[], places: Places): Group {
  const sum = (read: (summary: TraceSummary) => number | undefined): number =>
    exchanges.reduce((total, summary) => total + (read(summary) ?? 0), 0)
  const hasCost = exchanges.some(({ cost_usd }) => cost_usd !== undefined)
  const asked = exchanges.filter(({ prompt }) => prompt !== undefined)
  const first = asked.findLast(({ id }) => places.get(id)?.branch === undefined) ?? asked.at(-1)
  return {
    conversation,
    title: first?.prompt ?? conversation,
    exchanges,
    turns: new Set(exchanges.map(({ turn }) => turn ?? 1)).size,
    input: sum(({ input_tokens }) => input_tokens),
    output: sum(({ output_tokens }) => output_tokens),
    cached: sum(({ cache_read_tokens }) => cache_read_tokens),
    cost: hasCost ? sum(({ cost_usd }) => cost_usd) : undefined,
    losses: sum(({ losses }) => losses),
    failures: exchanges.filter(isFailed).length,
  }
}

export function isFailed({ status = 0, failure, abandoned }: TraceSummary): boolean {
  return !abandoned && (status >= 400 || failure !== undefined)
}

/** Puts what is new into a list whose newest come first. */
export function mergeSummaries(
  known: readonly TraceSummary[],
  news: readonly TraceSummary[],
  most: number,
): readonly TraceSummary[] {
  if (news.length === 0) return known
  const fresh = new Map(news.map(summary => [summary.id, summary]))
  const kept = known.map(summary => {
    const newer = fresh.get(summary.id)
    fresh.delete(summary.id)
    return newer ?? summary
  })
  const added = [...fresh.values()].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0))
  return [...added, ...kept].slice(0, most)
}

/** What an exchange is called in the list: what the user said, else whose results it brings. */
export function titleOf(summary: TraceSummary, all: readonly TraceSummary[]): string {
  const before = previousOf(summary, all)
  const called = before === undefined || before.client_calls === 0 ? [] : (before.tools ?? [])
  // The next step of a turn repeats what the user said before the calls; one that goes on from nothing is the question again.
  const isStep =
    called.length > 0 &&
    summary.follows === before?.id &&
    before?.prompt === summary.prompt &&
    before?.turn === summary.turn
  if (summary.prompt && !isStep) return summary.prompt
  if (called.length > 0) return `result of ${called.join(', ')}`
  // What goes on in the background has the words of the request that began it.
  const words = summary.follows === before?.id ? before?.prompt : undefined
  return words ?? summary.target ?? summary.route
}

/** The exchange that this one goes on from, else the last one before it in its conversation that asked the same model. */
export function previousOf(summary: TraceSummary, all: readonly TraceSummary[]): TraceSummary | undefined {
  let previous = known.get(all)
  if (previous === undefined) {
    previous = findPrevious(all)
    known.set(all, previous)
  }
  return previous.get(summary.id)
}

const longestChain = 200

/** The exchange, the one that it goes on from, and so on. */
export function chainOf(summary: TraceSummary, all: readonly TraceSummary[]): TraceSummary[] {
  const chain: TraceSummary[] = []
  for (let each: TraceSummary | undefined = summary; each && chain.length < longestChain; ) {
    chain.push(each)
    each = previousOf(each, all)
  }
  return chain
}

/** A list asks for many of its exchanges, again and again while it scrolls. */
const known = new WeakMap<readonly TraceSummary[], ReadonlyMap<string, TraceSummary>>()

function findPrevious(all: readonly TraceSummary[]): ReadonlyMap<string, TraceSummary> {
  const previous = new Map<string, TraceSummary>()
  const byId = new Map<string, TraceSummary>()
  const latest = new Map<string, TraceSummary>()
  const byTime = all.toReversed().sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
  for (const summary of byTime) {
    const { conversation, follows = '', id, model } = summary
    byId.set(id, summary)
    const before = byId.get(follows) ?? latest.get(`${conversation} ${model}`)
    if (before !== undefined) previous.set(id, before)
    if (conversation !== undefined) latest.set(`${conversation} ${model}`, summary)
  }
  return previous
}
