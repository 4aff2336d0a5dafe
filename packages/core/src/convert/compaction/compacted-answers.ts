/** Answers with a compaction: an answer that is the summary, or one that comes after it. */
import { compact } from '../../json/object.ts'
import type { Answer, ApiError, Finish, Usage } from '../../model/answer.ts'
import { partEvents } from '../../model/answer-events.ts'
import type { Compaction, CompactionDemand } from '../../model/compaction.ts'
import type { Part, Turn } from '../../model/conversation.ts'
import type { Origin } from '../../model/origin.ts'
import type { FinishEvent, StreamEvent } from '../../model/stream-event.ts'
import { longTextLength } from '../../model/stream-event.ts'
import { noUsage, totalUsage } from '../../model/usage.ts'
import type { WireCompactions } from '../../wires/define-wire.ts'
import type { Seal } from '../shared/envelope.ts'
import { mapShared } from '../shared/shared-lists.ts'
import type { StreamTransform } from '../undo/stream-undo.ts'
import { sealCompaction } from './sealed-compaction.ts'

/** How many characters of the last turns stay: about four thousand tokens, and about a quarter of a small threshold. */
const longestTail = 16_000

export function tailFor({ threshold = longestTail }: CompactionDemand): number {
  return Math.min(longestTail, threshold)
}

/** A compaction that was just made, and what it cost. */
export interface MadeCompaction extends Compaction {
  readonly usage?: Usage
}

/** What became of a summary: the summary, or why there is none. */
export type SummaryOutcome =
  | { readonly made: MadeCompaction; readonly error?: undefined }
  | { readonly made?: undefined; readonly error: ApiError }

/** The summary in an answer. One that was cut off would lose what it does not mention any more. */
export function summaryIn(
  answer: Pick<Answer, 'turns' | 'finish' | 'usage' | 'error'>,
  tail: number,
): SummaryOutcome {
  const { finish, usage, error } = answer
  if (error !== undefined) return { error }
  const summary = answer.turns
    .flatMap(({ parts }) => parts.flatMap(textOf))
    .join('\n')
    .trim()
  const problem = problemOf(finish, summary)
  if (problem !== undefined) {
    return {
      error: {
        kind: 'server',
        message: `The conversation was not compacted: ${problem}`,
        code: 'compaction_failed',
      },
    }
  }
  return { made: { summary, tail, ...compact({ usage }) } }
}

function textOf(part: Part): readonly string[] {
  return part.kind === 'text' ? [part.text] : []
}

function problemOf({ reason }: Finish, summary: string): string | undefined {
  if (reason === 'length') return 'the summary was cut off at the output limit of the model.'
  if (reason !== 'stop' && reason !== 'calls') return `the model ended its summary early (${reason}).`
  if (summary === '') return 'the model wrote no summary.'
  return summary.length < longTextLength
    ? undefined
    : 'the summary is too long to be sent back by the client.'
}

export interface CompactionParts {
  readonly compactions: WireCompactions
  readonly seal: Seal
  /** Who made the summary. */
  readonly origin: Origin
  readonly newId: (prefix: string) => string
  readonly demand: CompactionDemand
}

export class CompactedAnswers {
  readonly #parts: CompactionParts
  /** Absent where the answer is to be the summary. */
  readonly #made: MadeCompaction | undefined

  constructor(parts: CompactionParts, made?: MadeCompaction) {
    this.#parts = parts
    this.#made = made
  }

  get isSummary(): boolean {
    return this.#made === undefined
  }

  /** What the client gets for a complete answer. */
  convert(answer: Answer): Answer {
    if (answer.error !== undefined) return answer
    if (this.#made !== undefined) {
      return {
        ...answer,
        turns: [this.#turn(this.#made), ...answer.turns],
        ...usageWith(answer.usage, this.#made),
      }
    }
    const { made, error } = summaryIn(answer, tailFor(this.#parts.demand))
    if (error !== undefined) return { ...answer, turns: [], finish: { reason: 'failed' }, error }
    const { finish } = this.#parts.compactions
    return { ...answer, turns: [this.#turn(made)], finish, ...usageWith(noUsage, made) }
  }

  createTransform(): StreamTransform {
    return this.#made === undefined
      ? new SummaryEvents(answer => this.convert(answer))
      : new LeadingEvents(this.#part(this.#made), this.#made)
  }

  #turn(made: MadeCompaction): Turn {
    return { role: 'assistant', parts: [this.#part(made)], root: [] }
  }

  #part({ summary, tail }: MadeCompaction): Part {
    const { compactions, seal, origin, newId, demand } = this.#parts
    const sealed = sealCompaction({ summary, tail }, origin, seal) ?? ''
    return compactions.encode({ summary, sealed, isOnDemand: demand.threshold === undefined }, newId)
  }
}

function usageWith(usage: Usage | undefined, made: MadeCompaction): { readonly usage?: Usage } {
  if (made.usage === undefined) return compact({ usage })
  const { residue: _, ...compaction } = totalUsage(made.usage)
  return { usage: { ...(usage ?? noUsage), compaction } }
}

/** Collects the summary, and shows it when it is complete. */
class SummaryEvents implements StreamTransform {
  readonly #convert: (answer: Answer) => Answer
  readonly #parts: Part[] = []

  constructor(convert: (answer: Answer) => Answer) {
    this.#convert = convert
  }

  transform(events: readonly StreamEvent[]): readonly StreamEvent[] {
    return events.flatMap(event => this.#show(event))
  }

  #show(event: StreamEvent): readonly StreamEvent[] {
    if (event.type === 'part-end') this.#parts.push(event.part)
    if (event.type === 'finish') return this.#finish(event)
    return event.type === 'start' || event.type === 'error' ? [event] : []
  }

  #finish({ finish, usage, residue, serviceTier }: FinishEvent): readonly StreamEvent[] {
    const turns: Turn[] = [{ role: 'assistant', parts: this.#parts, root: [] }]
    const answer = this.#convert({ turns, finish, ...compact({ usage, residue }) })
    if (answer.error !== undefined) return [{ type: 'error', error: answer.error }]
    const [part] = answer.turns[0]?.parts ?? []
    const shown = part === undefined ? [] : partEvents(part, 0)
    const rest = compact({ usage: answer.usage, residue, serviceTier })
    return [...shown, { type: 'finish', finish: answer.finish, ...rest }]
  }
}

/** Puts a compaction before the other parts. */
class LeadingEvents implements StreamTransform {
  readonly #part: Part
  readonly #made: MadeCompaction

  constructor(part: Part, made: MadeCompaction) {
    this.#part = part
    this.#made = made
  }

  transform(events: readonly StreamEvent[]): readonly StreamEvent[] {
    return mapShared(events, event => {
      if (event.type === 'start') return [event, ...partEvents(this.#part, 0)]
      if (event.type === 'finish') return { ...event, ...usageWith(event.usage, this.#made) }
      return 'index' in event ? { ...event, index: event.index + 1 } : event
    })
  }
}
