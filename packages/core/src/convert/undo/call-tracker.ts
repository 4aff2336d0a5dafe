/**
 * How the calls of one answer are told apart and where each goes. Several answers may follow one another in one
 * stream for the client: their lanes share the ids that are taken and the indexes of the parts.
 */

import type { Finish } from '../../model/answer.ts'
import type { CallPart, Part } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import { createUniqueIds } from './unique-ids.ts'

/** Who gets a call: the client, whoever holds the exchange (a server tool), or nobody, because the request forbids it. */
export type CallRoute = 'client' | 'server' | 'drop'

/** Routes the calls of one answer, in their order. */
export interface CallDecider {
  decide(part: CallPart): CallRoute
  /** How the answer ends for the client, now that all calls have been judged. */
  finish(finish: Finish): Finish
}

export interface CallTracker {
  /** The index of the next part the client is told of. */
  nextIndex(): number
  /** The call with an id that no other has. */
  withUniqueId(part: CallPart): CallPart
  route(part: CallPart): CallRoute
  /** A complete part of the upstream's answer, as its history will have it. */
  record(index: number, parts: readonly RoutedPart[]): void
}

export interface RoutedPart {
  readonly part: Part
  /** Absent for what is no call. */
  readonly route?: CallRoute
}

/** Without rules: every call goes to the client, and nothing is kept. */
export function createClientTracker(report: Report): CallTracker {
  let next = 0
  return {
    nextIndex: () => next++,
    withUniqueId: createUniqueIds(report),
    route: () => 'client',
    record: () => undefined,
  }
}

export interface MultiRoundTracker {
  nextIndex(): number
  withUniqueId(part: CallPart): CallPart
}

/** What all answers of one exchange share. Calls get an id here if they have none, to be known by later. */
export function createMultiRoundTracker(
  report: Report,
  newId: (prefix: string) => string,
  taken: readonly string[] = [],
): MultiRoundTracker {
  const unique = createUniqueIds(report, taken)
  let next = 0
  return {
    nextIndex: () => next++,
    withUniqueId: part =>
      unique(part.id === undefined || part.id === '' ? { ...part, id: newId('call_') } : part),
  }
}

/** One answer's lane, which remembers what became of its parts. */
export interface RoutingTracker extends CallTracker {
  /** What was kept, in the order in which the parts began. */
  routed(): readonly (readonly RoutedPart[])[]
}

export function createRoutingTracker(shared: MultiRoundTracker, decider: CallDecider): RoutingTracker {
  const routedByIndex = new Map<number, readonly RoutedPart[]>()
  return {
    nextIndex: () => shared.nextIndex(),
    withUniqueId: part => shared.withUniqueId(part),
    route: part => decider.decide(part),
    record: (index, parts) => void routedByIndex.set(index, parts),
    routed: () => [...routedByIndex].sort(([a], [b]) => a - b).map(([, parts]) => parts),
  }
}
