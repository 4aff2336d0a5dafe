/**
 * Writes the client's side of a stream that is converted: the events go through a list of transforms, which undo what
 * was adapted and route calls, and the client's wire encodes the result.
 */

import type { JsonObject } from '../../json/object.ts'
import type { ErrorEvent, StreamEvent } from '../../model/stream-event.ts'
import { startEvent } from '../../model/stream-event.ts'
import type { StreamEncoder } from '../../wires/define-wire.ts'
import type { StreamReader } from '../../wires/fast-path/stream-reader.ts'
import type { StreamRounds } from '../server-tools/streamed-rounds.ts'
import { createStreamRounds } from '../server-tools/streamed-rounds.ts'
import type { KeptReasoning } from '../shared/kept-reasoning.ts'
import type { StreamTransform } from '../undo/stream-undo.ts'
import type { StreamOutput, StreamParts } from './exchange-stream.ts'
import { SealedEvents } from './sealed-events.ts'
import type { RepeatableContext, TokenUsage } from './stream-record.ts'
import { countsOf, createRepeatableContext, encodeRecordedAnswer, StreamRecord } from './stream-record.ts'

export class ConvertedOutput implements StreamOutput {
  readonly record: StreamRecord = new StreamRecord()
  readonly rounds: StreamRounds
  readonly #parts: StreamParts
  readonly #ids: RepeatableContext
  readonly #encoder: StreamEncoder
  readonly #sealed: SealedEvents | undefined
  #compaction: StreamTransform | undefined
  /** The end of the stream, encoded but held back until `release`. */
  #heldEnd: string | undefined

  /** `fullAnswer`: the complete answer of a round, if the upstream repeats it at the end of its stream. */
  constructor(parts: StreamParts, fullAnswer: () => JsonObject | undefined) {
    const { client, upstream, prepared, report, longTexts, sealer } = parts
    this.#parts = parts
    this.#ids = createRepeatableContext(prepared.answerContext, longTexts)
    const context = sealer ? { ...this.#ids.first, sealsReasoning: true } : this.#ids.first
    this.#encoder = client.createStreamEncoder(context, report)
    this.#sealed = sealer && new SealedEvents(sealer)
    this.rounds = createStreamRounds({ upstream, prepared, report, fullAnswer })
  }

  get isClosed(): boolean {
    return this.record.finish !== undefined
  }

  get usage(): TokenUsage | undefined {
    const { usage } = this.rounds
    return this.record.usage ?? (usage && countsOf(usage))
  }

  get kept(): KeptReasoning | undefined {
    return this.#sealed?.kept
  }

  answer(): JsonObject | undefined {
    return (
      this.#encoder.answer?.() ?? encodeRecordedAnswer(this.record, this.#parts.client, this.#ids.again())
    )
  }

  begin(createdAt?: number): string {
    return this.#encode([startEvent(undefined, undefined, createdAt)])
  }

  write(events: readonly StreamEvent[]): string {
    let list = events
    for (const transform of this.rounds.transforms) list = transform.transform(list)
    list = this.#sealed?.transform(list) ?? list
    // A summary may be made after the stream was opened, but before its first event.
    this.#compaction ??= this.#parts.prepared.compacted?.createTransform()
    return this.#encode(this.#compaction?.transform(list) ?? list)
  }

  writeWhole(events: readonly StreamEvent[]): string {
    return this.write(events)
  }

  nextRound(): string {
    this.#sealed?.nextRound()
    return this.#encode(this.rounds.next())
  }

  stop(): string {
    const { waiting } = this.rounds
    if (waiting === undefined || this.isClosed) return ''
    return this.#encode([...this.rounds.next(), { ...waiting, finish: { reason: 'stop' } }])
  }

  end(reader: StreamReader): string {
    return this.write([...reader.readFrames(reader.takeLastFrames()), ...reader.end()])
  }

  fail(event: ErrorEvent): string {
    if (this.#heldEnd === undefined) return this.#encode([event])
    this.#heldEnd = undefined
    this.record.note(event)
    return this.#encoder.replaceEnd(event.error, event.isCancelled)
  }

  release(): string {
    return this.#heldEnd ?? ''
  }

  // Concatenating is faster than joining a list: engines keep concatenations as ropes until they are written.
  #encode(events: readonly StreamEvent[]): string {
    let text = ''
    for (const event of events)
      text += event.type === 'part-delta' ? this.#encoder.push(event) : this.#encodeEvent(event)
    return text
  }

  #encodeEvent(given: StreamEvent): string {
    if (this.isClosed) return ''
    const { answerId, holdEnd } = this.#parts
    const event = given.type === 'start' && answerId !== undefined ? { ...given, id: answerId } : given
    const text = this.#encoder.push(event)
    this.record.note(event)
    if (event.type !== 'finish' || !holdEnd) return text
    this.#heldEnd = text
    return ''
  }
}
