/** A whole answer, parted: what the client is told, what the upstream's history will hold, and what is run here. */
import type { Answer } from '../../model/answer.ts'
import type { CallPart, Part, Turn } from '../../model/conversation.ts'
import { flatMapShared, mapShared, withParts } from '../adapt/shared-lists.ts'
import type { CallTracker, RoutedPart } from './call-tracker.ts'
import { expandParallelWrapper, isParallelWrapper, mayBeWrapper } from './parallel-wrapper.ts'
import type { Restorer } from './restore-call-part.ts'
import { restoreCallPart } from './restore-call-part.ts'

export interface PartitionedAnswer {
  /** For the client. */
  readonly answer: Answer
  /** As the upstream knows it, without what was dropped. */
  history(): readonly Turn[]
  /** What became of each part. */
  readonly routed: readonly (readonly RoutedPart[])[]
}

export function partitionAnswer(answer: Answer, restorer: Restorer, lane: CallTracker): PartitionedAnswer {
  const kept: (readonly RoutedPart[])[] = []
  const sort = (part: Part): readonly RoutedPart[] => {
    if (part.kind !== 'call') return [{ part }]
    return unbundle(part, restorer).map(call => {
      const named = lane.name(call)
      return { part: named, route: lane.route(named) }
    })
  }
  const sorted = answer.turns.map(turn => {
    const parts = turn.parts.map(sort)
    kept.push(...parts)
    return { turn, parts: parts.flat() }
  })
  return {
    routed: kept,
    answer: {
      ...answer,
      turns: sorted.map(({ turn, parts }) => ({
        ...turn,
        parts: parts
          .filter(({ route: verdict = 'pass' }) => verdict === 'pass')
          .map(({ part }) => (part.kind === 'call' ? restoreCallPart(part, restorer) : part)),
      })),
    },
    history: () => sorted.flatMap(({ turn, parts }) => asHistory(turn, historyParts(parts))),
  }
}

/** The same where every call goes to the client, and nobody asks for the history. */
export function restoreAnswer(
  answer: Answer,
  restorer: Restorer,
  name: (part: CallPart) => CallPart,
): Answer {
  const restore = (part: CallPart): Part => restoreCallPart(name(part), restorer)
  const restoreAny = (part: Part): Part | readonly Part[] => {
    if (part.kind !== 'call') return part
    return mayBeWrapper(part) ? unbundle(part, restorer).map(restore) : restore(part)
  }
  const turns = mapShared(answer.turns, turn => withParts(turn, flatMapShared(turn.parts, restoreAny)))
  return turns === answer.turns ? answer : { ...answer, turns }
}

function unbundle(part: CallPart, { undo }: Restorer): readonly CallPart[] {
  if (!mayBeWrapper(part) || !isParallelWrapper(part, undo.declared)) return [part]
  return expandParallelWrapper(part, undo.declared) ?? [part]
}

export function historyParts(kept: readonly RoutedPart[]): Part[] {
  return kept.filter(({ route: verdict }) => verdict !== 'drop').map(({ part }) => part)
}

/** A turn of the history that loses all its parts goes with them: servers refuse one that says nothing. */
function asHistory(turn: Turn, parts: readonly Part[]): Turn[] {
  return parts.length === 0 && turn.parts.length > 0 ? [] : [{ ...turn, parts }]
}

/** The history of an answer whose calls have been sorted before, when its parts came one by one. */
export function historyOf(
  turns: readonly Turn[],
  kept: readonly (readonly RoutedPart[])[],
): Turn[] | undefined {
  const calls = kept.filter(parts => parts.some(({ route: verdict }) => verdict !== undefined))
  if (turns.flatMap(({ parts }) => parts.filter(isCall)).length !== calls.length) return undefined
  let at = 0
  return turns.flatMap(turn =>
    asHistory(
      turn,
      turn.parts.flatMap(part => (isCall(part) ? historyParts(calls[at++] ?? []) : [part])),
    ),
  )
}

function isCall(part: Part): boolean {
  return part.kind === 'call'
}
