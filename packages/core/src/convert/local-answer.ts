/** Answers that whoever holds the exchange makes itself, without an upstream: errors, and answers still to come. */
import type { JsonObject } from '../json/object.ts'
import type { Answer, ApiError } from '../model/answer.ts'
import type { AnswerContext, WireConversation } from '../wires/define-wire.ts'
import { errorStatus } from '../wires/kit/error-status.ts'
import type { Profile } from '../wires/profile.ts'

/** An error of one's own, for the client. */
export interface LocalError extends ApiError {
  /** The HTTP status, where the client's wire has no fitting one for this kind. */
  readonly status?: number
}

export interface EncodedError {
  readonly value: JsonObject
  readonly status: number
}

/** The error as the wire writes it, and the HTTP status that goes with it. */
export function encodeErrorFor(
  wire: WireConversation,
  { status, ...error }: LocalError,
  context: AnswerContext,
): EncodedError {
  const answer: Answer = { turns: [], finish: { reason: 'failed' }, error }
  return {
    value: wire.encodeAnswer(answer, context, () => undefined),
    status: status ?? statusOf(answer, wire.profile),
  }
}

/** An answer of which nothing is known yet but its request, for clients that get a receipt first. */
export function emptyAnswerFor(wire: WireConversation, context: AnswerContext): JsonObject {
  const model = context.request?.model
  const answer: Answer = {
    turns: [],
    finish: { reason: 'unfinished' },
    ...(typeof model === 'string' && { model }),
  }
  return wire.encodeAnswer(answer, context, () => undefined)
}

/** On some wires a failed answer is still an answer; on the others the failure has a status. */
export function statusOf({ error, turns, id }: Answer, { failedAnswers, overloadedStatus }: Profile): number {
  if (error === undefined || (failedAnswers && (turns.length > 0 || id !== undefined))) return 200
  return error.kind === 'overloaded' ? overloadedStatus : errorStatus[error.kind]
}
