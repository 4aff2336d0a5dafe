/**
 * The stream of one answer, from the upstream's bytes to the client's text: a reader decodes the text to events, and an
 * output writes what the client gets for them.
 */

import { findNonJson } from '../../json/non-json.ts'
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import type { ApiError, FinishReason } from '../../model/answer.ts'
import { answerEvents } from '../../model/answer-events.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import { createUtf8Decoder } from '../../sse/utf8-decoder.ts'
import { StreamReader } from '../../wires/fast-path/stream-reader.ts'
import type { KeptReasoning } from '../shared/kept-reasoning.ts'
import type { ServerCall } from '../shared/server-calls.ts'
import { ConvertedOutput } from './converted-output.ts'
import type { ExchangeStream, StreamOutput, StreamParts } from './exchange-stream.ts'
import { PassthroughOutput } from './passthrough-output.ts'
import type { TokenUsage } from './stream-record.ts'

/** A frame of fewer characters may mean no more than that somebody is there. */
const longestKeepAlive = 80

const mebi = 1024 * 1024

export class AnswerStream implements ExchangeStream {
  readonly diagnostics: Diagnostic[]
  readonly calls: readonly string[]
  readonly #parts: StreamParts
  readonly #isPassthrough: boolean
  readonly #longestFrame: number
  readonly #mostNodes: number
  readonly #longestStream: number
  readonly #longestText: number
  readonly #mostParts: number
  readonly #output: StreamOutput
  #decode = createUtf8Decoder()
  #reader: StreamReader
  /** The answer of this round, if it arrived complete instead of as a stream. */
  #whole: JsonObject | undefined
  #length = 0
  #partCount = 0
  textLength = 0
  isUnchanged = false
  /** The frames of earlier rounds. */
  #earlierProgress = 0

  /** `isPassthrough`: the client gets the upstream's frames as they are. */
  constructor(parts: StreamParts, isPassthrough: boolean) {
    const { event = 64 * mebi, nodes = 100_000, stream = 1024 * mebi } = parts.limits
    const { parts: mostParts = Number.POSITIVE_INFINITY } = parts.limits
    this.#parts = parts
    this.#isPassthrough = isPassthrough
    // One that is not converted costs half of the time.
    this.#longestFrame = isPassthrough ? 2 * event : event
    this.#mostNodes = nodes
    this.#longestStream = stream
    this.#longestText = parts.mostText ?? Number.POSITIVE_INFINITY
    this.#mostParts = isPassthrough ? Number.POSITIVE_INFINITY : mostParts
    this.#reader = this.#openReader()
    this.#output = isPassthrough
      ? new PassthroughOutput(parts)
      : new ConvertedOutput(parts, () => this.#whole ?? this.#reader.answer())
    this.diagnostics = parts.diagnostics
    this.calls = this.#output.record.calls
  }

  get failure(): string | undefined {
    return this.#output.record.failure
  }

  get finish(): FinishReason | undefined {
    return this.#output.record.finish ?? this.#output.rounds?.waiting?.finish.reason
  }

  get usage(): TokenUsage | undefined {
    return this.#output.usage
  }

  get serverCalls(): readonly ServerCall[] {
    return this.#output.rounds?.round?.serverCalls ?? []
  }

  get isCompacted(): boolean {
    return this.#output.record.isCompacted
  }

  get kept(): KeptReasoning | undefined {
    return this.#output.kept
  }

  get answer(): JsonObject | undefined {
    return this.#output.answer(this.#reader)
  }

  get progress(): number {
    return this.#earlierProgress + this.#reader.progress
  }

  get unfinished(): number {
    const { pendingLength } = this.#reader
    return pendingLength < longestKeepAlive ? 0 : pendingLength
  }

  // Bound, so that they can be destructured and passed on.
  readonly begin = (createdAt?: number): string => this.#output.begin(createdAt)
  readonly fail = (error: ApiError, isCancelled = false): string =>
    this.#output.fail({ type: 'error', error, ...(isCancelled && { isCancelled }) }, this.#reader)
  readonly release = (): string => this.#output.release()
  readonly stop = (): string => this.#output.stop()

  /** Starts the next round, if the results of the current one are known. */
  readonly nextRound = (): string => {
    const { rounds } = this.#output
    if (rounds?.waiting === undefined || rounds.round?.results === undefined) return ''
    this.#earlierProgress += this.#reader.progress
    this.#reader = this.#openReader()
    this.#decode = createUtf8Decoder()
    this.#whole = undefined
    return this.#output.nextRound()
  }

  readonly whole = (body: unknown): string => {
    const before = this.nextRound()
    if (this.#ignoresInput()) return before
    if (!isObject(body)) return before + this.#fail("The upstream's answer is not a JSON object.")
    const { upstream, report, parsed } = this.#parts
    const problem = parsed ? undefined : findNonJson(body)
    if (problem !== undefined) return before + this.#fail(problem.message)
    this.#reader.progress++
    this.#whole = body
    return before + this.#output.writeWhole([...answerEvents(upstream.decodeAnswer(body, report))])
  }

  readonly push = (chunk: string | Uint8Array): string => {
    this.isUnchanged = false
    const before = this.nextRound()
    if (this.#ignoresInput()) return before
    const text = this.#decode(chunk)
    this.#length += text.length
    const reader = this.#reader
    const events = reader.read(text)
    const { exceeded } = reader
    // The frames before one that is too long still count.
    const written = this.#write(events, exceeded === undefined ? text : text.slice(0, reader.completedLength))
    const limit = exceeded ?? this.#overLimit()
    const output =
      before + (limit === undefined || this.finish !== undefined ? written : written + this.#fail(limit))
    // Seen without reading it: only what is all ASCII has as many bytes as characters, but for a letter that began in the chunk
    // before, and what stands for a broken byte.
    this.isUnchanged =
      this.#isPassthrough &&
      output === text &&
      text.length === chunk.length &&
      text < '\x80' &&
      !text.includes('\ufffd')
    return output
  }

  readonly end = (): string => {
    const text = this.#decode(undefined)
    if (this.#ignoresInput()) return ''
    const written = this.#write(this.#reader.read(text), text)
    return this.#ignoresInput() ? written : written + this.#output.end(this.#reader)
  }

  #openReader(): StreamReader {
    const isPassthrough = this.#isPassthrough
    return new StreamReader(this.#parts.upstream, isPassthrough ? () => undefined : this.#parts.report, {
      longestFrame: this.#longestFrame,
      mostNodes: this.#mostNodes,
      // What cannot be read here is still sent on; the client may understand it.
      skipMalformed: isPassthrough,
    })
  }

  /** Input is ignored: the end has been written here, or the answer waits for server tool calls. */
  #ignoresInput(): boolean {
    return this.#output.isClosed || this.#output.rounds?.waiting !== undefined
  }

  #write(events: readonly StreamEvent[], source: string): string {
    this.#count(events)
    try {
      return this.#output.write(events, source)
    } catch {
      return this.#fail('An event of the stream could not be converted.')
    }
  }

  #fail(message: string): string {
    return this.fail({ kind: 'server', message })
  }

  #count(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (event.type === 'part-delta') this.textLength += event.text.length
      else if (event.type === 'part-start') this.#partCount++
    }
  }

  #overLimit(): string | undefined {
    if (this.#length > this.#longestStream)
      return `The stream is longer than ${this.#longestStream} characters.`
    if (this.textLength > this.#longestText)
      return `The answer is kept whole, and has more than ${this.#longestText} characters.`
    return this.#partCount > this.#mostParts
      ? `The answer has more than ${this.#mostParts} parts.`
      : undefined
  }
}
