/** A stream that is read, restored and written anew: between two wires, or where calls have to be changed. */

import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import type { ApiError, FinishReason } from '../../model/answer.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { StartEvent, StreamEvent } from '../../model/stream-event.ts'
import { startEvent } from '../../model/stream-event.ts'
import type { SseFrame, SseListener, SseParser } from '../../sse/sse-parser.ts'
import { createUtf8Decoder } from '../../sse/utf8-decoder.ts'
import type { StreamDecoder, StreamEncoder, StreamFrames } from '../../wires/define-wire.ts'
import type { ServerCall } from '../server-tools/server-call.ts'
import type { StreamRounds } from '../server-tools/streamed-rounds.ts'
import { createStreamRounds } from '../server-tools/streamed-rounds.ts'
import { answerEvents } from './answer-events.ts'
import type { ExchangeStream, StreamParts } from './exchange-stream.ts'
import { limitsOf, notAnObject, serverError, unfinishedIn } from './exchange-stream.ts'
import type { ResettableReport, StreamRecord, TokenUsage } from './stream-record.ts'
import { countsOf, createRepeatable, createStreamRecord, wholeAnswer } from './stream-record.ts'

/** One answer of the upstream, from its first byte to its last. */
interface Reader {
  readonly decoder: StreamDecoder
  readonly parser: SseParser
  readonly decode: ReturnType<typeof createUtf8Decoder>
  /** The answer, when it came whole. */
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
  readonly #ids: ResettableReport
  readonly #encoder: StreamEncoder
  readonly #record: StreamRecord
  readonly #rounds: StreamRounds
  #reader: Reader
  #length = 0
  /** What has been written since the last time. */
  #written = ''
  #hasSkimmed = false
  /** The end of the stream, written but not returned yet. */
  #heldEnd: string | undefined

  constructor(parts: StreamParts) {
    const { client, upstream, prepared: asked, diagnostics, report, limits } = parts
    const { event, stream } = limitsOf(limits)
    this.#parts = parts
    this.#frames = upstream.frames
    this.#longestEvent = event
    this.#longestStream = stream
    this.#ids = createRepeatable(asked.answerContext)
    this.#encoder = client.createStreamEncoder(this.#ids.first, report)
    this.#record = createStreamRecord()
    this.#reader = this.#open()
    const whole = (): JsonObject | undefined => this.#reader.whole ?? this.#reader.decoder.answer?.()
    this.#rounds = createStreamRounds({ upstream, prepared: asked, report, whole })
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
    return this.#rounds.serverCalls?.serverCalls ?? []
  }

  get answer(): JsonObject | undefined {
    return this.#encoder.answer?.() ?? wholeAnswer(this.#record, this.#parts.client, this.#ids.again())
  }

  get unfinished(): number {
    return unfinishedIn(this.#reader.parser)
  }

  // The methods can be passed on by themselves.
  readonly begin = (createdAt?: number): string => this.#say([startEvent(undefined, undefined, createdAt)])

  readonly fail = (error: ApiError): string => {
    if (this.#heldEnd === undefined) return this.#say([{ type: 'error', error }])
    this.#heldEnd = undefined
    this.#record.note({ type: 'error', error })
    return this.#encoder.replaceEnd(error)
  }

  readonly release = (): string => {
    const end = this.#heldEnd ?? ''
    this.#heldEnd = undefined
    return end
  }

  /** Once the results have been given, the next answer may begin. */
  readonly nextRound = (): string => {
    const rounds = this.#rounds
    if (rounds.waiting === undefined || rounds.serverCalls?.results === undefined) return ''
    const events = rounds.next()
    this.#reader = this.#open()
    return this.#say(events)
  }

  readonly stop = (): string => {
    const { waiting } = this.#rounds
    if (waiting === undefined || this.#record.finish !== undefined) return ''
    return this.#say([...this.#rounds.next(), { ...waiting, finish: { reason: 'stop' } }])
  }

  readonly whole = (body: unknown): string => {
    const before = this.nextRound()
    if (this.#isDeaf()) return before
    if (!isObject(body)) return before + this.fail(serverError(notAnObject))
    this.progress++
    this.#reader.whole = body
    const { upstream, report } = this.#parts
    return before + this.#read(() => this.#write(answerEvents(upstream.decodeAnswer(body, report))))
  }

  readonly push = (chunk: string | Uint8Array): string => {
    const before = this.nextRound()
    if (this.#isDeaf()) return before
    this.#length += chunk.length
    const { parser, decode } = this.#reader
    const said = before + this.#read(() => parser.parse(decode(chunk), this))
    const limit = this.#overLimit(parser)
    return limit === undefined || this.#isDeaf() ? said : said + this.fail(serverError(limit))
  }

  readonly end = (): string => {
    if (this.#isDeaf()) return ''
    const { parser, decode, decoder } = this.#reader
    return this.#read(() => {
      parser.parse(decode(undefined), this)
      for (const frame of parser.end()) this.onFrame(frame)
      this.#takeSkimmed()
      this.#write(decoder.end())
    })
  }

  tryFastEvent(text: string, start: number): number {
    const end = this.#reader.decoder.tryFastEvent(text, start)
    if (end < 0) return -1
    this.#hasSkimmed = true
    this.progress++
    return end
  }

  onFrame(frame: SseFrame): void {
    this.#takeSkimmed()
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

  /** Nothing more is heard: the answer is over, or it waits for calls that are run here. */
  #isDeaf(): boolean {
    return this.#record.finish !== undefined || this.#rounds.waiting !== undefined
  }

  /** What a peer sends must never reach the caller as an exception. */
  #read(work: () => void): string {
    try {
      work()
      this.#takeSkimmed()
    } catch {
      this.#written += this.fail(serverError('An event of the stream could not be read.'))
    }
    const text = this.#written
    this.#written = ''
    return text
  }

  #takeSkimmed(): void {
    if (!this.#hasSkimmed) return
    this.#hasSkimmed = false
    this.#write(this.#reader.decoder.takeEvents())
  }

  // Texts are added up, not gathered and joined: engines keep sums of texts as such until they are written.
  #write(events: Iterable<StreamEvent>): void {
    let text = ''
    for (const event of events) {
      if (this.#isDeaf()) break
      if (event.type === 'part-delta') {
        const delta = this.#rounds.takeDelta(event)
        if (delta !== undefined) text += this.#encoder.push(delta)
      } else text += this.#say(this.#rounds.take(event))
    }
    this.#written += text
  }

  #say(events: Iterable<StreamEvent>): string {
    let text = ''
    for (const given of events) {
      if (this.#record.finish !== undefined) break
      const event = given.type === 'start' ? this.#named(given) : given
      const written = this.#encoder.push(event)
      if (event.type === 'finish' && this.#parts.holdEnd) this.#heldEnd = written
      else text += written
      if (event.type !== 'part-delta') this.#record.note(event)
    }
    return text
  }

  #named(start: StartEvent): StartEvent {
    const { answerId } = this.#parts
    return answerId === undefined ? start : { ...start, id: answerId }
  }

  #overLimit({ exceeded }: SseParser): string | undefined {
    const longest = this.#longestStream
    if (exceeded !== undefined || this.#length <= longest) return exceeded
    return `The stream is longer than ${longest} characters.`
  }
}
