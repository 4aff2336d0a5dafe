/** The upstream's whole answer, or an error, as the client expects it. */

import type { JsonObject } from '../json/json.ts'
import { isObject } from '../json/json.ts'
import type { Answer, Finish } from '../model/answer.ts'
import type { Report } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import { errorStatus } from '../wires/kit/error-status.ts'
import type { Profile } from '../wires/profile.ts'
import { dropForeignParts } from './adapt/foreign-parts.ts'
import type { AnswerSummary, ConvertedAnswer, OwnError } from './exchange.ts'
import type { Asked, Sides } from './prepared-request.ts'
import type { HeldRound } from './server-tools/server-round.ts'
import { createHeldRound } from './server-tools/server-round.ts'
import { countsOf } from './stream/stream-record.ts'
import { createSharedLane, createSortingLane } from './undo/call-tracker.ts'
import { calledName } from './undo/client-calls.ts'
import { restoreAnswer, sortAnswer } from './undo/partition-calls.ts'
import { createUniqueIds } from './undo/unique-ids.ts'

export function answerRequest(body: unknown, asked: Asked, sides: Sides): ConvertedAnswer {
  const { client, upstream } = sides
  const { report, diagnostics } = createReport()
  if (!isObject(body)) {
    report('invalid_request', [], 'An answer must be an object.')
    return { value: {}, diagnostics, status: 502, finish: 'failed', calls: [], held: [] }
  }
  const decoded = upstream.decodeAnswer(body, report)
  const { sorted, round, finish } = readAnswer(decoded, asked, sides, report)
  const place = { target: client.wire, report, sameWire: client === upstream }
  const told: Answer = {
    ...sorted,
    // What is told before the end is told as if it were the end: nobody is to wait for calls that are not there.
    finish: round?.isWaiting ? { reason: 'stop' } : finish,
    turns: dropForeignParts(sorted.turns, place),
  }
  asked.hold(told, round)
  const { answerId } = sides.options
  const merged = asked.merge(told)
  const named = answerId !== undefined && decoded.error === undefined
  const answer = named ? { ...merged, id: answerId } : merged
  return {
    value: client.encodeAnswer(answer, asked.answerContext, report),
    diagnostics,
    status: statusOf(answer, client.profile),
    finish: finish.reason,
    ...(answer.usage !== undefined && { usage: countsOf(answer.usage) }),
    calls: namesOfCalls(told),
    held: round?.held ?? [],
  }
}

/** The same of an answer that passes as it is, on one wire and in one round. */
export function summarizeAnswer(body: unknown, asked: Asked, sides: Sides): AnswerSummary {
  if (!isObject(body)) return { finish: 'failed', calls: [] }
  const ignore = (): void => {}
  const { sorted, finish } = readAnswer(sides.upstream.decodeAnswer(body, ignore), asked, sides, ignore)
  return {
    finish: finish.reason,
    ...(sorted.usage !== undefined && { usage: countsOf(sorted.usage) }),
    calls: namesOfCalls(sorted),
  }
}

interface ReadAnswer {
  readonly sorted: Answer
  /** Set where some tools are run here. */
  readonly round?: HeldRound | undefined
  readonly finish: Finish
}

/** The answer with the calls the client is to know of, as calls to the tools that it declared. */
function readAnswer(decoded: Answer, asked: Asked, { source }: Sides, report: Report): ReadAnswer {
  const { rules, restorer } = asked
  if (rules === undefined) {
    return { sorted: restoreAnswer(decoded, restorer, createUniqueIds(report)), finish: decoded.finish }
  }
  const judge = rules.judge(report)
  const lane = createSortingLane(createSharedLane(report, source.newId, asked.takenIds), judge)
  const { answer: sorted, history, kept } = sortAnswer(decoded, restorer, lane)
  const judged = judge.finish(decoded.finish)
  const isHeld = rules.holds && decoded.error === undefined
  const round = isHeld ? createHeldRound(kept, judged, history, asked.factsOf(rules)) : undefined
  return { sorted, round, finish: round?.finish ?? judged }
}

function namesOfCalls({ turns }: Answer): string[] {
  const names: string[] = []
  for (const { parts } of turns) for (const part of parts) names.push(...calledName(part))
  return names
}

export function failureAnswer(
  { status, ...error }: OwnError,
  asked: Asked,
  { client }: Sides,
): { value: JsonObject; status: number } {
  const answer: Answer = { turns: [], finish: { reason: 'failed' }, error }
  return {
    value: client.encodeAnswer(answer, asked.answerContext, () => undefined),
    status: status ?? statusOf(answer, client.profile),
  }
}

/** Where a failed answer is still an answer it is told like any other; elsewhere the failure has a status. */
function statusOf({ error, turns, id }: Answer, { failedAnswers, overloadedStatus }: Profile): number {
  if (error === undefined || (failedAnswers && (turns.length > 0 || id !== undefined))) return 200
  return error.kind === 'overloaded' ? overloadedStatus : errorStatus[error.kind]
}
