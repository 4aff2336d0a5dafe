/** The frames of a Messages stream to events. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import type { ApiError, Finish } from '../../../model/answer.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { finishEvent, startEvent } from '../../../model/stream-event.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'
import type { StreamDecoder } from '../../define-wire.ts'
import { RepeatedDelta } from '../../fast-path/repeated-delta.ts'
import { parseObject } from '../../kit/json-text.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { decodeEnvelope } from '../answer/answer.ts'
import { decodeErrorAnswer, isErrorBody } from '../answer/errors.ts'
import { decodeFinishReason } from '../answer/finish.ts'
import { StreamEnvelope } from './envelope.ts'
import { PartTracker } from './part-tracker.ts'

/** Deltas that extend a text, and the field that holds it. */
const textKeys: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
])

const endedEarly: ApiError = { kind: 'server', message: 'The stream ended before the answer was complete.' }

export function createStreamDecoder(report: Report): StreamDecoder {
  return new MessagesStreamDecoder(report)
}

class MessagesStreamDecoder implements StreamDecoder {
  readonly #report: Report
  readonly #repeated = new RepeatedDelta()
  readonly #envelope = new StreamEnvelope()
  readonly #parts: PartTracker
  #events: StreamEvent[] = []
  #frameCount = 0
  #isStarted = false
  #isOver = false

  constructor(report: Report) {
    this.#report = report
    this.#parts = new PartTracker(event => this.#emit(event), this.#repeated, report)
  }

  push(frame: SseFrame): StreamEvent[] {
    this.#frameCount++
    if (!this.#isOver && !this.#repeated.tryFrame(frame)) this.#readFrame(frame)
    return this.takeEvents()
  }

  tryFastEvent(stream: string, start: number): number {
    const end = this.#isOver ? -1 : this.#repeated.tryFastEvent(stream, start)
    if (end >= 0) this.#frameCount++
    return end
  }

  takeEvents(): StreamEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  end(): StreamEvent[] {
    if (!this.#isOver) this.#fail(endedEarly)
    return this.takeEvents()
  }

  #emit(event: StreamEvent): void {
    this.#start()
    this.#events.push(event)
  }

  #start(message: JsonObject = {}): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const id = own(message, 'id')
    const model = own(message, 'model')
    this.#events.push(
      startEvent(typeof id === 'string' ? id : undefined, typeof model === 'string' ? model : undefined),
    )
  }

  #readFrame({ event, data }: SseFrame): void {
    const text = data.trim()
    if (text === '' || event === 'ping') return
    if (text === '[DONE]') this.#finish()
    else if (event === 'error') this.#failWith(parseObject(text) ?? { error: text })
    else this.#readJson(text, event)
  }

  #readJson(text: string, event: string | undefined): void {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      this.#fail({ kind: 'server', message: `Event ${this.#frameCount} of the stream is not JSON.` })
      return
    }
    if (!isObject(body)) return
    this.#readBody(own(body, 'type') ?? event, body)
    this.#learn(body, event === undefined ? { data: text } : { data: text, event })
  }

  /** Lets the fast path read the events that repeat this one: a piece of a block's text, and nothing else. */
  #learn(body: JsonObject, frame: SseFrame): void {
    const index = own(body, 'index')
    const delta = own(body, 'delta')
    if (this.#isOver || own(body, 'type') !== 'content_block_delta' || !isObject(delta)) return
    const key = textKeys.get(own(delta, 'type'))
    const isOnly = Object.keys(body).length === 3 && Object.keys(delta).length === 2
    if (key === undefined || !isOnly || !isIndex(index) || typeof own(delta, key) !== 'string') return
    const parts = this.#parts
    const accept =
      key === 'text' || key === 'thinking'
        ? (text: string) => parts.append(index, key, text)
        : (text: string) => parts.appendInput(index, text)
    this.#repeated.learn(frame, key, accept)
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
      case 'ping':
        break
      default:
        if (isErrorBody(body)) this.#failWith(body)
    }
  }

  #readMessage(message: JsonObject): void {
    this.#envelope.addMessage(message)
    const content = own(message, 'content')
    const blocks = this.#isStarted || !Array.isArray(content) ? [] : content.filter(isObject)
    this.#start(message)
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
    const isCut = decodeFinishReason(this.#envelope.stopReason(), parts.hasCalls) === 'length'
    parts.endAll(isCut ? 'cut' : 'done')
    const { finish, usage, residue } = decodeEnvelope(this.#envelope.body(), parts.hasCalls)
    const inferred: Finish = { ...finish, reason: parts.hasCalls ? 'calls' : 'stop' }
    const isInferred = hasNoReason && finish.reason === 'unfinished'
    this.#emit(finishEvent(isInferred ? inferred : finish, usage, residue))
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
    this.#emit({ type: 'error', error })
    this.#isOver = true
  }
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
