/**
 * How the calls of one answer are told apart and where each goes. Several answers may follow one another in one
 * stream for the client: their lanes share the ids that are taken and the indexes of the parts.
 */
import type { CallPart, Part } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { CallJudge, Verdict } from '../server-tools/call-rules.ts'
import { createUniqueIds } from './unique-ids.ts'

export interface CallLane {
  /** The index of the next part the client is told of. */
  nextIndex(): number
  /** The call with an id that no other has. */
  name(part: CallPart): CallPart
  verdict(part: CallPart): Verdict
  /** A complete part of the upstream's answer, as its history will have it. */
  keep(index: number, parts: readonly KeptPart[]): void
}

export interface KeptPart {
  readonly part: Part
  /** Absent for what is no call. */
  readonly verdict?: Verdict
}

/** Without rules: every call goes to the client, and nothing is kept. */
export function createPlainLane(report: Report): CallLane {
  let next = 0
  return {
    nextIndex: () => next++,
    name: createUniqueIds(report),
    verdict: () => 'pass',
    keep: () => undefined,
  }
}

export interface SharedLane {
  nextIndex(): number
  name(part: CallPart): CallPart
}

/** What all answers of one exchange share. Calls get an id here if they have none, to be known by later. */
export function createSharedLane(
  report: Report,
  newId: (prefix: string) => string,
  taken: readonly string[] = [],
): SharedLane {
  const unique = createUniqueIds(report, taken)
  let next = 0
  return {
    nextIndex: () => next++,
    name: part => unique(part.id === undefined || part.id === '' ? { ...part, id: newId('call_') } : part),
  }
}

/** One answer's lane, which remembers what became of its parts. */
export interface SortingLane extends CallLane {
  /** What was kept, in the order in which the parts began. */
  kept(): readonly (readonly KeptPart[])[]
}

export function createSortingLane(shared: SharedLane, judge: CallJudge): SortingLane {
  const kept = new Map<number, readonly KeptPart[]>()
  return {
    nextIndex: () => shared.nextIndex(),
    name: part => shared.name(part),
    verdict: part => judge.verdict(part),
    keep: (index, parts) => void kept.set(index, parts),
    kept: () => [...kept].sort(([a], [b]) => a - b).map(([, parts]) => parts),
  }
}
