/** Answers that are made here without an upstream: errors, and the receipt for an answer that is still to come. */
import type { JsonObject } from '../json/object.ts'
import type { Answer, ApiError } from '../model/answer.ts'
import type { AnswerContext, WireConversation } from '../wires/define-wire.ts'
import { errorStatus } from '../wires/kit/error-status.ts'
import type { Profile } from '../wires/profile.ts'

/** An error made here, to be encoded for the client. */
export interface LocalError extends ApiError {
  /** The HTTP status, if it differs from the one that the client's wire has for this kind of error. */
  readonly status?: number
}

/** An error as a wire writes it, with its HTTP status. */
export interface EncodedError {
  readonly value: JsonObject
  readonly status: number
}

/** Encodes an error for a wire, with its HTTP status. */
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

/** An answer without content or end, for clients that get a receipt before the answer. */
export function emptyAnswerFor(wire: WireConversation, context: AnswerContext): JsonObject {
  const model = context.request?.model
  const answer: Answer = {
    turns: [],
    finish: { reason: 'unfinished' },
    ...(typeof model === 'string' && { model }),
  }
  return wire.encodeAnswer(answer, context, () => undefined)
}

/** Wires with `failedAnswers` send a failed answer with status 200; the others use an error status. */
export function statusOf({ error, turns, id }: Answer, { failedAnswers, overloadedStatus }: Profile): number {
  if (error === undefined || (failedAnswers && (turns.length > 0 || id !== undefined))) return 200
  return error.kind === 'overloaded' ? overloadedStatus : errorStatus[error.kind]
}
