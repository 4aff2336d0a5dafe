/** The upstream's whole answer, or an error, as the client expects it. */

import { isObject } from '../json/object.ts'
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

export function convertAnswer(body: unknown, asked: PreparedRequest, sides: Endpoints): ConvertedAnswer {
  const { client, upstream } = sides
  const { report, diagnostics } = createReport()
  if (!isObject(body)) {
    report('invalid_request', [], 'An answer must be an object.')
    return { value: {}, diagnostics, status: 502, finish: 'failed', calls: [], serverCalls: [] }
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
  asked.setRound(told, round)
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
    serverCalls: round?.serverCalls ?? [],
  }
}

/** The same of an answer that passes as it is, on one wire and in one round. */
export function summarizeAnswer(body: unknown, asked: PreparedRequest, sides: Endpoints): AnswerSummary {
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
  readonly round?: ServerRound | undefined
  readonly finish: Finish
}

/** The answer with the calls the client is to know of, as calls to the tools that it declared. */
function readAnswer(
  decoded: Answer,
  asked: PreparedRequest,
  { ids: source }: Endpoints,
  report: Report,
): ReadAnswer {
  const { rules, restorer } = asked
  if (rules === undefined) {
    return { sorted: restoreAnswer(decoded, restorer, createUniqueIds(report)), finish: decoded.finish }
  }
  const judge = rules.createDecider(report)
  const lane = createRoutingTracker(createMultiRoundTracker(report, source.newId, asked.usedCallIds), judge)
  const { answer: sorted, history, routed: kept } = partitionAnswer(decoded, restorer, lane)
  const judged = judge.finish(decoded.finish)
  const isHeld = rules.hasServerTools && decoded.error === undefined
  const round = isHeld ? createServerRound(kept, judged, history, asked.factsOf(rules)) : undefined
  return { sorted, round, finish: round?.finish ?? judged }
}

function namesOfCalls({ turns }: Answer): string[] {
  const names: string[] = []
  for (const { parts } of turns) for (const part of parts) names.push(...calledName(part))
  return names
}
