/**
 * Reasoning that is kept for clients that return none. It is found again by the first call of the answer that it came
 * with, because calls are what every client sends back.
 */

import type { CallPart, Part, ReasoningPart, Turn } from '../../model/conversation.ts'
import type { Request } from '../../model/request.ts'
import { envelopeOf } from './sealed-reasoning.ts'
import { mapShared } from './shared-lists.ts'

/** A call as the client was sent it. */
export interface SentCall {
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** Arguments or free text. */
  readonly input: string
}

/** Sealed reasoning, and the call it led to. */
export interface KeptReasoning {
  /** The first call of the answer. */
  readonly call: SentCall
  /** The sealed reasoning of the answer, in order. */
  readonly sealed: readonly string[]
}

/** Finds the sealed reasoning that belongs to a call that a client sends without it. */
export type FindKeptReasoning = (call: SentCall) => readonly string[] | undefined

/** Collects what is to be kept of one answer. */
export class ReasoningKeeper {
  #call: SentCall | undefined
  #sealed: string[] = []

  /** `undefined` without calls, or without reasoning that the upstream would miss. */
  get kept(): KeptReasoning | undefined {
    const [call, sealed] = [this.#call, this.#sealed]
    return call === undefined || sealed.length === 0 ? undefined : { call, sealed }
  }

  note(part: Part): void {
    if (part.kind === 'call') this.#call ??= sentCall(part)
    const envelope = part.kind === 'reasoning' ? envelopeOf(part) : undefined
    if (envelope !== undefined) this.#sealed.push(envelope)
  }

  reset(): void {
    this.#call = undefined
    this.#sealed = []
  }
}

export function keptReasoningOf(turns: readonly Turn[]): KeptReasoning | undefined {
  const keeper = new ReasoningKeeper()
  for (const { parts } of turns) for (const part of parts) keeper.note(part)
  return keeper.kept
}

function sentCall({ id, name, namespace, input }: CallPart): SentCall | undefined {
  if (id === undefined) return undefined
  return namespace === undefined ? { id, name, input } : { id, name, namespace, input }
}

/** The first call of each turn that has calls and no sealed reasoning. */
export function callsWithoutReasoning({ turns }: Request): SentCall[] {
  const calls: SentCall[] = []
  for (const turn of turns) {
    const call = callWithoutReasoning(turn)
    if (call !== undefined) calls.push(call)
  }
  return calls
}

function callWithoutReasoning({ role, parts }: Turn): SentCall | undefined {
  if (role !== 'assistant') return undefined
  let first: SentCall | undefined
  for (const part of parts) {
    if (part.kind === 'reasoning' && envelopeOf(part) !== undefined) return undefined
    if (part.kind === 'call') first ??= sentCall(part)
  }
  return first
}

/** Puts kept reasoning in front of its calls. What the client still has of it may be a part, or altered. */
export function restoreKeptReasoning(request: Request, find: FindKeptReasoning, wire: string): Request {
  const turns = mapShared(request.turns, turn => {
    const call = callWithoutReasoning(turn)
    const sealed = call === undefined ? undefined : find(call)
    return sealed === undefined ? turn : { ...turn, parts: withReasoning(turn, sealed, wire) }
  })
  return turns === request.turns ? request : { ...request, turns }
}

function withReasoning({ parts, root: path }: Turn, sealed: readonly string[], wire: string): Part[] {
  const shown = parts.filter((part): part is ReasoningPart => part.kind === 'reasoning')
  const restored = sealed.map<Part>((value, i) => ({
    kind: 'reasoning',
    summary: [],
    // Should it not be the target's, what the client can read of it stays.
    text: i === 0 ? shown.flatMap(({ text, summary }) => (text.length > 0 ? text : summary)) : [],
    path,
    seal: { wire, value },
  }))
  return [...restored, ...parts.filter(part => part.kind !== 'reasoning')]
}
