/**
 * The whole conversation of a request that continues an earlier answer without repeating what was said until then. It is
 * read from the traces of the exchanges before; where these are gone, from what the upstream was sent, which has what the
 * gateway took from its store.
 */
import { isObject } from '@toolwire/core/json'
import { previousIn } from '../telemetry/traces/conversation-facts.ts'
import { parseBeginning } from '../telemetry/traces/json-beginning.ts'
import type { Trace } from '../telemetry/traces/trace-document.ts'
import { keptText } from './fold-stream.ts'
import {
  type Conversation,
  lastOf,
  readConversation,
  readRequest,
  type Said,
  type WireFinder,
} from './said.ts'

/** By the id of its answer; `undefined` where there is none that the reader may see. */
export type FindTrace = (answerId: string) => Promise<Trace | undefined> | Trace | undefined

/** Longer chains are read from here on. */
const mostBefore = 50

/** The exchanges before one, oldest first, and the id of the answer before them where it was not found. */
export interface Before {
  readonly chain: readonly Trace[]
  readonly missing: string | undefined
}

export async function findBefore(trace: Trace, find: FindTrace): Promise<Before> {
  const chain: Trace[] = []
  let missing = continuedIn(trace).previous
  while (missing !== undefined && chain.length < mostBefore) {
    const found = await find(missing)
    // An id that leads back to where it came from leads nowhere.
    if (found === undefined || found.summary.id === trace.summary.id || chain.includes(found)) break
    chain.unshift(found)
    missing = continuedIn(found).previous
  }
  return { chain, missing }
}

export function readWholeConversation(
  trace: Trace,
  wires: WireFinder,
  { chain, missing }: Before,
): Conversation {
  const conversation = readConversation(trace, wires)
  if (!continuedIn(trace).isContinued) return conversation
  const [oldest] = chain
  const isWhole = oldest !== undefined && !continuedIn(oldest).isContinued
  const sent = isWhole ? [] : sentBefore(trace, wires, conversation.history)
  const told = chain.flatMap(each => {
    const { history, answer } = readConversation(each, wires)
    return [...history, ...answer]
  })
  const before = sent.length > told.length ? sent : told
  return {
    ...conversation,
    ...(before.length > 0 && { before: withoutRepeated(before, conversation.history) }),
    ...(before === told && !isWhole && missing !== undefined && { missing }),
  }
}

function continuedIn(trace: Trace): { readonly previous: string | undefined; readonly isContinued: boolean } {
  const part = lastOf(trace, 'client-request')
  const body = part === undefined ? undefined : parseBeginning(keptText(part))
  if (!isObject(body)) return { previous: undefined, isContinued: false }
  const previous = previousIn(body)
  const { conversation } = body
  return {
    previous,
    isContinued: previous !== undefined || (conversation !== undefined && conversation !== null),
  }
}

/** What the first request to the upstream has before the client's own words. */
function sentBefore(trace: Trace, wires: WireFinder, own: readonly Said[]): Said[] {
  const codec = wires.find(trace.summary.upstream_wire ?? '')?.conversation
  const said = readRequest(trace.views['upstream-request']?.parts[0], codec)?.history ?? []
  const isSpoken = ({ who }: Said): boolean => who !== 'system'
  const all = said.filter(isSpoken)
  return all.slice(0, Math.max(0, all.length - own.filter(isSpoken).length))
}

/** Instructions come with every request; they are told once. */
function withoutRepeated(before: readonly Said[], own: readonly Said[]): Said[] {
  const known = new Set(own.filter(({ who }) => who === 'system').map(({ text }) => text))
  return before.filter(({ who, text }) => {
    if (who !== 'system') return true
    const isNew = !known.has(text)
    known.add(text)
    return isNew
  })
}
