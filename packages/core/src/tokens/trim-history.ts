/**
 * Leaves out the oldest of a conversation until the request fits. What is left is a conversation that servers
 * take: whole pairs of calls and results, a user's message first, and all system messages.
 */

import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import { isObject, type JsonObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Turn } from '../model/conversation.ts'
import { createReport, type Diagnostic, type Path } from '../model/diagnostic.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { conversationOf } from '../wires/registry.ts'
import { countRequest } from './count-request.ts'
import { type CountOptions, countOptionNames, type TokenPart } from './count-result.ts'
import { type Block, type HistoryEntry, readEntry, splitHistory, sweepOrphans } from './history-blocks.ts'

/** To how many tokens a history is trimmed, and what must stay. */
export interface TrimOptions extends CountOptions {
  /** How many tokens the request may have. */
  readonly maxTokens: number
  /** What to keep besides the newest; calls and results that belong to it are kept with it. */
  readonly keep?: (entry: { readonly path: Path; readonly value: unknown }) => boolean
}

/** A request whose history was trimmed, and what was removed. */
export interface TrimmedHistory {
  /** The body; the same object when nothing was removed. */
  readonly value: unknown
  /** The paths of the removed entries in the given body, in order. */
  readonly removed: (string | number)[][]
  /** What the request has now, counted as `countRequest` does. */
  readonly tokens: number
  /** `false`: what must stay is more than `maxTokens`. */
  readonly fits: boolean
  /** What was done, or why it was not enough; absent when nothing had to be done. */
  readonly reason?: string
  readonly diagnostics: Diagnostic[]
}

const known: KnownOptions<TrimOptions> = { ...countOptionNames, maxTokens: true, keep: true }

/** Removes the oldest turns until a request fits, without parting a call from its result. */
export function trimHistory(body: unknown, options: TrimOptions): TrimmedHistory {
  refuseUnknownOptions('trimHistory', options, known)
  const { maxTokens } = options
  if (typeof maxTokens !== 'number' || !(maxTokens >= 0))
    throw new TypeError(`"maxTokens" must be a number of 0 or more; got ${show(maxTokens)}.`)
  const { total, diagnostics: found } = countRequest(body, countingOf(options))
  if (total <= maxTokens) return { value: body, removed: [], tokens: total, fits: true, diagnostics: found }
  const { listField } = codecOf(options).framing
  const list = isObject(body) ? own(body, listField) : undefined
  if (!isObject(body) || !Array.isArray(list)) {
    const reason = `The request has ${total} tokens, and "${listField}" is not a list that could be shortened.`
    return { value: body, removed: [], tokens: total, fits: false, reason, diagnostics: found }
  }
  const { report, diagnostics } = createReport()
  const swept = sweepOrphans(body, list, historyOf(body, options), codecOf(options).habits, report)
  const sound = swept.removed.length === 0 ? body : { ...body, [listField]: swept.list }
  const dropped = chooseDropped(sound, swept.list, options)
  const removed = [...swept.removed, ...[...dropped].map(i => [listField, swept.origin[i] ?? i])]
  const value =
    removed.length === 0 ? body : { ...sound, [listField]: swept.list.filter((_, i) => !dropped.has(i)) }
  const tokens = countRequest(value, countingOf(options)).total
  const fits = tokens <= maxTokens
  return {
    value,
    removed: removed.map(path => [...path]).sort(inOrder),
    tokens,
    fits,
    reason: fits
      ? `${removed.length} of ${list.length} removed: ${total} tokens were more than ${maxTokens}.`
      : `What must stay, the system messages, the tools and the newest turn, has ${tokens} tokens; ${maxTokens} are allowed.`,
    diagnostics: [...found, ...diagnostics],
  }
}

function inOrder(a: Path, b: Path): number {
  return Number(a[1]) - Number(b[1]) || Number(a[3] ?? 0) - Number(b[3] ?? 0)
}

function countingOf({ maxTokens: _, keep: __, ...counting }: TrimOptions): CountOptions {
  return counting
}

function codecOf({ wire }: TrimOptions): WireConversation {
  return conversationOf(wire, 'wire')
}

function historyOf(body: JsonObject, options: TrimOptions): Turn[] {
  const { decodeRequest, framing } = codecOf(options)
  const { turns } = decodeRequest(body, () => undefined)
  return turns.filter(({ root }) => root[0] === framing.listField && typeof root[1] === 'number')
}

/** The indexes of the entries to remove: as few as possible, and never the newest block. */
function chooseDropped(
  body: JsonObject,
  list: readonly unknown[],
  options: TrimOptions,
): ReadonlySet<number> {
  const { total, parts } = countRequest(body, countingOf(options))
  const blocks = splitHistory(entriesOf(body, parts, options))
  const wanted = blocks.map(block => isWanted(block, list, options))
  const openers = nearestOpeners(blocks)
  const loose = blocks.reduce((sum, { tokens }) => sum + tokens, 0)
  /** Tokens that stay at any cut: everything outside the blocks, and the wanted blocks before the cut. */
  let wantedTokens = total - loose
  let newer = loose
  let first: number | undefined
  let cut = 0
  for (; cut < blocks.length - 1; cut++) {
    const opener = openers[first ?? cut]
    if (
      wantedTokens + newer + (opener === undefined ? 0 : (blocks[opener]?.tokens ?? 0)) <=
      options.maxTokens
    )
      break
    const tokens = blocks[cut]?.tokens ?? 0
    newer -= tokens
    if (wanted[cut] !== true) continue
    wantedTokens += tokens
    first ??= cut
  }
  const opener = openers[first ?? cut]
  const gone = blocks.filter((_, i) => i < cut && wanted[i] !== true && i !== opener)
  return new Set(gone.flatMap(({ entries }) => entries.map(({ index }) => index)))
}

function entriesOf(body: JsonObject, parts: readonly TokenPart[], options: TrimOptions): HistoryEntry[] {
  const { listField } = codecOf(options).framing
  const tokensAt = new Map(
    parts.filter(({ path }) => path[0] === listField).map(part => [part.path[1], part.tokens]),
  )
  return historyOf(body, options).map(turn => {
    const index = Number(turn.root[1])
    return readEntry(turn, index, tokensAt.get(index) ?? 0)
  })
}

function isWanted({ entries }: Block, list: readonly unknown[], options: TrimOptions): boolean {
  const { keep } = options
  if (keep === undefined) return false
  const { listField } = codecOf(options).framing
  return entries.some(({ index }) => keep({ path: [listField, index], value: list[index] }))
}

/**
 * For each block that a user does not open, the nearest one before it that a user does: a conversation cut
 * there still begins with what it is about. Without one before it, the conversation began like that already.
 */
function nearestOpeners(blocks: readonly Block[]): (number | undefined)[] {
  let last: number | undefined
  return blocks.map(({ opens }, i) => {
    if (opens) last = i
    return opens ? undefined : last
  })
}
