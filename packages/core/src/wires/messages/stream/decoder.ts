/** The frames of a Messages stream to events. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import { parseJson } from '../../../json/text.ts'
import type { ApiError, Finish } from '../../../model/answer.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { finishEvent } from '../../../model/stream-event.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'
import type { RepeatedField, StreamDecoder, StreamDecoderOptions } from '../../define-wire.ts'
import { createEventDrop } from '../../kit/conversation/unknown-events.ts'
import { parseObject } from '../../kit/json-text.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { decodeEnvelope } from '../answer/answer.ts'
import { decodeErrorAnswer, isErrorBody } from '../answer/errors.ts'
import { decodeFinishReason, isCutShort } from '../answer/finish.ts'
import { StreamEnvelope } from './envelope.ts'
import { PartTracker } from './part-tracker.ts'

/** A delta with a piece of a block's text, and nothing else. */
interface RepeatedDelta extends RepeatedField {
  readonly key: 'text' | 'thinking' | 'partial_json'
  readonly index: number
}

/** Deltas that extend a text, and the field that holds it. */
const textKeys: ReadonlyMap<unknown, RepeatedDelta['key']> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
])

/** Anthropic asks clients to ignore events of other names, whose data may be anything. */
const ownEvents = /^(?:message|content_block)/

const endedEarly: ApiError = { kind: 'server', message: 'The stream ended before the answer was complete.' }

export class MessagesStreamDecoder implements StreamDecoder {
  repeats: RepeatedDelta | undefined
  readonly #report: Report
  readonly #skipMalformed: boolean
  readonly #envelope = new StreamEnvelope()
  readonly #parts: PartTracker
  readonly #drop: ReturnType<typeof createEventDrop>
  #frameCount = 0
  #isOver = false

  constructor(report: Report, { skipMalformed = false }: StreamDecoderOptions = {}) {
    this.#report = report
    this.#skipMalformed = skipMalformed
    this.#parts = new PartTracker(report)
    this.#drop = createEventDrop(report)
  }

  push(frame: SseFrame): StreamEvent[] {
    this.#frameCount++
    if (!this.#isOver) this.#readFrame(frame)
    return this.takeEvents()
  }

  accept(text: string, escaped: string | undefined): void {
    const { repeats } = this
    if (this.#isOver || repeats === undefined) return
    this.#frameCount++
    const { key, index } = repeats
    if (key === 'partial_json') this.#parts.appendInput(index, text, escaped)
    else this.#parts.append(index, key, text, escaped)
  }

  takeEvents(): StreamEvent[] {
    return this.#parts.takeEvents()
  }

  end(): StreamEvent[] {
    if (!this.#isOver) this.#fail(endedEarly)
    return this.takeEvents()
  }

  #readFrame({ event, data }: SseFrame): void {
    const text = data.trim()
    if (text === '' || event === 'ping') return
    if (text === '[DONE]') this.#finish()
    else if (event === 'error') this.#failWith(parseObject(text) ?? { error: text })
    else this.#readJson(text, event)
  }

  #readJson(text: string, event: string | undefined): void {
    const body = parseJson(text)
    if (isObject(body)) {
      this.#readBody(own(body, 'type') ?? event, body)
      if (!this.#isOver) this.repeats = readRepeated(body) ?? this.repeats
    } else if (body !== undefined || !ownEvents.test(event ?? 'message')) this.#drop(event, body)
    else if (!this.#skipMalformed) {
      this.#fail({ kind: 'server', message: `Event ${this.#frameCount} of the stream is not JSON.` })
    }
  }

  #readBody(type: unknown, body: JsonObject): void {
    const given = own(body, 'index')
    const index = isIndex(given) ? given : undefined
    switch (type) {
      case 'message_start': {
        const message = own(body, 'message')
        this.#readMessage(isObject(message) ? message : {})
        break
      }
      case 'content_block_start': {
        const block = own(body, 'content_block')
        if (isObject(block)) this.#parts.startBlock(index, block)
        break
      }
      case 'content_block_delta': {
        const delta = own(body, 'delta')
        if (isObject(delta)) this.#parts.readDelta(index, delta)
        break
      }
      case 'content_block_stop':
        this.#parts.endBlock(index)
        break
      case 'message_delta':
        this.#envelope.addDelta(body)
        break
      case 'message_stop':
        this.#finish()
        break
      default:
        if (isErrorBody(body)) this.#failWith(body)
        else this.#drop(type, body)
    }
  }

  #readMessage(message: JsonObject): void {
    this.#envelope.addMessage(message)
    const content = own(message, 'content')
    const isFirst = this.#parts.startAnswer(message)
    const blocks = isFirst && Array.isArray(content) ? content.filter(isObject) : []
    for (const block of blocks) this.#parts.addBlock(block)
  }

  #finish(): void {
    const parts = this.#parts
    // Some servers never send a reason. If nothing is incomplete, the answer has ended well.
    const hasNoReason = !this.#envelope.hasDelta
    if (hasNoReason && !(parts.hasParts && parts.isComplete())) {
      this.#fail(endedEarly)
      return
    }
    const isCut = !hasNoReason && isCutShort(decodeFinishReason(this.#envelope.stopReason(), parts.calls))
    parts.endAll(isCut ? 'cut' : 'done')
    const body = this.#envelope.body()
    const { finish, usage, residue, serviceTier } = decodeEnvelope(body, parts.calls, this.#report)
    const inferred: Finish = { ...finish, reason: decodeFinishReason('end_turn', parts.calls) }
    const isInferred = hasNoReason && finish.reason === 'unfinished'
    parts.emit(finishEvent(isInferred ? inferred : finish, usage, residue, serviceTier))
    this.#isOver = true
  }

  #failWith(body: JsonObject): void {
    // Some servers leave out the object around the error.
    const bare = own(body, 'type') === 'error' ? omit(body, ['type']) : body
    const { error, residue } = decodeErrorAnswer(own(body, 'error') === undefined ? { error: bare } : body)
    reportResidue(residue, this.#report)
    this.#fail(error ?? endedEarly)
  }

  #fail(error: ApiError): void {
    this.#parts.endAll('failed')
    this.#parts.emit({ type: 'error', error })
    this.#isOver = true
  }
}

function readRepeated(body: JsonObject): RepeatedDelta | undefined {
  const index = own(body, 'index')
  const delta = own(body, 'delta')
  if (own(body, 'type') !== 'content_block_delta' || !isObject(delta)) return undefined
  const key = textKeys.get(own(delta, 'type'))
  const isOnly = Object.keys(body).length === 3 && Object.keys(delta).length === 2
  if (key === undefined || !isOnly || !isIndex(index) || typeof own(delta, key) !== 'string') return undefined
  return { key, index, volatileFields: [] }
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
