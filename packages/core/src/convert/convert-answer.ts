/** The upstream's whole answer, or an error, as the client expects it. */

import { isObject } from '../json/json.ts'
import type { Answer, Finish } from '../model/answer.ts'
import type { Report } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import { dropForeignParts } from './adapt/foreign-parts.ts'
import type { AnswerSummary, ConvertedAnswer } from './exchange.ts'
import { statusOf } from './local-answer.ts'
import type { Endpoints, PreparedRequest } from './prepared-request.ts'
import type { ServerRound } from './server-tools/server-round.ts'
import { createServerRound } from './server-tools/server-round.ts'
import { countsOf } from './stream/stream-record.ts'
import { createMultiRoundTracker, createRoutingTracker } from './undo/call-tracker.ts'
import { calledName } from './undo/client-calls.ts'
import { partitionAnswer, restoreAnswer } from './undo/partition-calls.ts'
import { createUniqueIds } from './undo/unique-ids.ts'

export function convertAnswer(
  body: unknown,
  prepared: PreparedRequest,
  endpoints: Endpoints,
): ConvertedAnswer {
  const { client, upstream } = endpoints
  const { report, diagnostics } = createReport()
  if (!isObject(body)) {
    report('invalid_request', [], 'An answer must be an object.')
    return { value: {}, diagnostics, status: 502, finish: 'failed', calls: [], serverCalls: [] }
  }
  const decoded = upstream.decodeAnswer(body, report)
  const { answer: restored, round, finish } = readAnswer(decoded, prepared, endpoints, report)
  const context = { target: client.wire, report, sameWire: client === upstream }
  const clientAnswer: Answer = {
    ...restored,
    // What is told before the end is told as if it were the end: nobody is to wait for calls that are not there.
    finish: round?.isWaiting ? { reason: 'stop' } : finish,
    turns: dropForeignParts(restored.turns, context),
  }
  prepared.setRound(clientAnswer, round)
  const { answerId } = endpoints.options
  const merged = prepared.merge(clientAnswer)
  const named = answerId !== undefined && decoded.error === undefined
  const answer = named ? { ...merged, id: answerId } : merged
  return {
    value: client.encodeAnswer(answer, prepared.answerContext, report),
    diagnostics,
    status: statusOf(answer, client.profile),
    finish: finish.reason,
    ...(answer.usage !== undefined && { usage: countsOf(answer.usage) }),
    calls: namesOfCalls(clientAnswer),
    serverCalls: round?.serverCalls ?? [],
  }
}

/** The same of an answer that passes as it is, on one wire and in one round. */
export function summarizeAnswer(
  body: unknown,
  prepared: PreparedRequest,
  endpoints: Endpoints,
): AnswerSummary {
  if (!isObject(body)) return { finish: 'failed', calls: [] }
  const ignore = (): void => {}
  const { answer: restored, finish } = readAnswer(
    endpoints.upstream.decodeAnswer(body, ignore),
    prepared,
    endpoints,
    ignore,
  )
  return {
    finish: finish.reason,
    ...(restored.usage !== undefined && { usage: countsOf(restored.usage) }),
    calls: namesOfCalls(restored),
  }
}

interface ReadAnswer {
  readonly answer: Answer
  /** Set where some tools are run here. */
  readonly round?: ServerRound | undefined
  readonly finish: Finish
}

/** The answer with the calls the client is to know of, as calls to the tools that it declared. */
function readAnswer(
  decoded: Answer,
  prepared: PreparedRequest,
  { ids }: Endpoints,
  report: Report,
): ReadAnswer {
  const { rules, undoContext } = prepared
  if (rules === undefined) {
    return { answer: restoreAnswer(decoded, undoContext, createUniqueIds(report)), finish: decoded.finish }
  }
  const decider = rules.createDecider(report)
  const tracker = createRoutingTracker(
    createMultiRoundTracker(report, ids.newId, prepared.usedCallIds),
    decider,
  )
  const { answer: restored, history, routed } = partitionAnswer(decoded, undoContext, tracker)
  const decidedFinish = decider.finish(decoded.finish)
  const runsServerTools = rules.hasServerTools && decoded.error === undefined
  const round = runsServerTools
    ? createServerRound(routed, decidedFinish, history, prepared.factsOf(rules))
    : undefined
  return { answer: restored, round, finish: round?.finish ?? decidedFinish }
}

function namesOfCalls({ turns }: Answer): string[] {
  const names: string[] = []
  for (const { parts } of turns) for (const part of parts) names.push(...calledName(part))
  return names
}
