/** A stream that is decoded, undone and encoded again: between two wires, or if calls have to be changed. */

import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import type { ApiError, FinishReason } from '../../model/answer.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { StartEvent, StreamEvent } from '../../model/stream-event.ts'
import { startEvent } from '../../model/stream-event.ts'
import type { SseFrame, SseListener, SseParser } from '../../sse/sse-parser.ts'
import { createUtf8Decoder } from '../../sse/utf8-decoder.ts'
import type { StreamDecoder, StreamEncoder, StreamFrames } from '../../wires/define-wire.ts'
import type { StreamRounds } from '../server-tools/streamed-rounds.ts'
import { createStreamRounds } from '../server-tools/streamed-rounds.ts'
import { answerEvents } from '../shared/answer-events.ts'
import type { ServerCall } from '../shared/server-calls.ts'
import type { ExchangeStream, StreamParts } from './exchange-stream.ts'
import { limitsOf, notAnObject, serverError, unfinishedIn } from './exchange-stream.ts'
import type { RepeatableContext, StreamRecord, TokenUsage } from './stream-record.ts'
import {
  countsOf,
  createRepeatableContext,
  createStreamRecord,
  encodeRecordedAnswer,
} from './stream-record.ts'

/** Reads one round of the upstream's answer. */
interface Reader {
  readonly decoder: StreamDecoder
  readonly parser: SseParser
  readonly decode: ReturnType<typeof createUtf8Decoder>
  /** The answer, if it arrived complete instead of as a stream. */
  whole?: JsonObject
}

export function createTranslatedStream(parts: StreamParts): ExchangeStream {
  return new TranslatedStream(parts)
}

class TranslatedStream implements ExchangeStream, SseListener {
  readonly diagnostics: Diagnostic[]
  readonly calls: readonly string[]
  progress = 0
  readonly #parts: StreamParts
  readonly #frames: StreamFrames
  readonly #longestEvent: number
  readonly #longestStream: number
  readonly #ids: RepeatableContext
  readonly #encoder: StreamEncoder
  readonly #record: StreamRecord
  readonly #rounds: StreamRounds
  #reader: Reader
  #length = 0
  /** Encoded text that has not been returned yet. */
  #output = ''
  #hasFastEvents = false
  /** The end of the stream, encoded but held back until `release`. */
  #heldEnd: string | undefined

  constructor(parts: StreamParts) {
    const { client, upstream, prepared, diagnostics, report, limits } = parts
    const { event, stream } = limitsOf(limits)
    this.#parts = parts
    this.#frames = upstream.frames
    this.#longestEvent = event
    this.#longestStream = stream
    this.#ids = createRepeatableContext(prepared.answerContext)
    this.#encoder = client.createStreamEncoder(this.#ids.first, report)
    this.#record = createStreamRecord()
    this.#reader = this.#open()
    const fullAnswer = (): JsonObject | undefined => this.#reader.whole ?? this.#reader.decoder.answer?.()
    this.#rounds = createStreamRounds({ upstream, prepared, report, fullAnswer })
    this.diagnostics = diagnostics
    this.calls = this.#record.calls
  }

  get failure(): string | undefined {
    return this.#record.failure
  }

  get finish(): FinishReason | undefined {
    return this.#record.finish ?? this.#rounds.waiting?.finish.reason
  }

  get usage(): TokenUsage | undefined {
    const { usage } = this.#rounds
    return this.#record.usage ?? (usage && countsOf(usage))
  }

  get serverCalls(): readonly ServerCall[] {
    return this.#rounds.round?.serverCalls ?? []
  }

  get answer(): JsonObject | undefined {
    return (
      this.#encoder.answer?.() ?? encodeRecordedAnswer(this.#record, this.#parts.client, this.#ids.again())
    )
  }

  get unfinished(): number {
    return unfinishedIn(this.#reader.parser)
  }

  // Bound, so that they can be destructured and passed on.
  readonly begin = (createdAt?: number): string => this.#emit([startEvent(undefined, undefined, createdAt)])

  readonly fail = (error: ApiError): string => {
    if (this.#heldEnd === undefined) return this.#emit([{ type: 'error', error }])
    this.#heldEnd = undefined
    this.#record.note({ type: 'error', error })
    return this.#encoder.replaceEnd(error)
  }

  readonly release = (): string => {
    const end = this.#heldEnd ?? ''
    this.#heldEnd = undefined
    return end
  }

  /** Starts the next round, if the results of the current one are known. */
  readonly nextRound = (): string => {
    const rounds = this.#rounds
    if (rounds.waiting === undefined || rounds.round?.results === undefined) return ''
    const events = rounds.next()
    this.#reader = this.#open()
    return this.#emit(events)
  }

  readonly stop = (): string => {
    const { waiting } = this.#rounds
    if (waiting === undefined || this.#record.finish !== undefined) return ''
    return this.#emit([...this.#rounds.next(), { ...waiting, finish: { reason: 'stop' } }])
  }

  readonly whole = (body: unknown): string => {
    const before = this.nextRound()
    if (this.#ignoresInput()) return before
    if (!isObject(body)) return before + this.fail(serverError(notAnObject))
    this.progress++
    this.#reader.whole = body
    const { upstream, report } = this.#parts
    return before + this.#read(() => this.#write(answerEvents(upstream.decodeAnswer(body, report))))
  }

  readonly push = (chunk: string | Uint8Array): string => {
    const before = this.nextRound()
    if (this.#ignoresInput()) return before
    this.#length += chunk.length
    const { parser, decode } = this.#reader
    const text = before + this.#read(() => parser.parse(decode(chunk), this))
    const limit = this.#overLimit(parser)
    return limit === undefined || this.#ignoresInput() ? text : text + this.fail(serverError(limit))
  }

  readonly end = (): string => {
    if (this.#ignoresInput()) return ''
    const { parser, decode, decoder } = this.#reader
    return this.#read(() => {
      parser.parse(decode(undefined), this)
      for (const frame of parser.end()) this.onFrame(frame)
      this.#takeFastEvents()
      this.#write(decoder.end())
    })
  }

  tryFastEvent(text: string, start: number): number {
    const end = this.#reader.decoder.tryFastEvent(text, start)
    if (end < 0) return -1
    this.#hasFastEvents = true
    this.progress++
    return end
  }

  onFrame(frame: SseFrame): void {
    this.#takeFastEvents()
    if (!this.#frames.isKeepAlive(frame)) this.progress++
    this.#write(this.#reader.decoder.push(frame))
  }

  #open(): Reader {
    return {
      decoder: this.#parts.upstream.createStreamDecoder(this.#parts.report),
      parser: this.#frames.createReader(this.#longestEvent),
      decode: createUtf8Decoder(),
    }
  }

  /** Input is ignored: the answer has ended, or it waits for server tool calls. */
  #ignoresInput(): boolean {
    return this.#record.finish !== undefined || this.#rounds.waiting !== undefined
  }

  /** Turns an exception over the upstream's input into an error event. */
  #read(work: () => void): string {
    try {
      work()
      this.#takeFastEvents()
    } catch {
      this.#output += this.fail(serverError('An event of the stream could not be read.'))
    }
    const text = this.#output
    this.#output = ''
    return text
  }

  #takeFastEvents(): void {
    if (!this.#hasFastEvents) return
    this.#hasFastEvents = false
    this.#write(this.#reader.decoder.takeEvents())
  }

  // Concatenating is faster than joining a list: engines keep concatenations as ropes until they are written.
  #write(events: Iterable<StreamEvent>): void {
    let text = ''
    for (const event of events) {
      if (this.#ignoresInput()) break
      if (event.type === 'part-delta') {
        const delta = this.#rounds.takeDelta(event)
        if (delta !== undefined) text += this.#encoder.push(delta)
      } else text += this.#emit(this.#rounds.take(event))
    }
    this.#output += text
  }

  #emit(events: Iterable<StreamEvent>): string {
    let text = ''
    for (const incoming of events) {
      if (this.#record.finish !== undefined) break
      const event = incoming.type === 'start' ? this.#withAnswerId(incoming) : incoming
      const written = this.#encoder.push(event)
      if (event.type === 'finish' && this.#parts.holdEnd) this.#heldEnd = written
      else text += written
      if (event.type !== 'part-delta') this.#record.note(event)
    }
    return text
  }

  #withAnswerId(start: StartEvent): StartEvent {
    const { answerId } = this.#parts
    return answerId === undefined ? start : { ...start, id: answerId }
  }

  #overLimit({ exceeded }: SseParser): string | undefined {
    const longest = this.#longestStream
    if (exceeded !== undefined || this.#length <= longest) return exceeded
    return `The stream is longer than ${longest} characters.`
  }
}
