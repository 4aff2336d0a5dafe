/** The stream of one answer: chunks of the upstream's bytes in, text for the client out. */

import type { JsonObject } from '../../json/object.ts'
import type { ApiError, FinishReason } from '../../model/answer.ts'
import type { Diagnostic, Report } from '../../model/diagnostic.ts'
import type { ErrorEvent, StreamEvent } from '../../model/stream-event.ts'
import type { AnswerContext, WireConversation } from '../../wires/define-wire.ts'
import type { StreamReader } from '../../wires/fast-path/stream-reader.ts'
import type { CompactedAnswers } from '../compaction/compacted-answers.ts'
import type { RoundRequest, StreamRounds } from '../server-tools/streamed-rounds.ts'
import type { KeptReasoning } from '../shared/kept-reasoning.ts'
import type { ReasoningSealer } from '../shared/sealed-reasoning.ts'
import type { ServerCall } from '../shared/server-calls.ts'
import type { StreamRecord, TokenUsage } from './stream-record.ts'

/** The answer of an exchange as a stream: bytes of the upstream in, text for the client out. */
export interface ExchangeStream {
  /**
   * Call it first, to send the client the start of its answer before the upstream's first event. `createdAt` is in
   * seconds since 1970. Returns an empty string for a passthrough stream.
   */
  begin(createdAt?: number): string
  /** Takes a chunk of the upstream's stream; returns complete events for the client. */
  push(chunk: string | Uint8Array): string
  /** What `push` returned last has the bytes of the chunk that it was given. */
  readonly isUnchanged: boolean
  /** The upstream's stream has ended. */
  end(): string
  /** Streams a complete answer, for an upstream that was asked for a stream and did not send one. */
  whole(body: unknown): string
  /** Ends the stream with an error event of the client's wire; `isCancelled`: because somebody wanted it to end. */
  fail(error: ApiError, isCancelled?: boolean): string
  /**
   * Calls for you to run, once the upstream's answer has ended. If the client has no calls to run and none is
   * truncated, the client's stream is still open: pass the results to the exchange's `next`, send its request, and
   * push the new answer here.
   */
  readonly serverCalls: readonly ServerCall[]
  /**
   * After the exchange's `next`: returns the client's events for the results, before the next answer arrives. `push`
   * does this too.
   */
  nextRound(): string
  /**
   * With `holdEnd`: returns the held end of a finished stream, as often as it is asked for. `fail` returns what to send
   * instead, for an answer that could not be stored.
   */
  release(): string
  /** Ends an answer that waits for server tool calls, if no further round will follow. */
  stop(): string
  /** Why the answer failed, once it has. */
  readonly failure: string | undefined
  /** How the answer ended, once it has. While server tool calls are pending, how the upstream ended this round. */
  readonly finish: FinishReason | undefined
  readonly usage: TokenUsage | undefined
  /** The names of the calls that the client was sent. */
  readonly calls: readonly string[]
  /** It has held a summary of the conversation so far. */
  readonly isCompacted: boolean
  /**
   * With `seal`, once finished: the reasoning that comes with the client's calls. Store it for clients that return none,
   * and return it from `keptReasoningFor` in the exchange of a later request.
   */
  readonly kept: KeptReasoning | undefined
  /** Once finished: the complete answer as the client's wire has it without a stream. */
  readonly answer: JsonObject | undefined
  /** The number of events received, without those that only keep the connection alive. */
  readonly progress: number
  /** The length of all its texts so far, in characters. */
  readonly textLength: number
  /** The length of an incomplete event in characters, once it is too long to be a keep-alive event. */
  readonly unfinished: number
  readonly diagnostics: Diagnostic[]
}

/** In characters. A longer stream fails with an error event. */
export interface StreamLimits {
  /** The longest event; twice as long where it passes unchanged. */
  readonly event?: number
  /** The values of one event. */
  readonly nodes?: number
  /** The whole stream. */
  readonly stream?: number
  /** The parts of an answer that is converted. */
  readonly parts?: number
}

export interface StreamParts {
  readonly client: WireConversation
  readonly upstream: WireConversation
  /** Complete answers come from `JSON.parse`. */
  readonly parsed: boolean
  readonly prepared: RoundRequest & {
    readonly answerContext: AnswerContext
    readonly compacted: CompactedAnswers | undefined
  }
  readonly report: Report
  readonly diagnostics: Diagnostic[]
  readonly limits: StreamLimits
  /** Set if the reasoning of the answer is sealed. */
  readonly sealer?: ReasoningSealer | undefined
  readonly answerId?: string | undefined
  /** Hold the end of the stream back until `release`. */
  readonly holdEnd: boolean
  /** How long all texts of the answer may be, where not any length will do. */
  readonly mostText?: number | undefined
  /** Where a long text goes that the end of the stream repeats. */
  readonly longTexts?: Iterable<string>[] | undefined
}

/** Writes the client's side of a stream. */
export interface StreamOutput {
  /** `source` is the text that the events were read from. */
  write(events: readonly StreamEvent[], source: string): string
  /** The events of an answer that arrived complete. */
  writeWhole(events: readonly StreamEvent[]): string
  /** The upstream's stream has ended. */
  end(reader: StreamReader): string
  fail(event: ErrorEvent, reader: StreamReader): string
  begin(createdAt?: number): string
  nextRound(): string
  stop(): string
  release(): string
  answer(reader: StreamReader): JsonObject | undefined
  /** The end has been written here. */
  readonly isClosed: boolean
  readonly usage: TokenUsage | undefined
  readonly record: StreamRecord
  readonly kept: KeptReasoning | undefined
  /** Absent where the upstream's text is sent on. */
  readonly rounds: StreamRounds | undefined
}
