/** Responses events to the neutral ones: of the 59 kinds, those that carry or end a part matter here. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own, ownString } from '../../../json/object.ts'
import { parseJson } from '../../../json/text.ts'
import type { ApiError } from '../../../model/answer.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { finishEvent, startEvent } from '../../../model/stream-event.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'
import type { StreamDecoder, StreamDecoderOptions, StreamSnapshot } from '../../define-wire.ts'
import { createEventDrop } from '../../kit/conversation/unknown-events.ts'
import { decodeAnswer } from '../answer/answer.ts'
import { decodeError } from '../answer/errors.ts'
import { decodeFinish } from '../answer/finish.ts'
import type { Family, RepeatedDelta } from './items.ts'
import { StreamItems } from './items.ts'
import { PartTracker } from './part-tracker.ts'
import { positionInItem } from './stream-item.ts'

/** Events about a piece of an item, and the family of items they can be about. */
const pieceEvents: ReadonlyMap<unknown, Family> = new Map<unknown, Family>([
  ['response.output_text.delta', 'message'],
  ['response.output_text.done', 'message'],
  ['response.output_text.annotation.added', 'message'],
  ['response.refusal.delta', 'message'],
  ['response.refusal.done', 'message'],
  ['response.function_call_arguments.delta', 'function_call'],
  ['response.function_call_arguments.done', 'function_call'],
  ['response.custom_tool_call_input.delta', 'custom_tool_call'],
  ['response.custom_tool_call_input.done', 'custom_tool_call'],
  ['response.reasoning_summary_part.added', 'reasoning'],
  ['response.reasoning_summary_part.done', 'reasoning'],
  ['response.reasoning_summary_text.delta', 'reasoning'],
  ['response.reasoning_summary_text.done', 'reasoning'],
  ['response.reasoning_text.delta', 'reasoning'],
  ['response.reasoning_text.done', 'reasoning'],
  // The name that Open Responses has for the same.
  ['response.reasoning.delta', 'reasoning'],
  ['response.reasoning.done', 'reasoning'],
])

/** The events that end an answer, and the status they mean if the answer itself has none. */
const terminalEvents: ReadonlyMap<unknown, string> = new Map([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
  ['response.cancelled', 'cancelled'],
])
const unfinishedStates: ReadonlySet<unknown> = new Set([undefined, null, 'in_progress', 'queued'])

/** Fields of deltas that change each time and mean nothing here. */
const volatileFields = ['sequence_number', 'obfuscation']

export class ResponsesStreamDecoder implements StreamDecoder {
  repeats: RepeatedDelta | undefined
  readonly #report: Report
  readonly #skipMalformed: boolean
  readonly #parts = new PartTracker()
  readonly #items: StreamItems
  #frameCount = 0
  /** The difference between an event's `sequence_number` and our count, which begins with 1. */
  #sequenceOffset = -1
  readonly #drop: ReturnType<typeof createEventDrop>
  #isStarted = false
  #isOver = false
  #usage: JsonObject | undefined
  /** The complete answer, as the last event holds it. */
  #answer: JsonObject | undefined

  constructor(report: Report, { skipMalformed = false }: StreamDecoderOptions = {}) {
    this.#report = report
    this.#skipMalformed = skipMalformed
    this.#items = new StreamItems(this.#parts, report)
    this.#drop = createEventDrop(report)
  }

  push(frame: SseFrame): StreamEvent[] {
    if (this.#isOver) {
      this.#readFailedAnswer(frame)
      return []
    }
    this.#frameCount++
    this.#readFrame(frame)
    return this.#parts.takeEvents()
  }

  accept(text: string, escaped: string | undefined): void {
    if (this.#isOver || this.repeats === undefined) return
    this.#frameCount++
    this.#items.append(this.repeats, text, escaped)
  }

  takeEvents(): StreamEvent[] {
    return this.#parts.takeEvents()
  }

  end(): StreamEvent[] {
    if (!this.#isOver) this.#read('error', endedEarly)
    return this.#parts.takeEvents()
  }

  answer(): JsonObject | undefined {
    return this.#answer
  }

  snapshot(): StreamSnapshot {
    return { next: this.#frameCount + 1 + this.#sequenceOffset, ...this.#items.snapshot() }
  }

  #readFrame(frame: SseFrame): void {
    const { event, data: text } = frame
    if (text.trim() === '' || event === 'ping' || event === 'keepalive') return
    const data = text === '[DONE]' ? endedEarly : parseJson(text)
    if (data === undefined) {
      if (this.#skipMalformed) return
      const message = `Event ${this.#frameCount} of the upstream's stream is not valid JSON.`
      this.#fail({ kind: 'server', message })
    } else if (isObject(data)) {
      const number = own(data, 'sequence_number')
      if (typeof number === 'number') this.#sequenceOffset = number - this.#frameCount
      const type = own(data, 'type') ?? event
      this.#read(isObject(own(data, 'error')) && type === undefined ? 'error' : type, data)
      if (!this.#isOver) this.repeats = readRepeated(data) ?? this.repeats
    } else this.#drop(event, data)
  }

  #read(type: unknown, data: JsonObject): void {
    const response = own(data, 'response')
    const answer = isObject(response) ? response : {}
    const usage = own(answer, 'usage')
    if (isObject(usage)) this.#usage = usage
    const isOfAnswer = typeof type === 'string' && type.startsWith('response.')
    if (isOfAnswer) this.#start(answer)
    if (terminalEvents.has(type)) this.#finish(type, answer)
    else if (type === 'error') this.#fail(streamError(data))
    else if (type === 'response.output_item.added') this.#items.added(data)
    else if (type === 'response.output_item.done') this.#items.done(data)
    else {
      const family = pieceEvents.get(type) ?? contentFamily(type, data)
      if (family !== undefined) this.#items.readEvent(family, String(type), data)
      else if (!announcements.test(String(type))) this.#drop(type, data, lossOf(String(type)))
    }
  }

  #start(response: JsonObject = {}): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const created = own(response, 'created_at')
    const createdAt = typeof created === 'number' ? created : undefined
    this.#parts.emit(startEvent(ownString(response, 'id'), ownString(response, 'model'), createdAt))
  }

  #finish(type: unknown, answer: JsonObject): void {
    this.#answer = answer
    const given = own(answer, 'status')
    const status = unfinishedStates.has(given) ? terminalEvents.get(type) : given
    const list = own(answer, 'output')
    const output = Array.isArray(list) ? list : []
    const failure = decodeError(own(answer, 'error'))
    if (status === 'failed' || failure !== undefined) {
      this.#fail(failure?.error ?? { kind: 'server', message: '' }, output)
      return
    }
    this.#start(answer)
    this.#isOver = true
    this.#items.finishAll(output, status !== 'completed')
    const body = omit(answer, ['output'])
    body.status = status
    if (this.#usage !== undefined) body.usage = this.#usage
    const { usage, residue, serviceTier } = decodeAnswer(body, this.#report)
    const turns = [{ role: 'assistant', parts: this.#parts.endedKinds(), root: [] } as const]
    this.#parts.emit(
      finishEvent(
        decodeFinish(body, turns, () => {}),
        usage,
        residue,
        serviceTier,
      ),
    )
  }

  #fail(error: ApiError, output: readonly unknown[] = []): void {
    this.#start()
    this.#isOver = true
    this.#items.finishAll(output, true)
    const message = error.message || error.code || 'The answer failed, and nothing was said about why.'
    this.#parts.emit({ type: 'error', error: { ...error, message } })
  }

  /** An error comes twice: in an event of its own, and then in the answer that failed. */
  #readFailedAnswer({ data }: SseFrame): void {
    const body = this.#answer === undefined ? parseJson(data) : undefined
    const response =
      isObject(body) && terminalEvents.has(own(body, 'type')) ? own(body, 'response') : undefined
    if (isObject(response)) this.#answer = response
  }
}

const endedEarly: JsonObject = {
  type: 'error',
  error: { type: 'server_error', message: "The upstream's stream ended before the answer did." },
}

function readRepeated(data: JsonObject): RepeatedDelta | undefined {
  const type = own(data, 'type')
  const family = pieceEvents.get(type)
  const isDelta =
    typeof type === 'string' && type.endsWith('.delta') && typeof own(data, 'delta') === 'string'
  if (family === undefined || !isDelta || own(data, 'response') !== undefined) return undefined
  const id = own(data, 'item_id')
  const outputIndex = own(data, 'output_index')
  return { key: 'delta', volatileFields, family, type, id, outputIndex, position: positionInItem(type, data) }
}

/** Progress of what the provider does, whose result is in an item; and facts about the account and the connection. */
const progress = /^response\.(?:\w+_call|mcp_list_tools|compaction)[._]/
const aside = /^(?:codex|responsesapi)\.|^response\.metadata$/

/** They repeat what is known of an answer that goes on. */
const announcements = /^response\.(?:created|queued|in_progress)$/

function lossOf(type: string): 'event_dropped' | 'hint_dropped' | 'progress_dropped' {
  if (progress.test(type)) return 'progress_dropped'
  return aside.test(type) ? 'hint_dropped' : 'event_dropped'
}

/** Content parts have the same events in messages and in reasoning. */
function contentFamily(type: unknown, data: JsonObject): Family | undefined {
  if (type !== 'response.content_part.added' && type !== 'response.content_part.done') return undefined
  const part = own(data, 'part')
  return isObject(part) && own(part, 'type') === 'reasoning_text' ? 'reasoning' : 'message'
}

/** The error of an event: nested in the specification, flat in the types of the official client. */
function streamError(data: JsonObject): ApiError {
  const nested = decodeError(own(data, 'error') ?? own(data, 'response'))
  const error = nested?.error ?? decodeError(omit(data, ['type']))?.error
  return error ?? { kind: 'server', message: '' }
}
