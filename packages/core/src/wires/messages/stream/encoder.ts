/**
 * Events as this wire's frames. Blocks are sequential here: a part that begins while another is open waits, in the
 * order of the starts, and then says at once what it had to keep to itself.
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
import { frame } from './encode-frame.ts'
import type { PartWriter } from './encode-parts.ts'
import { createPartWriter } from './encode-parts.ts'

/** A part that has begun and is not fully written. */
interface Slot {
  readonly index: number
  readonly writer: PartWriter
  readonly waiting: PartDeltaEvent[]
  ended?: Part
}

export function createStreamEncoder(context: AnswerContext, report: Report): StreamEncoder {
  const slots = new Map<number, Slot>()
  const said: ContentFacts = { calls: false, refusal: false, cutCall: false }
  const calls: CallPart[] = []
  const refusals: RefusalPart[] = []
  /** The part whose block may be written now. */
  let floor: Slot | undefined
  let blocks = 0
  let started = false
  let done = false
  /** What was written before the end: an error may take the end's place. */
  let beforeEnd = ''
  const writing = {
    report,
    newId: (prefix: string) => context.newId(prefix),
    nextBlock: () => blocks++,
  }

  function start(event: Partial<StartEvent>): string {
    if (started) return ''
    started = true
    const message: Record<string, unknown> = openingOf(event, context)
    message.usage = encodeUsage(undefined, report)
    return frame('message_start', { message }) ?? ''
  }

  function startPart(index: number, part: Part): string {
    if (slots.has(index)) return ''
    const slot: Slot = { index, writer: createPartWriter(part, writing), waiting: [] }
    slots.set(index, slot)
    return start({}) + (floor === undefined ? advance() : '')
  }

  function delta(event: PartDeltaEvent): string {
    if (floor?.index === event.index) return floor.writer.delta(event)
    slots.get(event.index)?.waiting.push(event)
    return ''
  }

  function endPart(index: number, part: Part): string {
    const slot = slots.get(index)
    if (slot === undefined || slot.ended !== undefined) return ''
    note(part)
    slot.ended = part
    return slot === floor ? slot.writer.end(part) + advance() : ''
  }

  /** The floor goes to the next part, and on as long as parts have ended already. */
  function advance(): string {
    let out = ''
    for (;;) {
      if (floor !== undefined) slots.delete(floor.index)
      floor = slots.values().next().value
      if (floor === undefined) return out
      out += floor.writer.open() + catchUp(floor)
      if (floor.ended === undefined) return out
      out += floor.writer.end(floor.ended)
    }
  }

  function note(part: Part): void {
    if (part.kind === 'refusal') {
      said.refusal = true
      refusals.push(part)
    } else if (part.kind === 'call') {
      said.calls = true
      if (part.status === 'incomplete') said.cutCall = true
      calls.push(part)
    }
  }

  function closeAll(): string {
    let out = ''
    while (floor !== undefined) out += floor.writer.end() + advance()
    return out
  }

  function finish(event: FinishEvent): string {
    if (event.finish.reason === 'failed') return fail(undefined)
    const { type: _, ...end } = event
    const isOwn = end.residue?.wire === 'messages'
    const stop = encodeFinish(end, said, report)
    for (const refusal of refusals) if (stop !== 'refusal') reportRefusal(refusal, report)
    for (const call of calls) if (!isCut(end.finish, stop)) reportStatus(call, report)
    // The id was sent with the start; this one only keeps a new one from being made.
    const body = encodeEnvelope({ id: 'msg_', ...end }, stop, [], context, report)
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
    const more = isOwn ? beside(body) : {}
    const delta = frame('message_delta', { ...more, ...fields }) ?? frame('message_delta', fields) ?? ''
    beforeEnd = start({}) + closeAll()
    return `${beforeEnd}${delta}event: message_stop\ndata: {"type":"message_stop"}\n\n`
  }

  function fail(error: ApiError | undefined): string {
    const failed = { turns: [], finish: { reason: 'failed' }, ...(error && { error }) } as const
    return closeAll() + (frame('error', encodeErrorAnswer(failed, report)) ?? '')
  }

  function write(event: StreamEvent): string {
    switch (event.type) {
      case 'part-delta':
        return delta(event)
      case 'start':
        return start(event)
      case 'part-start':
        return startPart(event.index, event.part)
      case 'part-end':
        return endPart(event.index, event.part)
      case 'finish':
        done = true
        return finish(event)
      case 'error':
        done = true
        return fail(event.error)
    }
  }

  return {
    resume() {
      started = true
    },
    replaceEnd: error => beforeEnd + fail(error),
    push: event => (done ? '' : write(event)),
  }
}

/** What an answer of this wire says of itself besides, which a stream says beside the delta. */
function beside(body: JsonObject): JsonObject {
  const elsewhere = ['id', 'type', 'role', 'model', 'content', 'usage', 'delta']
  return omit(body, [...elsewhere, 'stop_reason', 'stop_sequence', 'stop_details', 'container'])
}

/** What a part had to keep to itself, in as few deltas as it can be said. */
function catchUp({ writer, waiting }: Slot): string {
  let out = ''
  for (let from = 0; from < waiting.length; ) {
    const first = waiting[from]
    if (first === undefined) break
    const pieces: string[] = []
    for (; from < waiting.length; from++) {
      const next = waiting[from]
      if (next?.summary !== first.summary || next?.section !== first.section) break
      pieces.push(next?.text ?? '')
    }
    out += writer.delta({ ...first, text: pieces.join('') })
  }
  waiting.length = 0
  return out
}
