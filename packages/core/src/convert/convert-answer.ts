/** Converts the upstream's complete (not streamed) answer, or an error, for the client. */

import { findNonJson } from '../json/non-json.ts'
import type { JsonObject } from '../json/object.ts'
import { append, isObject } from '../json/object.ts'
import type { Answer, Finish, FinishReason } from '../model/answer.ts'
import type { Diagnostic, Report } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import { holdsCompaction } from './adapt/turns/compactions.ts'
import { answerFor } from './adapt/turns/foreign-parts.ts'
import type { Endpoints } from './exchange-options.ts'
import { encodeErrorFor, statusOf } from './local-answer.ts'
import type { PreparedRequest } from './prepared-request.ts'
import type { ServerRound } from './server-tools/server-round.ts'
import { createServerRound } from './server-tools/server-round.ts'
import { calledName } from './shared/client-calls.ts'
import type { KeptReasoning } from './shared/kept-reasoning.ts'
import { keptReasoningOf } from './shared/kept-reasoning.ts'
import { sealTurns } from './shared/sealed-reasoning.ts'
import type { ServerCall } from './shared/server-calls.ts'
import type { TokenUsage } from './stream/stream-record.ts'
import { countsOf } from './stream/stream-record.ts'
import { createMultiRoundTracker, createRoutingTracker } from './undo/call-tracker.ts'
import { partitionAnswer, restoreAnswer } from './undo/partition-calls.ts'
import { createUniqueIds } from './undo/unique-ids.ts'

/** The facts about an answer that logs and metrics need. */
export interface AnswerSummary {
  readonly finish: FinishReason
  /** Over all rounds. */
  readonly usage?: TokenUsage
  /** The names of the calls that the client is to run. */
  readonly calls: readonly string[]
  /** It holds a summary of the conversation. */
  readonly isCompacted: boolean
}

/** The upstream's answer or error, converted for the client. */
export interface ConvertedAnswer extends AnswerSummary {
  readonly value: JsonObject
  readonly diagnostics: Diagnostic[]
  /** The HTTP status to answer with: 200, or the one that the client's wire has for this error. */
  readonly status: number
  /**
   * Calls for you to run. If the client has no calls to run and none is truncated, the answer is not complete yet:
   * pass the results to `next`, send its request, and pass the new answer to `response`.
   */
  readonly serverCalls: readonly ServerCall[]
  /**
   * With `seal`: the reasoning that comes with the client's calls. Store it for clients that return none, and return it
   * from `keptReasoningFor` in the exchange of a later request.
   */
  readonly kept?: KeptReasoning
}

export function convertAnswer(
  body: unknown,
  prepared: PreparedRequest,
  endpoints: Endpoints,
): ConvertedAnswer {
  const { client, upstream } = endpoints
  const { report, diagnostics } = createReport()
  if (!isObject(body)) {
    report('invalid_request', [], 'An answer must be an object.')
    return {
      value: {},
      diagnostics,
      status: 502,
      finish: 'failed',
      calls: [],
      isCompacted: false,
      serverCalls: [],
    }
  }
  const problem = endpoints.options.parsed ? undefined : findNonJson(body)
  if (problem !== undefined) {
    report('invalid_request', problem.path, problem.message)
    const error = { kind: 'server', message: problem.message, status: 502 } as const
    const failed = encodeErrorFor(client, error, prepared.answerContext)
    return { ...failed, diagnostics, finish: 'failed', calls: [], isCompacted: false, serverCalls: [] }
  }
  const given = upstream.decodeAnswer(body, report)
  const { compacted } = prepared
  const decoded = compacted?.isSummary ? compacted.convert(given) : given
  const { answer: restored, round, finish } = readAnswer(decoded, prepared, endpoints, report)
  const sealer = prepared.sealerFor(report)
  const turns = sealer === undefined ? restored.turns : sealTurns(restored.turns, sealer)
  const kept = sealer?.mayKeep ? keptReasoningOf(turns) : undefined
  const clientAnswer: Answer = {
    ...restored,
    // While server tool calls are pending the client sees `stop`, so that it does not wait for calls it was not sent.
    finish: round?.isWaiting ? { reason: 'stop' } : finish,
    turns: answerFor(turns, {
      target: { wire: client.wire },
      isNative: client === upstream,
      isMixed: false,
      report,
    }),
  }
  prepared.setRound(clientAnswer, round)
  const { answerId } = endpoints.options
  const rounds = prepared.merge(clientAnswer)
  const merged = compacted === undefined || compacted.isSummary ? rounds : compacted.convert(rounds)
  const isRenamed = answerId !== undefined && decoded.error === undefined
  const answer = isRenamed ? { ...merged, id: answerId } : merged
  return {
    value: client.encodeAnswer(answer, prepared.answerContext, report),
    diagnostics,
    status: statusOf(answer, client.profile),
    finish: finish.reason,
    ...(answer.usage !== undefined && { usage: countsOf(answer.usage) }),
    calls: namesOfCalls(clientAnswer),
    isCompacted: holdsCompaction(answer.turns),
    serverCalls: round?.serverCalls ?? [],
    ...(kept !== undefined && { kept }),
  }
}

/** Summarizes an answer that is sent on unchanged. */
export function summarizeAnswer(
  body: unknown,
  prepared: PreparedRequest,
  endpoints: Endpoints,
): AnswerSummary {
  if (!isObject(body)) return { finish: 'failed', calls: [], isCompacted: false }
  const ignore = (): void => {}
  const decoded = endpoints.upstream.decodeAnswer(body, ignore)
  const { answer, finish } = readAnswer(decoded, prepared, endpoints, ignore)
  return {
    finish: finish.reason,
    ...(answer.usage !== undefined && { usage: countsOf(answer.usage) }),
    calls: namesOfCalls(answer),
    isCompacted: holdsCompaction(answer.turns),
  }
}

interface ReadAnswer {
  readonly answer: Answer
  /** Set if the request has server tools. */
  readonly round?: ServerRound | undefined
  readonly finish: Finish
}

/** The answer with only the client's calls, undone to calls of the tools that the client declared. */
function readAnswer(
  decoded: Answer,
  prepared: PreparedRequest,
  { ids }: Endpoints,
  report: Report,
): ReadAnswer {
  const { rules, undoContext } = prepared
  if (rules === undefined) {
    return {
      answer: restoreAnswer(decoded, undoContext, createUniqueIds(report), report),
      finish: decoded.finish,
    }
  }
  const decider = rules.createDecider(report)
  const shared = createMultiRoundTracker(report, ids.newId, prepared.usedCallIds)
  const { answer, history, routed } = partitionAnswer(
    decoded,
    undoContext,
    createRoutingTracker(shared, decider),
    report,
  )
  const finish = decider.finish(decoded.finish)
  const hasRound = rules.hasServerTools && decoded.error === undefined
  const round = hasRound ? createServerRound(routed, finish, history, prepared.factsOf(rules)) : undefined
  return { answer, round, finish: round?.finish ?? finish }
}

function namesOfCalls({ turns }: Answer): string[] {
  // Loops, because `flatMap` made small answers measurably slower.
  const names: string[] = []
  for (const { parts } of turns) for (const part of parts) append(names, calledName(part))
  return names
}
