/**
 * One wire on both sides and nothing to change: the text passes as it is, event by event, and is only watched. If it
 * ends without an end, the client is told as its wire tells it.
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
import type { ServerCall } from '../server-tools/server-call.ts'
import { answerEvents } from './answer-events.ts'
import type { ExchangeStream, StreamParts } from './exchange-stream.ts'
import { limitsOf, notAnObject, serverError, unfinishedIn } from './exchange-stream.ts'
import type { ResettableReport, StreamRecord, TokenUsage } from './stream-record.ts'
import { createRepeatable, createStreamRecord, wholeAnswer } from './stream-record.ts'

export function createPassthroughStream(parts: StreamParts): ExchangeStream {
  return new PassthroughStream(parts)
}

class PassthroughStream implements ExchangeStream, SseListener {
  readonly diagnostics: Diagnostic[]
  readonly calls: readonly string[]
  // A stream that passes as it is has nothing to wait for.
  readonly serverCalls: readonly ServerCall[] = []
  progress = 0
  readonly #parts: StreamParts
  readonly #longestStream: number
  readonly #decoder: StreamDecoder
  readonly #decode = createUtf8Decoder()
  readonly #frames: StreamFrames
  readonly #parser: SseParser
  readonly #gate: WholeEvents
  readonly #record: StreamRecord
  /** Made when there is something to say. */
  #voice: { readonly ids: ResettableReport; readonly encoder: StreamEncoder } | undefined
  #start: StartEvent = { type: 'start' }
  #length = 0
  #isBegun = false
  /** The last word was ours, so nothing of the upstream's follows. */
  #isClosed = false

  constructor(parts: StreamParts) {
    const { event, stream } = limitsOf(parts.limits)
    this.diagnostics = parts.diagnostics
    this.#parts = parts
    this.#longestStream = stream
    // A decoder that only watches has nothing to tell: what it does not understand passes all the same.
    this.#decoder = parts.upstream.createStreamDecoder(() => undefined)
    this.#frames = parts.upstream.frames
    this.#parser = this.#frames.createReader(event)
    this.#gate = this.#frames.createGate()
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
    const told = this.#voice?.encoder.answer?.() ?? this.#decoder.answer?.()
    if (told !== undefined || this.#record.finish === undefined) return told
    return wholeAnswer(this.#record, this.#parts.client, this.#speak().ids.again())
  }

  get unfinished(): number {
    return unfinishedIn(this.#parser)
  }

  // The methods can be passed on by themselves.
  readonly begin = (): string => ''
  readonly nextRound = (): string => ''
  readonly stop = (): string => ''
  readonly release = (): string => ''
  readonly fail = (error: ApiError): string => (this.#isOver() ? '' : this.#fail(error))

  readonly whole = (body: unknown): string => {
    if (this.#isOver()) return ''
    if (!isObject(body)) return this.#fail(serverError(notAnObject))
    this.#isClosed = true
    this.progress++
    const { upstream, report } = this.#parts
    const { encoder } = this.#speak()
    const events = [...answerEvents(upstream.decodeAnswer(body, report))]
    this.#note(events)
    return this.#say(events.map(event => encoder.push(event)).join(''))
  }

  readonly push = (chunk: string | Uint8Array): string => {
    const text = this.#decode(chunk)
    if (this.#isClosed) return ''
    this.#length += text.length
    this.#watch(text)
    const { exceeded, completedLength: heard } = this.#parser
    if (exceeded !== undefined && this.#record.finish === undefined) {
      // What came before it is told as heard, so the client has to hear it.
      const before = this.#say(this.#gate.push(text.slice(0, heard)))
      return before + this.#fail(serverError(exceeded))
    }
    const passed = this.#say(this.#gate.push(text))
    if (this.#record.finish !== undefined || this.#length <= this.#longestStream) return passed
    return passed + this.#fail(serverError(`The stream is longer than ${this.#longestStream} characters.`))
  }

  readonly end = (): string => {
    const text = this.#decode(undefined)
    if (this.#isClosed) return ''
    this.#watch(text)
    const passed = this.#gate.push(text)
    const last = this.#parser.end().filter(isReadable)
    for (const frame of last) this.onFrame(frame)
    if (this.#record.finish !== undefined) return this.#say(passed + this.#gate.flush())
    const told = this.#decoder.snapshot?.()
    this.#note(this.#decoder.end())
    if (this.#record.failure === undefined) return this.#say(passed + this.#gate.flush())
    const rest = last.length > 0 ? this.#gate.flush() + this.#frames.terminator : ''
    return this.#say(passed + rest) + this.#fail(serverError(this.#record.failure), told)
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
      // What cannot be read here may still mean something to the client, whose wire it is.
    }
  }

  #watch(text: string): void {
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

  #isOver(): boolean {
    return this.#isClosed || this.#record.finish !== undefined
  }

  #speak(): { readonly ids: ResettableReport; readonly encoder: StreamEncoder } {
    const { prepared: asked, client, report } = this.#parts
    const ids = this.#voice?.ids ?? createRepeatable(asked.answerContext)
    this.#voice ??= { ids, encoder: client.createStreamEncoder(ids.first, report) }
    return this.#voice
  }

  #say(text: string): string {
    this.#isBegun ||= text !== ''
    return text
  }

  #fail(error: ApiError, told: StreamSnapshot | undefined = this.#decoder.snapshot?.()): string {
    const { encoder } = this.#speak()
    this.#isClosed = true
    const heard = this.#say(this.#gate.flushEnded())
    if (this.#isBegun) encoder.resume(this.#start, told)
    const event = { type: 'error', error } as const
    this.#record.note(event)
    return heard + this.#say(encoder.push(event))
  }
}

/** Half an event would spoil the one that follows. */
function isReadable({ data }: SseFrame): boolean {
  try {
    JSON.parse(data)
    return true
  } catch {
    return data.trim() === '[DONE]'
  }
}
