/** What stays of a conversation beside its summary. */

import { own } from '../../json/object.ts'
import type { Part, Turn } from '../../model/conversation.ts'
import { partSize } from '../adapt/input-size.ts'

export interface Window {
  /** Before the summary: instructions, and what a client kept that has made room itself. */
  readonly before: readonly Turn[]
  /** After it: the last turns. */
  readonly last: readonly Turn[]
  /** What the summary stands for. */
  readonly gone: readonly Turn[]
}

/**
 * A client that sends only messages of its own before the summary has chosen what stays. Of any other conversation the
 * last turns stay, at least from the last place where it can be cut, and as many as `tail` characters hold.
 */
export function windowOf(turns: readonly Turn[], tail: number): Window {
  if (turns.every(isSaid)) return { before: turns, last: [], gone: [] }
  const from = startOfTail(turns, tail)
  const head = turns.slice(0, from)
  return {
    before: head.filter(isInstruction),
    last: turns.slice(from),
    gone: head.filter(turn => !isInstruction(turn)),
  }
}

export function isInstruction({ role }: Turn): boolean {
  return role === 'system' || role === 'developer'
}

/** A message of the client that holds no results. */
function isSaid(turn: Turn): boolean {
  return isInstruction(turn) || (turn.role === 'user' && !turn.parts.some(isResult))
}

function startOfTail(turns: readonly Turn[], tail: number): number {
  const cuts = placesToCut(turns)
  let length = 0
  let start = turns.length
  for (let i = turns.length - 1; i >= 0; i--) {
    length += lengthOf(turns[i] as Turn)
    if (length > tail && start < turns.length) return start
    if (cuts.has(i)) start = i
  }
  return start === turns.length ? 0 : start
}

/** Where no call is parted from its result, and no reasoning from what follows from it. */
function placesToCut(turns: readonly Turn[]): ReadonlySet<number> {
  const cuts = new Set<number>()
  const open = new Set<string>()
  let unnamed = 0
  turns.forEach((turn, i) => {
    const before = turns[i - 1]
    const goesOn = turn.role === 'assistant' && before?.role === 'assistant'
    if (open.size === 0 && unnamed === 0 && !goesOn && !turn.parts.some(isResult)) cuts.add(i)
    for (const part of turn.parts) {
      if (part.kind === 'call' && part.id !== undefined) open.add(part.id)
      else if (part.kind === 'call') unnamed++
      else if (part.kind === 'result' && part.callId !== undefined) open.delete(part.callId)
      else if (part.kind === 'result') unnamed = Math.max(0, unnamed - 1)
      else if (part.kind === 'hosted') toggle(open, own(part.value, 'call_id'))
    }
  })
  return cuts
}

/** The item of a hosted call and that of its result share an id. */
function toggle(open: Set<string>, id: unknown): void {
  if (typeof id === 'string' && !open.delete(id)) open.add(id)
}

/** Items for calls that are not paired by the model of the conversation count as results: they follow something. */
function isResult(part: Part): boolean {
  return part.kind === 'result' || part.kind === 'hosted'
}

function lengthOf({ parts }: Turn): number {
  let length = 0
  for (const part of parts) length += partSize(part)
  return length
}
