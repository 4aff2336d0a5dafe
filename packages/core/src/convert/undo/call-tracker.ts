/**
 * Gives the calls of one answer unique ids and decides where each one goes. The answers of several rounds form one
 * stream for the client, so their trackers share the used ids and the part indexes.
 */

import type { Finish } from '../../model/answer.ts'
import type { CallPart, Part } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import { createUniqueIds } from './unique-ids.ts'

/** Where a call goes: to the client, to a server tool, or nowhere, because the request does not allow it. */
export type CallRoute = 'client' | 'server' | 'drop'

/** Routes the calls of one answer, in their order. */
export interface CallDecider {
  decide(part: CallPart): CallRoute
  /** How the answer ends for the client, once all calls have been routed. */
  finish(finish: Finish): Finish
}

/** What all answers of one exchange share. */
export interface MultiRoundTracker {
  /** The index of the next part that the client is sent. */
  nextIndex(): number
  /** Returns the call with an id that no other call has. */
  withUniqueId(part: CallPart): CallPart
}

export interface CallTracker extends MultiRoundTracker {
  route(part: CallPart): CallRoute
  /** Records a complete part of the upstream's answer, for the history of the next round. */
  record(index: number, parts: readonly RoutedPart[]): void
}

export interface RoutedPart {
  readonly part: Part
  /** Absent for parts that are not calls. */
  readonly route?: CallRoute
}

/** Without rules every call goes to the client, and nothing is recorded. */
export function createClientTracker(report: Report): CallTracker {
  let next = 0
  return {
    nextIndex: () => next++,
    withUniqueId: createUniqueIds(report),
    route: () => 'client',
    record: () => undefined,
  }
}

/** Calls without an id get one, so that results can refer to them. */
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

/** The tracker of one answer, which records the route of each part. */
export interface RoutingTracker extends CallTracker {
  /** The recorded parts, in the order in which they began. */
  routed(): readonly (readonly RoutedPart[])[]
}

export function createRoutingTracker(shared: MultiRoundTracker, decider: CallDecider): RoutingTracker {
  const routedByIndex = new Map<number, readonly RoutedPart[]>()
  return {
    ...shared,
    route: part => decider.decide(part),
    record: (index, parts) => void routedByIndex.set(index, parts),
    routed: () => [...routedByIndex].sort(([a], [b]) => a - b).map(([, parts]) => parts),
  }
}
