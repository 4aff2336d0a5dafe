/**
 * One request and its answer between a client's wire and an upstream's. The request is fitted to the upstream;
 * what was changed is kept and undone in the answer.
 */

import type { JsonObject } from '../json/json.ts'
import { isObject } from '../json/json.ts'
import type { FinishReason } from '../model/answer.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { PairingPolicy } from './adapt/call-pairing.ts'
import type { FindServerCallRecord } from './adapt/restore-server-calls.ts'
import { convertAnswer, summarizeAnswer } from './convert-answer.ts'
import { createAdaptContext } from './convert-tools.ts'
import type { EncodedError, LocalError } from './local-answer.ts'
import { encodeErrorFor } from './local-answer.ts'
import type { ToolOptions } from './options.ts'
import type { Endpoints, PreparedRequest } from './prepared-request.ts'
import { prepareRequest, unreadRequest } from './prepared-request.ts'
import type { ServerCall, ServerCallResult, ServerTool } from './server-tools/server-call.ts'
import type { ServerCallRecord } from './server-tools/server-call-record.ts'
import type { ExchangeStream, StreamLimits } from './stream/exchange-stream.ts'
import { createPassthroughStream } from './stream/passthrough-stream.ts'
import type { TokenUsage } from './stream/stream-record.ts'
import { createTranslatedStream } from './stream/translated-stream.ts'

export interface ExchangeOptions extends ToolOptions {
  /** The client's wire. */
  readonly from: WireConversation
  /** The upstream's wire. */
  readonly to: WireConversation
  /** What to do about calls without a result and results without a call. */
  readonly pairing?: PairingPolicy
  /** How long the upstream's streams and their events may be. */
  readonly limits?: StreamLimits
  /**
   * Tools that you run yourself. The upstream gets them beside the client's own; calls to them are `held`, and the
   * client sees at most that its provider has run something. A tool of the client's with the same name goes first.
   */
  readonly tools?: Iterable<ServerTool>
  /**
   * What was kept of an answer by `remember`, for the id of a call that the client was told of. The calls that the
   * client does not know are put back into its history.
   */
  readonly serverCallRecordFor?: FindServerCallRecord
  /** The id under which the client is to know the answer, instead of the upstream's. */
  readonly answerId?: string
}

interface Converted<T> {
  readonly value: T
  readonly diagnostics: Diagnostic[]
}

/** What is worth knowing of an answer besides its text. */
export interface AnswerSummary {
  readonly finish: FinishReason
  /** Over all rounds. */
  readonly usage?: TokenUsage
  /** The names of the calls that the client is told to run. */
  readonly calls: readonly string[]
}

/** The upstream's answer or error, as the client expects it. */
export interface ConvertedAnswer extends Converted<JsonObject>, AnswerSummary {
  /** The HTTP status to answer with: 200, or what the client's wire says of this error. */
  readonly status: number
  /**
   * Calls for you to run. If there are no calls for the client too, and none is truncated, the answer is not over:
   * give the results to `next`, send its request, and give the new answer to `response`.
   */
  readonly serverCalls: readonly ServerCall[]
}

export interface Exchange {
  /**
   * The client's request, as the upstream takes it. `clientRequest` is what the client really sent, where the body is more
   * than that; answers repeat it on wires where they do.
   */
  request(body: unknown, options?: { readonly clientRequest?: JsonObject }): Converted<JsonObject>
  /**
   * Instead of `request`, where one wire is on both sides and nothing is to be changed: the client's bytes go as they
   * are, unread. What they say is asked for only if an answer of one's own has to repeat it.
   */
  passthrough(read: () => JsonObject): void
  /** The upstream's answer or error, as the client expects it. */
  response(body: unknown): ConvertedAnswer
  /** After `pass`: what an answer says that goes to the client as it is, so that nothing has to be written. */
  summary(body: unknown): AnswerSummary
  /**
   * The upstream's stream, as the client expects it. With `holdEnd` the stream's end is kept back until `release`, so that
   * the answer can be stored first.
   */
  stream(options?: { readonly holdEnd?: boolean }): ExchangeStream
  /**
   * The upstream's next request, with the results of the calls that were held. A tool that was demanded has been
   * called and is demanded no more; after the `last` request the model may call nothing.
   */
  next(results: readonly ServerCallResult[], options?: { readonly last?: boolean }): Converted<JsonObject>
  /**
   * Of an answer that ends with calls for the client: what the client will not send back, because calls were held
   * in this round or in earlier ones. Keep it under each of its `callIds`, and give it to the exchange of a later
   * request through `recall`. Nothing, when there is nothing to be kept.
   */
  serverCallRecord(results: readonly ServerCallResult[]): ServerCallRecord | undefined
  /** An error of one's own, such as an upstream that cannot be reached, as the client expects it. */
  failure(error: LocalError): EncodedError
  /** After `request`: the client's bytes may go as they are, and a stream's come back as they are. */
  readonly isPassthrough: boolean
}

/** What answers need and the upstream may not give: ids and the time. */
export interface IdSource {
  readonly newId: (prefix: string) => string
  /** Seconds since 1970. */
  readonly now: () => number
}

export function createExchangeWith(source: IdSource, options: ExchangeOptions): Exchange {
  const adaptContext = createAdaptContext(options)
  const serverTools = options.tools === undefined ? [] : [...options.tools]
  return new WireExchange({
    client: options.from,
    upstream: options.to,
    ids: source,
    options,
    adaptContext,
    serverTools,
  })
}

/** Its functions know the exchange by themselves, so that they can be handed on alone. */
class WireExchange implements Exchange {
  readonly #endpoints: Endpoints
  #request: PreparedRequest | undefined
  #read: (() => JsonObject) | undefined

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
    const { report, diagnostics } = createReport()
    if (!isObject(body)) {
      report('invalid_request', [], 'A request body must be an object.')
      return { value: {}, diagnostics }
    }
    const prepared = prepareRequest(body, options.clientRequest ?? body, this.#endpoints, {
      report,
      diagnostics,
    })
    this.#request = prepared
    return { value: prepared.value, diagnostics }
  }

  readonly passthrough: Exchange['passthrough'] = read => {
    const { client, upstream, options, serverTools } = this.#endpoints
    if (client !== upstream || serverTools.length > 0 || options.answerId !== undefined) {
      throw new Error('"pass" needs one wire on both sides, no tools and no id of its own.')
    }
    this.#read = read
    this.#request = undefined
  }

  readonly response: Exchange['response'] = body => convertAnswer(body, this.#prepared, this.#endpoints)

  readonly summary: Exchange['summary'] = body => summarizeAnswer(body, this.#prepared, this.#endpoints)

  readonly stream: Exchange['stream'] = ({ holdEnd = false } = {}) => {
    const { client, upstream, options } = this.#endpoints
    const { report, diagnostics } = createReport()
    const prepared = this.#prepared
    const create = prepared.answersUnchanged && !holdEnd ? createPassthroughStream : createTranslatedStream
    return create({
      client,
      upstream,
      prepared,
      report,
      diagnostics,
      limits: options.limits ?? {},
      answerId: options.answerId,
      holdEnd,
    })
  }

  readonly next: Exchange['next'] = (results, { last = false } = {}) => this.#prepared.next(results, last)

  readonly serverCallRecord: Exchange['serverCallRecord'] = results => this.#prepared.rounds.record(results)

  readonly failure: Exchange['failure'] = error =>
    encodeErrorFor(this.#endpoints.client, error, this.#prepared.answerContext)
}
