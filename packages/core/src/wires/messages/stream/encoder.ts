/**
 * Events to Messages frames. Blocks are sequential on this wire: a part that starts while another is open waits, in the
 * order of the starts, and its deltas are queued until then.
 */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import type { ApiError } from '../../../model/answer.ts'
import type { CallPart, Part, RefusalPart } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { FinishEvent, PartDeltaEvent, StartEvent, StreamEvent } from '../../../model/stream-event.ts'
import type { AnswerContext, StreamEncoder } from '../../define-wire.ts'
import { encodeEnvelope, openingOf } from '../answer/answer.ts'
import { encodeErrorAnswer } from '../answer/errors.ts'
import type { ContentFacts } from '../answer/finish.ts'
import { encodeFinish, isCut } from '../answer/finish.ts'
import { encodeUsage } from '../answer/usage.ts'
import { reportStatus } from '../calls.ts'
import { reportRefusal } from '../parts.ts'
import { encodeFrame } from './encode-frames.ts'
import type { PartContext, PartEncoder } from './encode-parts.ts'
import { createPartEncoder } from './encode-parts.ts'

/** A part that has started and is not completely written. */
interface OpenPart {
  readonly index: number
  readonly encoder: PartEncoder
  readonly queued: PartDeltaEvent[]
  /** The complete part, if it ended before its turn. */
  ended: Part | undefined
}

export class MessagesStreamEncoder implements StreamEncoder {
  readonly #context: AnswerContext
  readonly #report: Report
  readonly #partContext: PartContext
  readonly #open = new Map<number, OpenPart>()
  /** The part whose block may be written now. */
  #current: OpenPart | undefined
  #blockCount = 0
  readonly #seen: ContentFacts = { calls: false, refusal: false, cutCall: false }
  readonly #calls: CallPart[] = []
  readonly #refusals: RefusalPart[] = []
  #isStarted = false
  #isOver = false
  /** What was written before the end: an error may replace the end. */
  #beforeEnd = ''

  constructor(context: AnswerContext, report: Report) {
    this.#context = context
    this.#report = report
    this.#partContext = {
      report,
      newId: prefix => context.newId(prefix),
      nextBlock: () => this.#blockCount++,
    }
  }

  resume(): void {
    this.#isStarted = true
  }

  push(event: StreamEvent): string {
    if (this.#isOver) return ''
    switch (event.type) {
      case 'part-delta':
        return this.#delta(event)
      case 'start':
        return this.#start(event)
      case 'part-start':
        return this.#startPart(event.index, event.part)
      case 'part-end':
        return this.#endPart(event.index, event.part)
      case 'finish':
        this.#isOver = true
        return this.#finish(event)
      case 'error':
        this.#isOver = true
        return this.#fail(event.error)
    }
  }

  replaceEnd(error: ApiError): string {
    return this.#beforeEnd + this.#fail(error)
  }

  #start(event: Partial<StartEvent>): string {
    if (this.#isStarted) return ''
    this.#isStarted = true
    const message: Record<string, unknown> = openingOf(event, this.#context)
    message.usage = encodeUsage(undefined, this.#report)
    return encodeFrame('message_start', { message }) ?? ''
  }

  #startPart(index: number, part: Part): string {
    if (this.#open.has(index)) return ''
    const encoder = createPartEncoder(part, this.#partContext)
    this.#open.set(index, { index, encoder, queued: [], ended: undefined })
    return this.#start({}) + (this.#current === undefined ? this.#advance() : '')
  }

  #delta(event: PartDeltaEvent): string {
    const current = this.#current
    if (current?.index === event.index) return current.encoder.delta(event)
    this.#open.get(event.index)?.queued.push(event)
    return ''
  }

  #endPart(index: number, part: Part): string {
    const open = this.#open.get(index)
    if (open === undefined || open.ended !== undefined) return ''
    this.#record(part)
    open.ended = part
    return open === this.#current ? open.encoder.end(part) + this.#advance() : ''
  }

  /** Makes the next part the current one, and goes on as long as parts have ended already. */
  #advance(): string {
    let out = ''
    for (;;) {
      if (this.#current !== undefined) this.#open.delete(this.#current.index)
      const next = this.#open.values().next().value
      this.#current = next
      if (next === undefined) return out
      out += next.encoder.open() + encodeQueued(next)
      if (next.ended === undefined) return out
      out += next.encoder.end(next.ended)
    }
  }

  /** Notes what the stop reason depends on. */
  #record(part: Part): void {
    if (part.kind === 'refusal') {
      this.#seen.refusal = true
      this.#refusals.push(part)
    } else if (part.kind === 'call') {
      this.#seen.calls = true
      if (part.status === 'incomplete') this.#seen.cutCall = true
      this.#calls.push(part)
    }
  }

  #finish({ type: _, ...end }: FinishEvent): string {
    if (end.finish.reason === 'failed') return this.#fail(undefined)
    const report = this.#report
    const stop = encodeFinish(end, this.#seen, report)
    for (const refusal of this.#refusals) if (stop !== 'refusal') reportRefusal(refusal, report)
    for (const call of this.#calls) if (!isCut(end.finish, stop)) reportStatus(call, report)
    // The id was sent with the start; this one only prevents that a new one is made.
    const body = encodeEnvelope({ id: 'msg_', ...end }, stop, [], this.#context, report)
    const usage = own(body, 'usage')
    const fields = {
      delta: {
        stop_reason: stop ?? null,
        stop_sequence: own(body, 'stop_sequence') ?? null,
        stop_details: own(body, 'stop_details') ?? null,
        container: own(body, 'container') ?? null,
      },
      usage: isObject(usage) ? usage : encodeUsage(undefined, report),
    }
    const more = end.residue?.wire === 'messages' ? unknownFields(body) : {}
    const delta =
      encodeFrame('message_delta', { ...more, ...fields }) ?? encodeFrame('message_delta', fields) ?? ''
    this.#beforeEnd = this.#start({}) + this.#closeAll()
    return `${this.#beforeEnd}${delta}event: message_stop\ndata: {"type":"message_stop"}\n\n`
  }

  #fail(error: ApiError | undefined): string {
    const failed = { turns: [], finish: { reason: 'failed' }, ...(error && { error }) } as const
    return this.#closeAll() + (encodeFrame('error', encodeErrorAnswer(failed, this.#report)) ?? '')
  }

  #closeAll(): string {
    let out = ''
    while (this.#current !== undefined) out += this.#current.encoder.end() + this.#advance()
    return out
  }
}

/** What an answer of this wire holds besides. In a stream these fields are beside the delta. */
function unknownFields(body: JsonObject): JsonObject {
  const elsewhere = ['id', 'type', 'role', 'model', 'content', 'usage', 'delta']
  return omit(body, [...elsewhere, 'stop_reason', 'stop_sequence', 'stop_details', 'container'])
}

/** The deltas that waited, in as few frames as possible. */
function encodeQueued({ encoder, queued }: OpenPart): string {
  let out = ''
  for (let from = 0; from < queued.length; ) {
    const first = queued[from]
    if (first === undefined) break
    const pieces: string[] = []
    for (; from < queued.length; from++) {
      const next = queued[from]
      if (next?.summary !== first.summary || next?.section !== first.section) break
      pieces.push(next?.text ?? '')
    }
    out += encoder.delta({ ...first, text: pieces.join('') })
  }
  queued.length = 0
  return out
}
