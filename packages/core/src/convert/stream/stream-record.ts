/**
 * Records facts about a stream: how it ended, its usage, its calls. It also folds the events into the complete answer
 * on request.
 */

import type { JsonObject } from '../../json/object.ts'
import { append, compact } from '../../json/object.ts'
import type { Answer, FinishReason, Usage } from '../../model/answer.ts'
import { foldEvents } from '../../model/fold-events.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import { totalUsage } from '../../model/usage.ts'
import type { AnswerContext, WireConversation } from '../../wires/define-wire.ts'
import { isCompaction } from '../adapt/turns/compactions.ts'
import { calledName } from '../shared/client-calls.ts'

/** The tokens of an answer, over all its rounds. */
export type TokenUsage = Omit<Usage, 'residue'>

export class StreamRecord {
  readonly calls: string[] = []
  finish: FinishReason | undefined
  usage: TokenUsage | undefined
  failure: string | undefined
  isCompacted = false
  readonly #events: StreamEvent[] = []

  /** Records an event. Deltas can be left out: the end of a part holds its full content. */
  note(event: StreamEvent): void {
    switch (event.type) {
      case 'part-end':
        append(this.calls, calledName(event.part))
        this.isCompacted ||= isCompaction(event.part)
        break
      case 'finish':
        this.finish = event.finish.reason
        this.usage = event.usage && countsOf(event.usage)
        break
      case 'error':
        this.finish = 'failed'
        this.failure = event.error.message
        break
      case 'start':
        break
      default:
        return
    }
    this.#events.push(event)
  }

  fold(): Answer {
    return foldEvents(this.#events)
  }
}

export function countsOf(usage: Usage): TokenUsage {
  const { residue: _, ...counts } = totalUsage(usage)
  return counts
}

/** Returns ids and the time, and the same ones again, so that an answer encoded twice has the same ids. */
export interface RepeatableContext {
  readonly first: AnswerContext
  again(): AnswerContext
}

export function createRepeatableContext(
  context: AnswerContext,
  longTexts?: Iterable<string>[],
): RepeatableContext {
  const ids = new Map<string, string[]>()
  let time: number | undefined
  const now = (): number => {
    time ??= context.now()
    return time
  }
  return {
    first: {
      ...contextWith(context, now, prefix => {
        const id = context.newId(prefix)
        const issued = ids.get(prefix)
        if (issued === undefined) ids.set(prefix, [id])
        else issued.push(id)
        return id
      }),
      longTexts,
    },
    again() {
      const used = new Map<string, number>()
      return contextWith(context, now, prefix => {
        const at = used.get(prefix) ?? 0
        used.set(prefix, at + 1)
        return ids.get(prefix)?.[at] ?? context.newId(prefix)
      })
    },
  }
}

/** Copies field by field, because `request` may be a getter that decodes the request. */
function contextWith(
  { request, restated, sentTools, cache }: AnswerContext,
  now: AnswerContext['now'],
  newId: AnswerContext['newId'],
): AnswerContext {
  return compact({ now, newId, request, restated, sentTools, cache })
}

/** Encodes the answer of a finished stream as a complete answer. */
export function encodeRecordedAnswer(
  record: StreamRecord,
  codec: WireConversation,
  context: AnswerContext,
): JsonObject | undefined {
  if (record.finish === undefined) return undefined
  return codec.encodeAnswer(record.fold(), context, () => undefined)
}
