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

/**
 * The first call of each answer that has calls and no sealed reasoning. A request that says that nothing may be stored
 * has none to be found.
 */
export function callsWithoutReasoning({ turns, settings }: Request): SentCall[] {
  if (settings.store?.value === false) return []
  const calls: SentCall[] = []
  for (const answer of answersIn(turns)) {
    const call = callWithoutReasoning(answer)
    if (call !== undefined) calls.push(call)
  }
  return calls
}

/** Turns of the assistant that follow one another are one answer: on some wires, each item of it is a turn. */
function* answersIn(turns: readonly Turn[]): Generator<readonly Turn[]> {
  let answer: Turn[] = []
  for (const turn of turns) {
    if (turn.role === 'assistant') answer.push(turn)
    else if (answer.length > 0) {
      yield answer
      answer = []
    }
  }
  if (answer.length > 0) yield answer
}

function callWithoutReasoning(answer: readonly Turn[]): SentCall | undefined {
  let first: SentCall | undefined
  for (const { parts } of answer) {
    for (const part of parts) {
      // What is sealed otherwise did not come from here, so nothing of it is kept.
      if (part.kind === 'reasoning' && part.seal !== undefined) return undefined
      if (part.kind === 'call') first ??= sentCall(part)
    }
  }
  return first
}

/** Puts kept reasoning in front of its answer. What the client still has of it may be a part, or altered. */
export function restoreKeptReasoning(request: Request, find: FindKeptReasoning, wire: string): Request {
  const restored = new Map<Turn, readonly Turn[]>()
  for (const answer of answersIn(request.turns)) {
    const call = callWithoutReasoning(answer)
    const sealed = call === undefined ? undefined : find(call)
    if (sealed !== undefined) restore(answer, sealed, wire, restored)
  }
  const turns = mapShared(request.turns, turn => restored.get(turn) ?? turn)
  return turns === request.turns ? request : { ...request, turns }
}

/** Notes for each turn of the answer what takes its place. */
function restore(
  answer: readonly Turn[],
  sealed: readonly string[],
  wire: string,
  restored: Map<Turn, readonly Turn[]>,
): void {
  const [first, ...others] = answer
  if (first === undefined) return
  const shown = answer.flatMap(({ parts }) => parts.filter(isReasoning))
  const parts = restoredParts(first, shown, sealed, wire)
  const rest = withoutReasoning(first)
  if (others.length === 0) {
    restored.set(first, [{ ...first, parts: [...parts, ...rest.parts] }])
    return
  }
  // Each turn stays what it is, with what only its wire can say of it.
  const { root, origin } = first
  const own = { role: first.role, root, ...(origin !== undefined && { origin }) }
  const before = parts.map<Turn>(part => ({ ...own, parts: [part] }))
  restored.set(first, rest.parts.length === 0 ? before : [...before, rest])
  for (const turn of others) {
    const left = withoutReasoning(turn)
    if (left !== turn) restored.set(turn, left.parts.length === 0 ? [] : [left])
  }
}

function isReasoning(part: Part): part is ReasoningPart {
  return part.kind === 'reasoning'
}

function withoutReasoning(turn: Turn): Turn {
  return turn.parts.some(isReasoning)
    ? { ...turn, parts: turn.parts.filter(part => !isReasoning(part)) }
    : turn
}

function restoredParts(
  { root: path }: Turn,
  shown: readonly ReasoningPart[],
  sealed: readonly string[],
  wire: string,
): ReasoningPart[] {
  return sealed.map((value, i) => ({
    kind: 'reasoning',
    summary: [],
    // Should it not be the target's, what the client can read of it stays.
    text: i === 0 ? shown.flatMap(({ text, summary }) => (text.length > 0 ? text : summary)) : [],
    path,
    seal: { wire, value },
  }))
}
