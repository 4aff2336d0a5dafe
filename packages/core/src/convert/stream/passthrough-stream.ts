/**
 * The stream of an exchange that changes nothing: complete events are sent on unchanged, and decoded only to record
 * facts about the answer. If the stream breaks off, an error event of the wire is added.
 */

import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import type { ApiError, FinishReason } from '../../model/answer.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { StartEvent, StreamEvent } from '../../model/stream-event.ts'
import type { SseFrame, SseListener, SseParser } from '../../sse/sse-parser.ts'
import { createUtf8Decoder } from '../../sse/utf8-decoder.ts'
import type { WholeEvents } from '../../sse/whole-events.ts'
import type { StreamDecoder, StreamEncoder, StreamFrames, StreamSnapshot } from '../../wires/define-wire.ts'
import { answerEvents } from '../shared/answer-events.ts'
import type { ServerCall } from '../shared/server-calls.ts'
import type { ExchangeStream, StreamParts } from './exchange-stream.ts'
import { limitsOf, notAnObject, serverError, unfinishedIn } from './exchange-stream.ts'
import type { RepeatableContext, StreamRecord, TokenUsage } from './stream-record.ts'
import { createRepeatableContext, createStreamRecord, encodeRecordedAnswer } from './stream-record.ts'

export function createPassthroughStream(parts: StreamParts): ExchangeStream {
  return new PassthroughStream(parts)
}

class PassthroughStream implements ExchangeStream, SseListener {
  readonly diagnostics: Diagnostic[]
  readonly calls: readonly string[]
  // A passthrough exchange has no server tools.
  readonly serverCalls: readonly ServerCall[] = []
  progress = 0
  readonly #parts: StreamParts
  readonly #longestStream: number
  readonly #decoder: StreamDecoder
  readonly #decode = createUtf8Decoder()
  readonly #frames: StreamFrames
  readonly #parser: SseParser
  readonly #completeEvents: WholeEvents
  readonly #record: StreamRecord
  /** Created only if an event has to be written here. */
  #output: { readonly ids: RepeatableContext; readonly encoder: StreamEncoder } | undefined
  #start: StartEvent = { type: 'start' }
  #length = 0
  #hasOutput = false
  /** An end was written here, so further chunks of the upstream are ignored. */
  #isClosed = false

  constructor(parts: StreamParts) {
    const { event, stream } = limitsOf(parts.limits)
    this.diagnostics = parts.diagnostics
    this.#parts = parts
    this.#longestStream = stream
    // Its diagnostics are ignored: unknown events are sent on unchanged anyway.
    this.#decoder = parts.upstream.createStreamDecoder(() => undefined)
    this.#frames = parts.upstream.frames
    this.#parser = this.#frames.createReader(event)
    this.#completeEvents = this.#frames.createGate()
    this.#record = createStreamRecord()
    this.calls = this.#record.calls
  }

  get failure(): string | undefined {
    return this.#record.failure
  }

  get finish(): FinishReason | undefined {
    return this.#record.finish
  }

  get usage(): TokenUsage | undefined {
    return this.#record.usage
  }

  get answer(): JsonObject | undefined {
    const snapshot = this.#output?.encoder.answer?.() ?? this.#decoder.answer?.()
    if (snapshot !== undefined || this.#record.finish === undefined) return snapshot
    return encodeRecordedAnswer(this.#record, this.#parts.client, this.#openOutput().ids.again())
  }

  get unfinished(): number {
    return unfinishedIn(this.#parser)
  }

  // Bound, so that they can be destructured and passed on.
  readonly begin = (): string => ''
  readonly nextRound = (): string => ''
  readonly stop = (): string => ''
  readonly release = (): string => ''
  readonly fail = (error: ApiError): string => (this.#hasEnded() ? '' : this.#fail(error))

  readonly whole = (body: unknown): string => {
    if (this.#hasEnded()) return ''
    if (!isObject(body)) return this.#fail(serverError(notAnObject))
    this.#isClosed = true
    this.progress++
    const { upstream, report } = this.#parts
    const { encoder } = this.#openOutput()
    const events = [...answerEvents(upstream.decodeAnswer(body, report))]
    this.#note(events)
    return this.#emit(events.map(event => encoder.push(event)).join(''))
  }

  readonly push = (chunk: string | Uint8Array): string => {
    const text = this.#decode(chunk)
    if (this.#isClosed) return ''
    this.#length += text.length
    this.#observe(text)
    const { exceeded, completedLength: pending } = this.#parser
    if (exceeded !== undefined && this.#record.finish === undefined) {
      // Send the complete events before the oversized one: the error's snapshot assumes that the client has them.
      const before = this.#emit(this.#completeEvents.push(text.slice(0, pending)))
      return before + this.#fail(serverError(exceeded))
    }
    const passed = this.#emit(this.#completeEvents.push(text))
    if (this.#record.finish !== undefined || this.#length <= this.#longestStream) return passed
    return passed + this.#fail(serverError(`The stream is longer than ${this.#longestStream} characters.`))
  }

  readonly end = (): string => {
    const text = this.#decode(undefined)
    if (this.#isClosed) return ''
    this.#observe(text)
    const passed = this.#completeEvents.push(text)
    const last = this.#parser.end().filter(isReadable)
    for (const frame of last) this.onFrame(frame)
    if (this.#record.finish !== undefined) return this.#emit(passed + this.#completeEvents.flush())
    const snapshot = this.#decoder.snapshot?.()
    this.#note(this.#decoder.end())
    if (this.#record.failure === undefined) return this.#emit(passed + this.#completeEvents.flush())
    const rest = last.length > 0 ? this.#completeEvents.flush() + this.#frames.terminator : ''
    return this.#emit(passed + rest) + this.#fail(serverError(this.#record.failure), snapshot)
  }

  tryFastEvent(text: string, start: number): number {
    const end = this.#decoder.tryFastEvent(text, start)
    if (end < 0) return -1
    this.progress++
    return end
  }

  onFrame(frame: SseFrame): void {
    if (!this.#frames.isKeepAlive(frame)) this.progress++
    try {
      this.#note(this.#decoder.push(frame))
    } catch {
      // An event that cannot be decoded here is still sent on; the client may understand it.
    }
  }

  #observe(text: string): void {
    this.#parser.parse(text, this)
    this.#note(this.#decoder.takeEvents())
  }

  #note(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (event.type === 'part-delta') continue
      if (event.type === 'start') this.#start = event
      this.#record.note(event)
    }
  }

  #hasEnded(): boolean {
    return this.#isClosed || this.#record.finish !== undefined
  }

  #openOutput(): { readonly ids: RepeatableContext; readonly encoder: StreamEncoder } {
    const { prepared, client, report } = this.#parts
    const ids = this.#output?.ids ?? createRepeatableContext(prepared.answerContext)
    this.#output ??= { ids, encoder: client.createStreamEncoder(ids.first, report) }
    return this.#output
  }

  #emit(text: string): string {
    this.#hasOutput ||= text !== ''
    return text
  }

  #fail(error: ApiError, snapshot: StreamSnapshot | undefined = this.#decoder.snapshot?.()): string {
    const { encoder } = this.#openOutput()
    this.#isClosed = true
    const pending = this.#emit(this.#completeEvents.flushEnded())
    if (this.#hasOutput) encoder.resume(this.#start, snapshot)
    const event = { type: 'error', error } as const
    this.#record.note(event)
    return pending + this.#emit(encoder.push(event))
  }
}

/** Half an event at the end of the stream must not be sent, because it would merge with the next event. */
function isReadable({ data }: SseFrame): boolean {
  try {
    JSON.parse(data)
    return true
  } catch {
    return data.trim() === '[DONE]'
  }
}
