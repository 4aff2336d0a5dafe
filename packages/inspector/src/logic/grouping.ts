/** Exchanges as rows of the list: flat, or by conversation, turn and step. */
import type { TraceSummary } from '../../../toolwire/src/telemetry/trace-document.ts'

export interface Group {
  readonly conversation: string
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
      readonly place?: { readonly turn: number; readonly step: number; readonly isLast: boolean }
    }

export const groupKey = (conversation: string): string => `group ${conversation}`

/** `summaries`: the newest first. */
export function flatRows(summaries: readonly TraceSummary[]): ListRow[] {
  return summaries.map(summary => ({ kind: 'exchange', key: summary.id, summary }))
}

/** A conversation stands where its newest exchange does; one with a single exchange is a plain row. */
export function groupedRows(summaries: readonly TraceSummary[], closed: ReadonlySet<string>): ListRow[] {
  const byConversation = new Map<string, TraceSummary[]>()
  for (const summary of summaries) {
    const key = summary.conversation ?? summary.id
    const list = byConversation.get(key)
    if (list === undefined) byConversation.set(key, [summary])
    else list.push(summary)
  }
  const rows: ListRow[] = []
  for (const [conversation, exchanges] of byConversation) {
    const [only] = exchanges
    if (only !== undefined && exchanges.length === 1) {
      rows.push({ kind: 'exchange', key: only.id, summary: only })
      continue
    }
    const isOpen = !closed.has(conversation)
    rows.push({
      kind: 'group',
      key: groupKey(conversation),
      group: groupOf(conversation, exchanges),
      isOpen,
    })
    if (isOpen) rows.push(...stepsOf(exchanges))
  }
  return rows
}

function stepsOf(newestFirst: readonly TraceSummary[]): ListRow[] {
  let turn = 0
  let step = 0
  const rows = newestFirst.toReversed().map((summary): ListRow => {
    const next = summary.turn ?? 1
    step = next === turn ? step + 1 : 1
    turn = next
    return {
      kind: 'exchange',
      key: summary.id,
      summary,
      place: { turn, step, isLast: summary === newestFirst.at(-1) },
    }
  })
  return rows.reverse()
}

function groupOf(conversation: string, exchanges: readonly TraceSummary[]): Group {
  const sum = (read: (summary: TraceSummary) => number | undefined): number =>
    exchanges.reduce((total, summary) => total + (read(summary) ?? 0), 0)
  const hasCost = exchanges.some(({ cost_usd }) => cost_usd !== undefined)
  return {
    conversation,
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
  // The next step of a turn repeats what the user said before the calls.
  const isStep = called.length > 0 && before?.prompt === summary.prompt && before?.turn === summary.turn
  if (summary.prompt && !isStep) return summary.prompt
  return called.length > 0 ? `result of ${called.join(', ')}` : (summary.target ?? summary.route)
}

/** The exchange before this one in the same conversation. */
export function previousOf(summary: TraceSummary, all: readonly TraceSummary[]): TraceSummary | undefined {
  let previous = known.get(all)
  if (previous === undefined) {
    previous = findPrevious(all)
    known.set(all, previous)
  }
  return previous.get(summary.id)
}

/** A list asks for many of its exchanges, again and again while it scrolls. */
const known = new WeakMap<readonly TraceSummary[], ReadonlyMap<string, TraceSummary>>()

function findPrevious(all: readonly TraceSummary[]): ReadonlyMap<string, TraceSummary> {
  const previous = new Map<string, TraceSummary>()
  const latest = new Map<string, TraceSummary>()
  const byTime = all.toReversed().sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
  for (const summary of byTime) {
    const { conversation, id } = summary
    if (conversation === undefined) continue
    const before = latest.get(conversation)
    if (before !== undefined) previous.set(id, before)
    latest.set(conversation, summary)
  }
  return previous
}
