/** A whole answer, parted: what the client is told, what the upstream's history will hold, and what is run here. */
import type { Answer } from '../model/answer.ts'
import type { Part, Turn } from '../model/conversation.ts'
import type { CallLane, KeptPart } from './call-lane.ts'
import { expandParallelWrapper, isParallelWrapper } from './parallel-wrapper.ts'
import type { Restorer } from './restore-call-part.ts'
import { restoreCallPart } from './restore-call-part.ts'

export interface SortedAnswer {
  /** For the client. */
  readonly answer: Answer
  /** As the upstream knows it, without what was dropped. */
  readonly history: readonly Turn[]
  /** What became of each part. */
  readonly kept: readonly (readonly KeptPart[])[]
}

export function sortAnswer(answer: Answer, restorer: Restorer, lane: CallLane): SortedAnswer {
  const { declared } = restorer.undo
  const kept: (readonly KeptPart[])[] = []
  const sort = (part: Part): readonly KeptPart[] => {
    if (part.kind !== 'call') return [{ part }]
    const bundled = isParallelWrapper(part, declared) ? expandParallelWrapper(part, declared) : undefined
    return (bundled ?? [part]).map(call => {
      const named = lane.name(call)
      return { part: named, verdict: lane.verdict(named) }
    })
  }
  const sorted = answer.turns.map(turn => {
    const parts = turn.parts.map(sort)
    kept.push(...parts)
    return { turn, parts: parts.flat() }
  })
  return {
    kept,
    answer: {
      ...answer,
      turns: sorted.map(({ turn, parts }) => ({
        ...turn,
        parts: parts
          .filter(({ verdict = 'pass' }) => verdict === 'pass')
          .map(({ part }) => (part.kind === 'call' ? restoreCallPart(part, restorer) : part)),
      })),
    },
    history: sorted.flatMap(({ turn, parts }) => withParts(turn, historyParts(parts))),
  }
}

export function historyParts(kept: readonly KeptPart[]): Part[] {
  return kept.filter(({ verdict }) => verdict !== 'drop').map(({ part }) => part)
}

/** A turn of the history that loses all its parts goes with them: servers refuse one that says nothing. */
function withParts(turn: Turn, parts: readonly Part[]): Turn[] {
  return parts.length === 0 && turn.parts.length > 0 ? [] : [{ ...turn, parts }]
}

/** The history of an answer whose calls have been sorted before, when its parts came one by one. */
export function historyOf(
  turns: readonly Turn[],
  kept: readonly (readonly KeptPart[])[],
): Turn[] | undefined {
  const calls = kept.filter(parts => parts.some(({ verdict }) => verdict !== undefined))
  if (turns.flatMap(({ parts }) => parts.filter(isCall)).length !== calls.length) return undefined
  let at = 0
  return turns.flatMap(turn =>
    withParts(
      turn,
      turn.parts.flatMap(part => (isCall(part) ? historyParts(calls[at++] ?? []) : [part])),
    ),
  )
}

function isCall(part: Part): boolean {
  return part.kind === 'call'
}
