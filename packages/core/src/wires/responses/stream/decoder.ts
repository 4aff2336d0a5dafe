/** Reads a streamed answer: 59 kinds of events, of which those that carry or end a part matter here. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import { parseJson } from '../../../json/text.ts'
import type { ApiError } from '../../../model/answer.ts'
import type { Report } from '../../../model/diagnostic.ts'
import { finishEvent, startEvent } from '../../../model/stream-event.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'
import type { StreamDecoder } from '../../define-wire.ts'
import { createRepeatedDelta } from '../../fast-path/repeated-delta.ts'
import { decodeAnswer } from '../answer/answer.ts'
import { decodeError } from '../answer/errors.ts'
import { decodeFinish } from '../answer/finish.ts'
import type { Family } from './items.ts'
import { createStreamItems } from './items.ts'
import { createEventSink } from './part-tracker.ts'

/** Events about a piece of an item, and the items they can be about. */
const pieces: ReadonlyMap<unknown, Family> = new Map<unknown, Family>([
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
  // Open Responses' own name for the same.
  ['response.reasoning.delta', 'reasoning'],
  ['response.reasoning.done', 'reasoning'],
])

/** The status an answer has by the event that ends it, where the answer itself does not say. */
const terminal: ReadonlyMap<unknown, string> = new Map([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
  ['response.cancelled', 'cancelled'],
])
const passing: ReadonlySet<unknown> = new Set([undefined, null, 'in_progress', 'queued'])

/** Fields of deltas that mean nothing here, and are new each time. */
const numbersAndNoise = ['sequence_number', 'obfuscation']

export function createStreamDecoder(report: Report): StreamDecoder {
  const repeated = createRepeatedDelta()
  const sink = createEventSink(repeated)
  const items = createStreamItems(sink, report)
  let count = 0
  /** By how much the wire's own number of an event differs from our count. It begins with 0. */
  let shift = -1
  const skipped = new Set<string>()
  let started = false
  let over = false
  let usage: JsonObject | undefined
  let whole: JsonObject | undefined

  const start = (response: JsonObject = {}): void => {
    if (started) return
    started = true
    const created = own(response, 'created_at')
    const text = (key: string): string | undefined => {
      const value = own(response, key)
      return typeof value === 'string' ? value : undefined
    }
    sink.put(startEvent(text('id'), text('model'), typeof created === 'number' ? created : undefined))
  }

  const fail = (error: ApiError, output: readonly unknown[] = []): void => {
    start()
    over = true
    items.settle(output, true)
    const message = error.message || error.code || 'The answer failed, and nothing was said about why.'
    sink.put({ type: 'error', error: { ...error, message } })
  }

  const finish = (type: unknown, given: JsonObject): void => {
    whole = given
    const said = own(given, 'status')
    const status = passing.has(said) ? terminal.get(type) : said
    const list = own(given, 'output')
    const output = Array.isArray(list) ? list : []
    const failure = decodeError(own(given, 'error'))
    if (status === 'failed' || failure !== undefined) {
      fail(failure?.error ?? { kind: 'server', message: '' }, output)
      return
    }
    start(given)
    over = true
    items.settle(output, status !== 'completed')
    const body = omit(given, ['output'])
    body.status = status
    if (usage !== undefined) body.usage = usage
    const around = decodeAnswer(body, report)
    const turns = [{ role: 'assistant', parts: sink.endedKinds(), root: [] } as const]
    sink.put(finishEvent(decodeFinish(body, turns), around.usage, around.residue))
  }

  /** Progress of the provider's own tools: its result is in the item, and other wires have no word for the way there. */
  const skip = (type: string): void => {
    if (skipped.has(type)) return
    skipped.add(type)
    report(
      'progress_dropped',
      ['events', type],
      `Events "${type}" have no form on the target; they were left out.`,
    )
  }

  const read = (type: unknown, data: JsonObject): void => {
    const response = own(data, 'response')
    const answer = isObject(response) ? response : {}
    const counted = own(answer, 'usage')
    if (isObject(counted)) usage = counted
    if (typeof type === 'string' && type.startsWith('response.')) start(answer)
    if (terminal.has(type)) finish(type, answer)
    else if (type === 'error') fail(streamError(data))
    else if (type === 'response.output_item.added') items.added(data)
    else if (type === 'response.output_item.done') items.done(data)
    else {
      const family = pieces.get(type) ?? contentFamily(type, data)
      if (family !== undefined) items.take(family, String(type), data)
      else if (typeof type === 'string' && type.startsWith('response.') && !isObject(response)) skip(type)
    }
  }

  const readFrame = (frame: SseFrame): void => {
    const { event, data: text } = frame
    if (text.trim() === '' || event === 'ping' || event === 'keepalive') return
    const data = text === '[DONE]' ? endedEarly : parseJson(text)
    if (data === undefined) {
      fail({ kind: 'server', message: `Event ${count} of the upstream's stream is not valid JSON.` })
    } else if (isObject(data)) {
      const number = own(data, 'sequence_number')
      if (typeof number === 'number') shift = number - count
      const type = own(data, 'type') ?? event
      read(isObject(own(data, 'error')) && type === undefined ? 'error' : type, data)
      learn(own(data, 'type'), data, frame)
    }
  }

  /** A piece of an item's text. Nothing else that such an event holds is new when it comes again. */
  const learn = (type: unknown, data: JsonObject, frame: SseFrame): void => {
    const family = pieces.get(type)
    const isDelta =
      typeof type === 'string' && type.endsWith('.delta') && typeof own(data, 'delta') === 'string'
    if (over || family === undefined || !isDelta || own(data, 'response') !== undefined) return
    repeated.learn(frame, 'delta', items.follow(family, type, data), numbersAndNoise)
  }

  /** An error is told twice: by an event of its own, and then by the answer that failed. */
  const hearFailed = ({ data }: SseFrame): void => {
    const body = whole === undefined ? parseJson(data) : undefined
    const response = isObject(body) && terminal.has(own(body, 'type')) ? own(body, 'response') : undefined
    if (isObject(response)) whole = response
  }

  return {
    answer: () => whole,
    snapshot: () => ({ next: count + 1 + shift, ...items.told() }),
    push(frame) {
      if (over) {
        hearFailed(frame)
        return []
      }
      count++
      if (!repeated.tell(frame)) readFrame(frame)
      return sink.take()
    },
    tryFastEvent(stream, start) {
      const end = over ? -1 : repeated.tryFastEvent(stream, start)
      if (end >= 0) count++
      return end
    },
    takeEvents: () => sink.take(),
    end() {
      if (!over) read('error', endedEarly)
      return sink.take()
    },
  }
}

const endedEarly: JsonObject = {
  type: 'error',
  error: { type: 'server_error', message: "The upstream's stream ended before the answer did." },
}

/** Parts of content are announced alike in messages and in reasoning. */
function contentFamily(type: unknown, data: JsonObject): Family | undefined {
  if (type !== 'response.content_part.added' && type !== 'response.content_part.done') return undefined
  const part = own(data, 'part')
  return isObject(part) && own(part, 'type') === 'reasoning_text' ? 'reasoning' : 'message'
}

/** The error of an event: nested by the specification, flat by the official types. */
function streamError(data: JsonObject): ApiError {
  const nested = decodeError(own(data, 'error') ?? own(data, 'response'))
  const error = nested?.error ?? decodeError(omit(data, ['type']))?.error
  return error ?? { kind: 'server', message: '' }
}
