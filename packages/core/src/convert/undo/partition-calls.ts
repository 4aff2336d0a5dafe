/** Splits a complete answer into the client's answer, the upstream's history, and the route of each call. */
import { append } from '../../json/object.ts'
import type { Answer } from '../../model/answer.ts'
import { type CallPart, isCall, type Part, type Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import { mapShared, withParts } from '../shared/shared-lists.ts'
import type { CallTracker, RoutedPart } from './call-tracker.ts'
import { expandParallelWrapper, isParallelWrapper, mayBeWrapper } from './parallel-wrapper.ts'
import type { UndoContext } from './restore-call-part.ts'
import { restoreCallPart } from './restore-call-part.ts'

export interface PartitionedAnswer {
  /** For the client. */
  readonly answer: Answer
  /** As the upstream sent it, without dropped calls. */
  history(): readonly Turn[]
  /** The parts of the upstream's answer with their routes. */
  readonly routed: readonly (readonly RoutedPart[])[]
}

export function partitionAnswer(
  answer: Answer,
  undoContext: UndoContext,
  tracker: CallTracker,
  report: Report,
): PartitionedAnswer {
  const routed: (readonly RoutedPart[])[] = []
  const routePart = (part: Part): readonly RoutedPart[] => {
    if (part.kind !== 'call') return [{ part }]
    return unbundle(part, undoContext).map(call => {
      const named = tracker.withUniqueId(call)
      return { part: named, route: tracker.route(named) }
    })
  }
  const routedTurns = answer.turns.map(turn => {
    const parts = turn.parts.map(routePart)
    append(routed, parts)
    return { turn, parts: parts.flat() }
  })
  return {
    routed,
    answer: {
      ...answer,
      turns: routedTurns.map(({ turn, parts }) => ({
        ...turn,
        parts: parts
          .filter(({ route = 'client' }) => route === 'client')
          .map(({ part }) => (part.kind === 'call' ? restoreCallPart(part, undoContext, report) : part)),
      })),
    },
    history: () => routedTurns.flatMap(({ turn, parts }) => asHistory(turn, historyParts(parts))),
  }
}

/** The client's answer if every call goes to the client and no history is needed. */
export function restoreAnswer(
  answer: Answer,
  undoContext: UndoContext,
  name: (part: CallPart) => CallPart,
  report: Report,
): Answer {
  const restore = (part: CallPart): Part => restoreCallPart(name(part), undoContext, report)
  const restoreAny = (part: Part): Part | readonly Part[] => {
    if (part.kind !== 'call') return part
    return mayBeWrapper(part) ? unbundle(part, undoContext).map(restore) : restore(part)
  }
  const turns = mapShared(answer.turns, turn => withParts(turn, mapShared(turn.parts, restoreAny)))
  return turns === answer.turns ? answer : { ...answer, turns }
}

function unbundle(part: CallPart, { undo }: UndoContext): readonly CallPart[] {
  if (!mayBeWrapper(part) || !isParallelWrapper(part, undo.declared)) return [part]
  return expandParallelWrapper(part, undo.declared) ?? [part]
}

export function historyParts(routed: readonly RoutedPart[]): Part[] {
  return routed.filter(({ route }) => route !== 'drop').map(({ part }) => part)
}

/** Drops a turn that lost all its parts, because servers refuse an empty one. */
function asHistory(turn: Turn, parts: readonly Part[]): Turn[] {
  return parts.length === 0 && turn.parts.length > 0 ? [] : [{ ...turn, parts }]
}

/** The history of an answer whose calls were routed while they streamed; `undefined` if the calls do not match. */
export function historyOf(
  turns: readonly Turn[],
  routed: readonly (readonly RoutedPart[])[],
): Turn[] | undefined {
  const calls = routed.filter(parts => parts.some(({ route }) => route !== undefined))
  if (turns.flatMap(({ parts }) => parts.filter(isCall)).length !== calls.length) return undefined
  let next = 0
  return turns.flatMap(turn =>
    asHistory(
      turn,
      turn.parts.flatMap(part => (isCall(part) ? historyParts(calls[next++] ?? []) : [part])),
    ),
  )
}
