/**
 * One request and its answer between a client's wire and an upstream's. The request is adapted to the upstream, and
 * the adaptations are undone in the answer.
 */

import { findNonJson } from '../json/non-json.ts'
import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import type { CompactionDemand, NativeCompaction } from '../model/compaction.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import type { StrictPasses } from '../schema/strict/passes.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { createConversionContext } from './adapt/context.ts'
import type { MadeCompaction, SummaryOutcome } from './compaction/compacted-answers.ts'
import { convertSummaryRequest, readSummary } from './compaction/convert-summary.ts'
import type { AnswerSummary, ConvertedAnswer } from './convert-answer.ts'
import { convertAnswer, summarizeAnswer } from './convert-answer.ts'
import type { Endpoints, ExchangeOptions, IdSource } from './exchange-options.ts'
import type { EncodedError, LocalError } from './local-answer.ts'
import { encodeErrorFor } from './local-answer.ts'
import type { DecodedRequest, PreparedRequest, RequestOptions } from './prepared-request.ts'
import { prepareRequest, unreadRequest } from './prepared-request.ts'
import { sentCallIds } from './shared/client-calls.ts'
import type { SentCall } from './shared/kept-reasoning.ts'
import { callsWithoutReasoning } from './shared/kept-reasoning.ts'
import { checkMedia, checkPairing, checkToolOptions } from './shared/options.ts'
import type { ServerCallRecord, ServerCallResult } from './shared/server-calls.ts'
import { AnswerStream } from './stream/answer-stream.ts'
import type { ExchangeStream } from './stream/exchange-stream.ts'

interface Converted<T> {
  readonly value: T
  readonly diagnostics: Diagnostic[]
}

/** One request and its answer between a client's wire and an upstream's wire. */
export interface Exchange {
  /**
   * Converts the client's request for the upstream. Pass `clientRequest` if the client sent something else than
   * `body`, for instance because a stored history was added: some wires repeat the request in their answers.
   */
  request(body: unknown, options?: RequestOptions): Converted<JsonObject>
  /**
   * The calls in a request whose reasoning the client did not return: the first one of each answer. `keptReasoningFor` is
   * asked for the same calls if `request` is called next with the same body.
   */
  callsWithoutReasoning(body: unknown): readonly SentCall[]
  /** The ids for which `serverCallRecordFor` is asked if `request` is called next with the same body. */
  sentCallIds(body: unknown): readonly string[]
  /**
   * Use this instead of `request` if both wires are the same and the client's bytes are sent on unread. `read` is
   * called only if an answer made here has to repeat the request.
   */
  passthrough(read: () => JsonObject): void
  /** Converts the upstream's answer or error for the client. */
  response(body: unknown): ConvertedAnswer
  /** After `passthrough`: summarizes an answer that is sent on unchanged, without encoding it. */
  summary(body: unknown): AnswerSummary
  /**
   * Converts the upstream's stream for the client. With `holdEnd` the last event is held back until `release`, so that
   * the answer can be stored first. Give `longTexts` an empty list if answers may be very long: where the end of a stream
   * repeats a text of more than a million characters, the text is put there once, as pieces that are made when they are
   * read, and `\0index\0` stands for it. With `mostText` an answer whose texts have more characters fails.
   */
  stream(options?: {
    readonly holdEnd?: boolean
    readonly longTexts?: Iterable<string>[]
    readonly mostText?: number
  }): ExchangeStream
  /**
   * Returns the upstream's next request, with the results of the server tool calls. A forced tool choice is lifted,
   * because the forced call has been made. In the `last` request the model may not call any tools.
   */
  next(results: readonly ServerCallResult[], options?: { readonly last?: boolean }): Converted<JsonObject>
  /**
   * For an answer that ends with calls for the client: the server tool calls of this round and of earlier ones, which
   * the client will not send back. Store the record under each of its `callIds`, and return it from
   * `serverCallRecordFor` in the exchange of a later request. `undefined` if there were no such calls.
   */
  serverCallRecord(results: readonly ServerCallResult[]): ServerCallRecord | undefined
  /**
   * With `compacts`, after `request`: what the client asks to be summarised, and the upstream does not do. Send
   * `summaryRequest`, if the conversation is long enough. Where the summary is the whole answer (`isAlone`), or there is no
   * threshold, call `answerWith` and convert the upstream's answer as usual. Otherwise read it with `summaryOf`, call `request`
   * again with `compacted`, and `answerWith` with what was made.
   */
  readonly compaction: CompactionDemand | undefined
  /** After `request`: what is left to the upstream, because it speaks the client's wire and makes summaries itself. */
  readonly nativeCompaction: NativeCompaction | undefined
  /** `undefined` if there is nothing that a summary could stand for. */
  summaryRequest(options?: { readonly whole?: boolean }): Converted<JsonObject> | undefined
  summaryOf(body: unknown): SummaryOutcome
  /** Without `made`, the upstream's next answer is the summary. */
  answerWith(demand: CompactionDemand, made?: MadeCompaction): void
  /** Encodes an error made here, such as an unreachable upstream, for the client. */
  failure(error: LocalError): EncodedError
  /** After `request`: true if the client's bytes and the bytes of a stream can be sent on unchanged. */
  readonly isPassthrough: boolean
}

/** The options are not copied, because this is done for every request of a gateway. */
export function createExchangeWith(
  ids: IdSource,
  { from, to }: { readonly from: WireConversation; readonly to: WireConversation },
  options: Omit<ExchangeOptions, 'from' | 'to'>,
  strictPasses: StrictPasses | undefined = options.strictPasses,
): Exchange {
  checkToolOptions(options, strictPasses)
  checkPairing(options.pairing)
  checkMedia(options.media)
  const { upstream, pairing = 'error', media = 'error', tools = [], serverCallRecordFor } = options
  const { hostedCalls, serverCalls } = from
  const compacts = options.compacts === true && options.seal !== undefined && from.compactions !== undefined
  const serverTools = [...tools]
  const client = { pairing, media, hostedCalls, serverCalls, serverCallRecordFor, serverTools, compacts }
  const conversion = createConversionContext({ from, to, upstream }, options, client, strictPasses)
  return new WireExchange({ client: from, upstream: to, ids, options, conversion })
}

/** The methods are bound (arrow functions), so that they can be destructured and passed on. */
class WireExchange implements Exchange {
  readonly #endpoints: Endpoints
  #request: PreparedRequest | undefined
  #read: (() => JsonObject) | undefined
  #decoded: DecodedRequest | undefined

  constructor(endpoints: Endpoints) {
    this.#endpoints = endpoints
  }

  get #prepared(): PreparedRequest {
    this.#request ??= unreadRequest(this.#endpoints, this.#read)
    return this.#request
  }

  get isPassthrough(): boolean {
    return this.#prepared.isPassthrough
  }

  readonly request: Exchange['request'] = (body, options = {}) => {
    const decoded = this.#decode(body)
    this.#decoded = undefined
    const { diagnostics } = decoded
    if (decoded.request === undefined) return { value: {}, diagnostics }
    const prepared = prepareRequest(decoded, this.#endpoints, options)
    this.#request = prepared
    return { value: prepared.value, diagnostics }
  }

  readonly callsWithoutReasoning: Exchange['callsWithoutReasoning'] = body => {
    const decoded = this.#decode(body)
    this.#decoded = decoded
    return decoded.request === undefined ? [] : callsWithoutReasoning(decoded.request)
  }

  readonly sentCallIds: Exchange['sentCallIds'] = body => {
    const decoded = this.#decode(body)
    this.#decoded = decoded
    return decoded.request === undefined ? [] : sentCallIds(decoded.request)
  }

  /** Once for each body. */
  #decode(body: unknown): DecodedRequest {
    if (this.#decoded !== undefined && this.#decoded.body === body) return this.#decoded
    const { report, diagnostics } = createReport()
    if (!isObject(body)) {
      report('invalid_request', [], 'A request body must be an object.')
      return { report, diagnostics, body }
    }
    const problem = this.#endpoints.options.parsed ? undefined : findNonJson(body)
    if (problem !== undefined) {
      report('invalid_request', problem.path, problem.message)
      return { report, diagnostics, body }
    }
    return { report, diagnostics, body, request: this.#endpoints.client.decodeRequest(body, report) }
  }

  get nativeCompaction(): NativeCompaction | undefined {
    return this.#prepared.nativeCompaction
  }

  get compaction(): CompactionDemand | undefined {
    return this.#prepared.demand
  }

  readonly summaryRequest: Exchange['summaryRequest'] = (options = {}) =>
    convertSummaryRequest(this.#prepared, this.#endpoints, options)

  readonly summaryOf: Exchange['summaryOf'] = body =>
    readSummary(body, this.#prepared.demand, this.#endpoints)

  readonly answerWith: Exchange['answerWith'] = (demand, made) => this.#prepared.answerWith(demand, made)

  readonly passthrough: Exchange['passthrough'] = read => {
    const { client, upstream, options, conversion } = this.#endpoints
    const hasTools = conversion.client?.serverTools.length !== 0
    if (client !== upstream || hasTools || options.answerId !== undefined) {
      throw new Error('"passthrough" needs the same wire on both sides, no "tools" and no "answerId".')
    }
    this.#read = read
    this.#request = undefined
  }

  readonly response: Exchange['response'] = body => convertAnswer(body, this.#prepared, this.#endpoints)

  readonly summary: Exchange['summary'] = body => summarizeAnswer(body, this.#prepared, this.#endpoints)

  readonly stream: Exchange['stream'] = ({ holdEnd = false, longTexts, mostText } = {}) => {
    const { client, upstream, options } = this.#endpoints
    const { report, diagnostics } = createReport()
    const prepared = this.#prepared
    const { limits = {}, answerId, parsed = false } = options
    const sealer = prepared.sealerFor(report)
    const outcome = { report, diagnostics, sealer, mostText }
    const parts = { client, upstream, prepared, ...outcome, limits, answerId, holdEnd, longTexts, parsed }
    return new AnswerStream(parts, prepared.answersUnchanged && !holdEnd)
  }

  readonly next: Exchange['next'] = (results, { last = false } = {}) => this.#prepared.next(results, last)

  readonly serverCallRecord: Exchange['serverCallRecord'] = results => this.#prepared.rounds.record(results)

  readonly failure: Exchange['failure'] = error =>
    encodeErrorFor(this.#endpoints.client, error, this.#prepared.answerContext)
}
