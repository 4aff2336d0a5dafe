/**
 * One request and its answer between a client's wire and an upstream's. The request is fitted to the upstream;
 * what was changed is kept and undone in the answer.
 */
import { codecs } from '../codecs/codecs.ts'
import type { Profile } from '../codecs/profile.ts'
import type { Answer } from '../model/answer.ts'
import type { Part } from '../model/conversation.ts'
import type { Diagnostic, Report } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import { errorStatus } from '../model/error-status.ts'
import type { JsonObject } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import { adaptRequest } from './adapt/adapt-request.ts'
import type { PairingPolicy } from './adapt/call-pairing.ts'
import { dropForeignParts } from './adapt/foreign-parts.ts'
import type { CallUndo } from './call-undo.ts'
import { createCallUndo } from './call-undo.ts'
import type { ConvertToolsOptions } from './convert-tools.ts'
import { adaptContext } from './convert-tools.ts'
import type { ExchangeStream, StreamLimits } from './exchange-stream.ts'
import { createStream, createUntouchedStream } from './exchange-stream.ts'
import { codecFor } from './options-check.ts'
import { expandParallelWrapper, isParallelWrapper } from './parallel-wrapper.ts'
import type { Restorer } from './restore-call-part.ts'
import { restoreCallPart } from './restore-call-part.ts'
import { createUniqueIds } from './unique-ids.ts'

export interface ExchangeOptions extends ConvertToolsOptions {
  /** What to do about calls without a result and results without a call. */
  readonly pairing?: PairingPolicy
  /** How long the upstream's streams and their events may be. */
  readonly limits?: StreamLimits
}

interface Converted<T> {
  readonly value: T
  readonly diagnostics: Diagnostic[]
}

export interface Exchange {
  /** The client's request, as the upstream takes it. */
  request(body: unknown): Converted<JsonObject>
  /** The upstream's answer or error, as the client expects it. */
  response(body: unknown): Converted<JsonObject> & {
    /** The HTTP status to answer with: 200, or what the client's wire says of this error. */
    readonly status: number
  }
  /** The upstream's server-sent events, as the client expects them. */
  stream(): ExchangeStream
}

/** What answers need and the upstream may not give: ids and the time. */
export interface Source {
  readonly newId: (prefix: string) => string
  /** Seconds since 1970. */
  readonly now: () => number
}

export function createExchangeWith({ newId, now }: Source, options: ExchangeOptions): Exchange {
  const client = codecs[codecFor(options.from, 'from').wire]
  const upstream = codecs[codecFor(options.to, 'to').wire]
  const hosted = client.hostedCalls === undefined ? {} : { hostedCalls: client.hostedCalls }
  let undo: CallUndo = createCallUndo([])
  let asked: JsonObject | undefined
  return {
    request(body) {
      const { report, diagnostics } = createReport()
      if (!isObject(body)) {
        report('invalid_request', [], 'A request body must be an object.')
        return { value: {}, diagnostics }
      }
      const context = adaptContext(options, report)
      const request = adaptRequest(
        client.decodeRequest(body, report),
        { pairing: options.pairing ?? 'error', ...hosted },
        context,
      )
      undo = createCallUndo(request.tools.tools ?? [])
      asked = body
      return { value: upstream.encodeRequest(request, report), diagnostics }
    },
    response(body) {
      const { report, diagnostics } = createReport()
      if (!isObject(body)) {
        report('invalid_request', [], 'An answer must be an object.')
        return { value: {}, diagnostics, status: 502 }
      }
      const answer = restoreCalls(
        upstream.decodeAnswer(body, report),
        { undo, newId, verbatim: client === upstream, ...hosted },
        report,
      )
      const turns = dropForeignParts(answer.turns, {
        target: client.wire,
        report,
        sameWire: client === upstream,
      })
      const answerContext = { newId, now, ...(asked === undefined ? {} : { request: asked }) }
      const value = client.encodeAnswer({ ...answer, turns }, answerContext, report)
      return { value, diagnostics, status: statusOf(answer, client.profile) }
    },
    stream() {
      const { report, diagnostics } = createReport()
      const answerContext = { newId, now, ...(asked === undefined ? {} : { request: asked }) }
      const encoder = client.createStreamEncoder(answerContext, report)
      const untouched = client === upstream && !undo.adapts
      const create = untouched ? createUntouchedStream : createStream
      return create({
        // A decoder that only watches has nothing to tell: what it does not understand passes all the same.
        decoder: upstream.createStreamDecoder(untouched ? () => undefined : report),
        encoder,
        restorer: { undo, newId, verbatim: client === upstream, ...hosted },
        report,
        diagnostics,
        limits: options.limits ?? {},
      })
    },
  }
}

/** Where a failed answer is still an answer it is told like any other; elsewhere the failure has a status. */
function statusOf({ error, turns, id }: Answer, { failedAnswers, overloadedStatus }: Profile): number {
  if (error === undefined || (failedAnswers && (turns.length > 0 || id !== undefined))) return 200
  return error.kind === 'overloaded' ? overloadedStatus : errorStatus[error.kind]
}

function restoreCalls(answer: Answer, restorer: Restorer, report: Report): Answer {
  const { declared } = restorer.undo
  const unique = createUniqueIds(report)
  const restore = (part: Part): Part[] => {
    if (part.kind !== 'call') return [part]
    const bundled = isParallelWrapper(part, declared) ? expandParallelWrapper(part, declared) : undefined
    return (bundled ?? [part]).map(call => restoreCallPart(unique(call), restorer))
  }
  return { ...answer, turns: answer.turns.map(turn => ({ ...turn, parts: turn.parts.flatMap(restore) })) }
}
