/** The state of an exchange after its request: what the upstream was sent, and how its answers are read. */

import type { JsonObject } from '../json/object.ts'
import { append, compact, isObject, isSame } from '../json/object.ts'
import type { Answer } from '../model/answer.ts'
import type { Compaction, CompactionDemand, NativeCompaction } from '../model/compaction.ts'
import type { Part } from '../model/conversation.ts'
import type { Diagnostic, Report } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { AnswerContext } from '../wires/define-wire.ts'
import { adaptRequest } from './adapt/request-adaptations.ts'
import { forbidCalls } from './adapt/tools/forced-choice.ts'
import { holdsCompaction } from './adapt/turns/compactions.ts'
import type { MadeCompaction } from './compaction/compacted-answers.ts'
import { CompactedAnswers, tailFor } from './compaction/compacted-answers.ts'
import type { Endpoints, IdSource } from './exchange-options.ts'
import type { CallRules } from './server-tools/call-rules.ts'
import { createCallRules } from './server-tools/call-rules.ts'
import { MergedAnswer } from './server-tools/merged-answer.ts'
import { Rounds } from './server-tools/rounds.ts'
import type { RoundFacts, ServerRound } from './server-tools/server-round.ts'
import type { FindKeptReasoning } from './shared/kept-reasoning.ts'
import { restoreKeptReasoning } from './shared/kept-reasoning.ts'
import type { ReasoningSealer } from './shared/sealed-reasoning.ts'
import type { ServerCallResult } from './shared/server-calls.ts'
import type { CallUndo } from './undo/call-undo.ts'
import { createCallUndo } from './undo/call-undo.ts'
import type { UndoContext } from './undo/restore-call-part.ts'

/** For an answer without a request, or to a request that was passed through unread: there is nothing to undo. */
export function unreadRequest(endpoints: Endpoints, read?: () => JsonObject): PreparedRequest {
  const request = noRequest
  return new PreparedRequest({ endpoints, decoded: request, request, value: {}, read, reported: [] })
}

/** Decodes the client's request only when an answer has to repeat it. */
class UnreadContext implements AnswerContext {
  readonly newId: IdSource['newId']
  readonly now: IdSource['now']
  readonly cache = {}
  readonly #read: () => JsonObject
  #request: JsonObject | undefined

  constructor({ newId, now }: IdSource, read: () => JsonObject) {
    this.newId = newId
    this.now = now
    this.#read = read
  }

  get request(): JsonObject {
    this.#request ??= this.#read()
    return this.#request
  }
}

export interface RequestOptions {
  readonly clientRequest?: JsonObject
  /** Finds the stored reasoning of an earlier answer (`kept`) by its first call. */
  readonly keptReasoningFor?: FindKeptReasoning
  /** What is asked for beside the body, for instance by the address that it was sent to. */
  readonly demand?: CompactionDemand
  /** Stands for the history, except for its last turns. */
  readonly compacted?: Pick<Compaction, 'summary'>
}

/** A request that was read, and what was reported about it so far. */
export interface DecodedRequest {
  readonly body: unknown
  /** Absent if the body is no request. */
  readonly request?: Request
  readonly report: Report
  readonly diagnostics: Diagnostic[]
}

export function prepareRequest(
  { body: given, request: read = noRequest, report, diagnostics }: DecodedRequest,
  endpoints: Endpoints,
  { clientRequest: stated, keptReasoningFor, compacted, demand }: RequestOptions,
): PreparedRequest {
  const { client, upstream, conversion } = endpoints
  const body = isObject(given) ? given : {}
  const clientRequest = stated ?? body
  const known =
    keptReasoningFor === undefined ? read : restoreKeptReasoning(read, keptReasoningFor, client.wire)
  const decoded = demand === undefined ? known : { ...known, compaction: demand }
  const compactedRequest = compacted === undefined ? decoded : withCompaction(decoded, compacted, client.wire)
  const request = adaptRequest(compactedRequest, conversion, report)
  const value = upstream.encodeRequest(request, report)
  if (client !== upstream && isEmptyHistory(value[upstream.habits.history])) {
    const { history } = client.habits
    const isExplained = diagnostics.some(({ severity, path }) => severity === 'error' && path[0] === history)
    const message = isEmptyHistory(body[history])
      ? `"${history}" is required, with at least one message.`
      : 'No message is left to send; the target needs at least one.'
    if (!isExplained) report('request_emptied', [history], message)
  }
  const reported = diagnostics
  return new PreparedRequest({ endpoints, decoded, request, value, clientRequest, body, reported })
}

/** The history ends with a compaction, as that of the client will with the answer. */
function withCompaction(request: Request, { summary }: Pick<Compaction, 'summary'>, wire: string): Request {
  const { compaction: demand } = request
  if (demand === undefined) return request
  const { path } = demand
  const opened = { summary, tail: tailFor(demand) }
  const part: Part = { kind: 'opaque', wire, value: null, path, compaction: { field: '', opened } }
  return { ...request, turns: [...request.turns, { role: 'assistant', parts: [part], root: path }] }
}

const noRequest: Request = { turns: [], tools: {}, settings: {} }

function isEmptyHistory(history: unknown): boolean {
  return history === undefined || (Array.isArray(history) && history.length === 0)
}

interface PreparedParts {
  readonly endpoints: Endpoints
  readonly decoded: Request
  readonly request: Request
  readonly value: JsonObject
  readonly clientRequest?: JsonObject
  readonly body?: JsonObject
  /** Set for a request that is passed through unread. */
  readonly read?: (() => JsonObject) | undefined
  readonly reported: readonly Diagnostic[]
}

/** Most requests have one round and no server tools, so everything else is created on first use. */
export class PreparedRequest {
  /** The first request to the upstream. */
  readonly value: JsonObject
  readonly answerContext: AnswerContext
  /** Ids of calls in earlier rounds. */
  readonly usedCallIds: string[] = []
  readonly #parts: PreparedParts
  #undo: CallUndo | undefined
  #undoContext: UndoContext | undefined
  /** `null` if there are none, `undefined` before they are created. */
  #rules: CallRules | null | undefined
  #rounds: Rounds | undefined
  #merged: MergedAnswer | undefined
  #pending: { readonly answer: Answer; readonly round: ServerRound } | undefined
  #isPassthrough: boolean | undefined
  #compacted: CompactedAnswers | undefined
  #demand: CompactionDemand | undefined

  constructor(parts: PreparedParts) {
    this.#parts = parts
    this.value = parts.value
    this.answerContext = contextOf(parts)
  }

  get #callUndo(): CallUndo {
    this.#undo ??= createCallUndo(this.#parts.request.tools.tools ?? [])
    return this.#undo
  }

  get undoContext(): UndoContext {
    const { client, upstream, ids } = this.#parts.endpoints
    this.#undoContext ??= {
      undo: this.#callUndo,
      newId: ids.newId,
      verbatim: client === upstream,
      ...(client.hostedCalls !== undefined && { hostedCalls: client.hostedCalls }),
    }
    return this.#undoContext
  }

  /** Who runs which call; absent if every call goes to the client. */
  get rules(): CallRules | undefined {
    // Whoever writes a summary was given no tools.
    if (this.#compacted?.isSummary) return undefined
    const { decoded, request } = this.#parts
    if (this.#rules === undefined) this.#rules = createCallRules(decoded.tools, request.tools) ?? null
    return this.#rules ?? undefined
  }

  get rounds(): Rounds {
    const { endpoints, request, reported } = this.#parts
    const { upstream, conversion } = endpoints
    this.#rounds ??= new Rounds({ upstream, conversion, request, reported })
    return this.#rounds
  }

  /** Both wires are the same and answers need no changes. */
  get answersUnchanged(): boolean {
    const { client, upstream, options } = this.#parts.endpoints
    return (
      client === upstream &&
      !this.#seals &&
      // What it repeats of the request would be another's.
      this.answerContext.restated !== true &&
      this.demand === undefined &&
      this.#compacted === undefined &&
      options.answerId === undefined &&
      !this.#callUndo.adapts &&
      this.rules === undefined
    )
  }

  /** For the reasoning of answers; `undefined` if the client can return it as it is, or nobody seals it. */
  sealerFor(report: Report): ReasoningSealer | undefined {
    const { endpoints, decoded } = this.#parts
    const { client, options, conversion } = endpoints
    if (options.seal === undefined || !this.#seals) return undefined
    const mayKeep = decoded.settings.store?.value !== false
    return { seal: options.seal, origin: conversion.target, clientWire: client.wire, mayKeep, report }
  }

  get #seals(): boolean {
    const { client, upstream, options } = this.#parts.endpoints
    return options.seal !== undefined && (client !== upstream || options.sealsOwnWire === true)
  }

  /** What is to be summarised here. */
  get demand(): CompactionDemand | undefined {
    const { compaction } = this.#parts.request
    return this.#demand ?? (compaction?.isTaken ? compaction : undefined)
  }

  get nativeCompaction(): NativeCompaction | undefined {
    const { compaction, turns } = this.#parts.request
    const demand = compaction?.isTaken === true ? undefined : compaction
    const hasItems = holdsCompaction(turns)
    return demand === undefined && !hasItems ? undefined : { ...compact({ demand }), hasItems }
  }

  /** The request as the client meant it, before adaptations. */
  get decoded(): Request {
    return this.#parts.decoded
  }

  get compacted(): CompactedAnswers | undefined {
    return this.#compacted
  }

  answerWith(demand: CompactionDemand, made: MadeCompaction | undefined): void {
    const { client, ids, options, conversion } = this.#parts.endpoints
    const { compactions } = client
    if (compactions === undefined || options.seal === undefined) return
    const { seal } = options
    const parts = { compactions, seal, origin: conversion.target, newId: ids.newId, demand }
    this.#demand = demand
    this.#compacted = new CompactedAnswers(parts, made)
  }

  get isPassthrough(): boolean {
    const { body, value, read } = this.#parts
    this.#isPassthrough ??=
      this.answersUnchanged && (read !== undefined || (body !== undefined && isSame(body, value)))
    return this.#isPassthrough
  }

  factsOf(rules: CallRules): RoundFacts {
    const { client, ids } = this.#parts.endpoints
    return { rules, undo: this.#callUndo, serverCalls: client.serverCalls, newId: ids.newId }
  }

  /** The rounds that were answered whole, for a stream that continues them. */
  get answeredSoFar(): Answer | undefined {
    return this.#merged?.soFar
  }

  /** Puts the earlier rounds in front of a complete answer. */
  merge(answer: Answer): Answer {
    return this.#merged?.with(answer) ?? answer
  }

  /** Sets the current round to that of a complete answer. */
  setRound(answer: Answer, round: ServerRound | undefined): void {
    this.#pending = round && { answer, round }
    if (round !== undefined || this.#rounds !== undefined) this.rounds.current = round
  }

  next(results: readonly ServerCallResult[], last: boolean): ReturnType<Rounds['next']> {
    const { decoded, request } = this.#parts
    const round = this.rounds.current
    const next = this.rounds.next(results, last)
    if (round !== undefined) append(this.usedCallIds, round.ids)
    if (this.#pending !== undefined && this.#pending.round === round) {
      this.#merged ??= new MergedAnswer()
      this.#merged.add(this.#pending.answer, this.#pending.round)
    }
    if (last) this.#rules = createCallRules(forbidCalls(decoded.tools), request.tools) ?? null
    return next
  }
}

function contextOf(parts: PreparedParts): AnswerContext {
  const { endpoints, clientRequest, body, read, request } = parts
  const { ids } = endpoints
  const { newId, now } = ids
  if (read !== undefined) return new UnreadContext(ids, read)
  return clientRequest === undefined
    ? { newId, now }
    : {
        newId,
        now,
        request: clientRequest,
        restated: clientRequest !== body,
        sentTools: request.tools.tools ?? [],
        cache: {},
      }
}
