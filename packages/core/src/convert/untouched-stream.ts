/**
 * One wire on both sides and nothing to change: the text passes as it is, event by event, and is only watched. If it
 * ends without an end, the client is told as its wire tells it.
 */
import type { ApiError } from '../model/answer.ts'
import { isObject } from '../model/json.ts'
import type { StartEvent, StreamEvent } from '../model/stream-event.ts'
import type { SseFrame } from '../sse/sse-parser.ts'
import { createSseParser } from '../sse/sse-parser.ts'
import { createUtf8Decoder } from '../sse/utf8-decoder.ts'
import { answerEvents } from './answer-events.ts'
import { createEventGate } from './event-gate.ts'
import type { ExchangeStream, StreamParts } from './exchange-stream.ts'
import { isIdle, limitsOf, notAnObject, serverError } from './exchange-stream.ts'
import { createRepeatable, createStreamRecord, wholeAnswer } from './stream-record.ts'

export function createUntouchedStream(parts: StreamParts): ExchangeStream {
  const { client, upstream, diagnostics, report } = parts
  const { event: longest, stream: longestStream } = limitsOf(parts.limits)
  const ids = createRepeatable(parts.asked.answerContext)
  const encoder = client.createStreamEncoder(ids.first, report)
  // A decoder that only watches has nothing to tell: what it does not understand passes all the same.
  const decoder = upstream.createStreamDecoder(() => undefined)
  const decode = createUtf8Decoder()
  const parser = createSseParser(longest)
  const gate = createEventGate()
  const record = createStreamRecord()
  let start: StartEvent = { type: 'start' }
  let length = 0
  let frames = 0
  let progress = 0
  let isBegun = false
  /** The last word was ours, so nothing of the upstream's follows. */
  let isClosed = false

  const note = (events: readonly StreamEvent[]): void => {
    for (const event of events) {
      if (event.type === 'start') start = event
      if (event.type !== 'part-delta') record.note(event)
    }
  }

  const watch = (given: readonly SseFrame[]): void => {
    for (const frame of given) {
      frames++
      if (!isIdle(frame)) progress++
      try {
        note(decoder.push(frame))
      } catch {
        // What cannot be read here may still mean something to the client, whose wire it is.
      }
    }
  }

  const say = (text: string): string => {
    isBegun ||= text !== ''
    return text
  }

  const fail = (error: ApiError): string => {
    isClosed = true
    if (isBegun) encoder.resume(start, frames)
    const event = { type: 'error', error } as const
    record.note(event)
    return say(encoder.push(event))
  }

  const overLimit = (): string | undefined =>
    parser.exceeded ??
    (length > longestStream ? `The stream is longer than ${longestStream} characters.` : undefined)

  return {
    diagnostics,
    get failure() {
      return record.failure
    },
    get finish() {
      return record.finish
    },
    get usage() {
      return record.usage
    },
    get progress() {
      return progress
    },
    calls: record.calls,
    // A stream that passes as it is has nothing to wait for.
    held: [],
    nextRound: () => '',
    stop: () => '',
    get answer() {
      return encoder.answer ?? decoder.answer ?? wholeAnswer(record, client, ids.again())
    },
    fail: error => (isClosed || record.finish !== undefined ? '' : fail(error)),
    whole(body) {
      if (isClosed || record.finish !== undefined) return ''
      if (!isObject(body)) return fail(serverError(notAnObject))
      isClosed = true
      progress++
      const events = [...answerEvents(upstream.decodeAnswer(body, report))]
      note(events)
      return say(events.map(event => encoder.push(event)).join(''))
    },
    push(chunk) {
      const text = decode(chunk)
      if (isClosed) return ''
      length += text.length
      const isWatched = record.finish === undefined
      watch(parser.push(text))
      const limit = isWatched ? overLimit() : undefined
      return limit === undefined ? say(gate.push(text)) : fail(serverError(limit))
    },
    end() {
      const text = decode(undefined)
      if (isClosed) return ''
      watch(parser.push(text))
      const passed = gate.push(text)
      const last = parser.end().filter(isReadable)
      watch(last)
      if (record.finish !== undefined) return say(passed + gate.flush())
      note(decoder.end())
      if (record.failure === undefined) return say(passed + gate.flush())
      const rest = last.length > 0 ? `${gate.flush()}\n\n` : ''
      return say(passed + rest) + fail(serverError(record.failure))
    },
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
