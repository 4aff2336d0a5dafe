/** One answer's stream: bytes in any cut from the upstream, text for the client as soon as it is certain. */

import type { JsonObject } from '../../json/object.ts'
import type { ApiError, FinishReason } from '../../model/answer.ts'
import type { Diagnostic, Report } from '../../model/diagnostic.ts'
import type { SseParser } from '../../sse/sse-parser.ts'
import type { WireConversation } from '../../wires/define-wire.ts'
import type { PreparedRequest } from '../prepared-request.ts'
import type { ServerCall } from '../server-tools/server-call.ts'
import type { TokenUsage } from './stream-record.ts'

export interface ExchangeStream {
  /**
   * Before all else: tells the client that its answer has begun, where it is not to wait for the upstream's first word.
   * The time is in seconds since 1970. Gives nothing where the upstream's own words pass as they are.
   */
  begin(createdAt?: number): string
  /** A piece of the upstream's answer; gives what the client can be told by now, in whole events. */
  push(chunk: string | Uint8Array): string
  /** The upstream is at its end. */
  end(): string
  /** The upstream answered whole, although a stream was asked for: the client gets its stream all the same. */
  whole(body: unknown): string
  /** Something went wrong on the way. The client is told as its wire tells it, and the stream is over. */
  fail(error: ApiError): string
  /**
   * Calls for you to run, once the upstream's answer is over. If there are no calls for the client too, and none is
   * truncated, the client has not been told the end: give the results to the exchange's `next`, send its request,
   * and push the new answer here.
   */
  readonly serverCalls: readonly ServerCall[]
  /**
   * After the exchange's `next`: what the client can be told of the results, before the next answer comes. To push
   * the answer does the same.
   */
  nextRound(): string
  /**
   * With `holdEnd`: what ends the stream, once it is over. `fail` replaces it, for an answer that could not be stored.
   */
  release(): string
  /** Ends an answer that waits for calls that are held, when you will not go on with it. */
  stop(): string
  /** Why the answer failed, once it has. */
  readonly failure: string | undefined
  /** How the answer ended, once it has. While calls are held it is how the upstream ended its last answer. */
  readonly finish: FinishReason | undefined
  readonly usage: TokenUsage | undefined
  /** The names of the calls that the client has been told to run. */
  readonly calls: readonly string[]
  /** Once over: the whole answer, as the client's wire would have given it without a stream. */
  readonly answer: JsonObject | undefined
  /** How many events have come. Those that only keep the connection alive do not count. */
  readonly progress: number
  /** How many characters have come of an event that is not over, once it cannot be one of those any more. */
  readonly unfinished: number
  readonly diagnostics: Diagnostic[]
}

/** In characters. Beyond them a stream fails, in the words of the client's wire. */
export interface StreamLimits {
  /** The longest event. */
  readonly event?: number
  /** The whole stream. */
  readonly stream?: number
}

export interface StreamParts {
  readonly client: WireConversation
  readonly upstream: WireConversation
  readonly prepared: PreparedRequest
  readonly report: Report
  readonly diagnostics: Diagnostic[]
  readonly limits: StreamLimits
  readonly answerId?: string | undefined
  /** The end of the stream is kept back until `release`. */
  readonly holdEnd: boolean
}

const mebi = 1024 * 1024

/** Beyond these a stream fails. */
export function limitsOf({ event = 64 * mebi, stream = 1024 * mebi }: StreamLimits): Required<StreamLimits> {
  return { event, stream }
}

/** An event of fewer characters may say no more than that somebody is there. */
const longestKeepAlive = 80

/** What has come of an event that is not over, when it says more than that somebody is there. */
export function unfinishedIn({ pendingLength: unfinished }: SseParser): number {
  return unfinished < longestKeepAlive ? 0 : unfinished
}

export function serverError(message: string): ApiError {
  return { kind: 'server', message }
}

export const notAnObject = "The upstream's answer is not a JSON object."
