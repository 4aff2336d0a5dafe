/**
 * Writes the client's side of a stream that changes nothing: complete frames are sent on unchanged, and their events
 * only recorded. If the stream breaks off, an error event of the wire is added.
 */

import type { JsonObject } from '../../json/object.ts'
import { parseJson } from '../../json/text.ts'
import type { ErrorEvent, StartEvent, StreamEvent } from '../../model/stream-event.ts'
import type { SseFrame } from '../../sse/sse-parser.ts'
import type { WholeEvents } from '../../sse/whole-events.ts'
import type { StreamEncoder, StreamSnapshot } from '../../wires/define-wire.ts'
import type { StreamReader } from '../../wires/fast-path/stream-reader.ts'
import type { StreamOutput, StreamParts } from './exchange-stream.ts'
import type { RepeatableContext, TokenUsage } from './stream-record.ts'
import { createRepeatableContext, encodeRecordedAnswer, StreamRecord } from './stream-record.ts'

interface OwnEncoder {
  readonly ids: RepeatableContext
  readonly encoder: StreamEncoder
}

export class PassthroughOutput implements StreamOutput {
  readonly record: StreamRecord = new StreamRecord()
  // A passthrough exchange has no server tools.
  readonly rounds = undefined
  readonly kept = undefined
  /** An end was written here, so further text of the upstream is ignored. */
  isClosed = false
  readonly #parts: StreamParts
  readonly #completeFrames: WholeEvents
  /** Created only if an event has to be written here. */
  #own: OwnEncoder | undefined
  #start: StartEvent = { type: 'start' }
  #hasOutput = false

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.#completeFrames = parts.upstream.frames.createGate()
  }

  get usage(): TokenUsage | undefined {
    return this.record.usage
  }

  answer(reader: StreamReader): JsonObject | undefined {
    const answer = this.#own?.encoder.answer?.() ?? reader.answer()
    if (answer !== undefined || this.record.finish === undefined) return answer
    return encodeRecordedAnswer(this.record, this.#parts.client, this.#ownEncoder().ids.again())
  }

  // The upstream's stream has its own beginning and end, and one round.
  begin(): string {
    return ''
  }

  nextRound(): string {
    return ''
  }

  stop(): string {
    return ''
  }

  release(): string {
    return ''
  }

  write(events: readonly StreamEvent[], source: string): string {
    this.#note(events)
    return this.#emit(this.#completeFrames.push(source))
  }

  writeWhole(events: readonly StreamEvent[]): string {
    this.isClosed = true
    this.#note(events)
    const { encoder } = this.#ownEncoder()
    return this.#emit(events.map(event => encoder.push(event)).join(''))
  }

  end(reader: StreamReader): string {
    const last = reader.takeLastFrames().filter(isReadable)
    this.#note(reader.readFrames(last))
    if (this.record.finish === undefined) {
      const snapshot = reader.snapshot()
      const ending = reader.end()
      const failed = ending.find(event => event.type === 'error')
      if (failed !== undefined) {
        const rest =
          last.length > 0 ? this.#completeFrames.flush() + this.#parts.upstream.frames.terminator : ''
        return this.#emit(rest) + this.#fail(failed, snapshot)
      }
      this.#note(ending)
    }
    return this.#emit(this.#completeFrames.flush())
  }

  fail(event: ErrorEvent, reader: StreamReader): string {
    const hasEnded = this.isClosed || this.record.finish !== undefined
    return hasEnded ? '' : this.#fail(event, reader.snapshot())
  }

  #fail(event: ErrorEvent, snapshot: StreamSnapshot | undefined): string {
    const { encoder } = this.#ownEncoder()
    this.isClosed = true
    const pending = this.#emit(this.#completeFrames.flushEnded())
    if (this.#hasOutput) encoder.resume(this.#start, snapshot)
    this.record.note(event)
    return pending + this.#emit(encoder.push(event))
  }

  #note(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (event.type === 'part-delta') continue
      if (event.type === 'start') this.#start = event
      this.record.note(event)
    }
  }

  #ownEncoder(): OwnEncoder {
    const { prepared, client, report } = this.#parts
    if (this.#own === undefined) {
      const ids = createRepeatableContext(prepared.answerContext)
      this.#own = { ids, encoder: client.createStreamEncoder(ids.first, report) }
    }
    return this.#own
  }

  #emit(text: string): string {
    this.#hasOutput ||= text !== ''
    return text
  }
}

/** Half a frame at the end of the stream must not be sent, because it would merge with the next one. */
function isReadable({ data }: SseFrame): boolean {
  return parseJson(data) !== undefined || data.trim() === '[DONE]'
}
