/** Where the items of a stream put what they know of their parts, and how they gather text that comes in pieces. */

import type { Part } from '../../../model/conversation.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { textDelta } from '../../../model/stream-event.ts'
import type { EscapedSource } from '../../fast-path/repeated-delta.ts'
import { responsesResidue } from '../residue.ts'

/** Which section of a reasoning a piece belongs to. */
interface Section {
  readonly summary: boolean
  readonly section: number
}

export interface PartSink {
  /** Begins a part and gives its index. */
  start(part: Part): number
  delta(index: number, text: string, section?: Section): void
  end(index: number, part: Part): void
  /** A part that is known only when it is complete. */
  whole(part: Part): void
}

export interface EventSink extends PartSink {
  put(event: StreamEvent): void
  /** What was put since the last time. */
  take(): StreamEvent[]
  /** One of each kind of part that has ended: enough to tell how the answer finished. */
  endedKinds(): Part[]
}

export function createEventSink(spelling: EscapedSource): EventSink {
  let events: StreamEvent[] = []
  let next = 0
  const ended = new Map<string, Part>()
  const sink: EventSink = {
    start(part) {
      events.push({ type: 'part-start', index: next, part })
      return next++
    },
    delta(index, text, section) {
      if (text === '') return
      events.push(
        section === undefined
          ? textDelta(index, text, spelling.escapedTextOf(text))
          : { type: 'part-delta', index, text, ...section },
      )
    },
    end(index, part) {
      ended.set(part.kind, part)
      events.push({ type: 'part-end', index, part })
    },
    whole(part) {
      const index = sink.start(unsaid(part))
      for (const { text, section } of textsOf(part)) sink.delta(index, text, section)
      sink.end(index, part)
    },
    put: event => void events.push(event),
    take() {
      const taken = events
      events = []
      return taken
    },
    endedKinds: () => [...ended.values()],
  }
  return sink
}

/** The part before anything of it was said. */
export function unsaid(part: Part): Part {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { kind: part.kind, text: '', path: part.path, residue: responsesResidue.create(part.path, []) }
    case 'call':
      return { ...part, input: '' }
    case 'reasoning': {
      const { seal: _, ...rest } = part
      return { ...rest, summary: [], text: [] }
    }
    default:
      return part
  }
}

function textsOf(part: Part): { text: string; section?: Section }[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return [{ text: part.text }]
    case 'call':
      return [{ text: part.input }]
    case 'reasoning':
      return [
        ...part.summary.map((text, section) => ({ text, section: { summary: true, section } })),
        ...part.text.map((text, section) => ({ text, section: { summary: false, section } })),
      ]
    default:
      return []
  }
}

/** Text in pieces, put together only when somebody looks. */
export interface TextRun {
  readonly length: number
  push(text: string): void
  text(): string
}

export function createTextRun(): TextRun {
  return new Run()
}

class Run implements TextRun {
  length = 0
  #pieces: string[] = []

  push(text: string): void {
    this.#pieces.push(text)
    this.length += text.length
  }

  text(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')]
    return this.#pieces[0] ?? ''
  }
}

/** What the whole says beyond the pieces that came; nothing when it contradicts them. */
export function missingOf(run: TextRun, whole: string): string {
  if (whole.length <= run.length) return ''
  return whole.startsWith(run.text()) ? whole.slice(run.length) : ''
}
