/**
 * The answer that a stream amounts to, read from its whole form, so that a streamed answer is grouped into turns and
 * known by its ids exactly as one that came whole.
 */

import type { JsonObject } from '../json/json.ts'
import type { Answer } from '../model/answer.ts'
import type { Part, Turn } from '../model/conversation.ts'
import type { Diagnostic, Report } from '../model/diagnostic.ts'
import { foldEvents } from '../model/fold-events.ts'
import type { Residue, ResidueEntry } from '../model/residue.ts'
import { partsOf, textOf } from '../runtime/conversation/answer.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { StreamRead } from './read-stream.ts'

export interface AssembledAnswer {
  readonly answer: Answer
  readonly body: JsonObject
}

interface Reading {
  readonly codec: WireConversation
  readonly newId: (prefix: string) => string
  readonly report: Report
  /** What reading the events had to say. */
  readonly streamed: readonly Diagnostic[]
}

export function assembleAnswer({ events, summary }: StreamRead, reading: Reading): AssembledAnswer {
  const folded = foldEvents(events)
  const { codec, report } = reading
  // Some wires have no form for an answer that failed, so it stays as it was heard.
  if (folded.error === undefined && summary !== undefined) {
    const answer = codec.decodeAnswer(summary, () => undefined)
    if (hasSameContent(answer, folded)) return { answer: codec.decodeAnswer(summary, report), body: summary }
  }
  for (const { code, path, message } of reading.streamed) report(code, path, message)
  const generatedIds = new Set<unknown>()
  const newId = (prefix: string): string => {
    const id = reading.newId(prefix)
    generatedIds.add(id)
    return id
  }
  const body = codec.encodeAnswer(folded, { newId, now: () => 0 }, () => undefined)
  if (folded.error !== undefined) return { answer: folded, body }
  return { answer: withoutIds(codec.decodeAnswer(body, report), generatedIds), body }
}

/** Servers that stream well may still forget half of it in the end. */
function hasSameContent(summary: Answer, folded: Answer): boolean {
  const count = (answer: Answer): number => partsOf(answer).filter(({ kind }) => kind !== 'text').length
  return textOf(summary) === textOf(folded) && count(summary) >= count(folded)
}

/** An id that a server never gave is one it does not know when it is sent back. */
function withoutIds(answer: Answer, generatedIds: ReadonlySet<unknown>): Answer {
  const isInvented = ([path, value]: ResidueEntry): boolean => path[0] === 'id' && generatedIds.has(value)
  const clean = <T extends { readonly residue?: Residue }>(owner: T): T => {
    const { residue } = owner
    if (residue === undefined || !residue.entries.some(isInvented)) return owner
    return {
      ...owner,
      residue: { ...residue, entries: residue.entries.filter(entry => !isInvented(entry)) },
    }
  }
  const turns = answer.turns.map(
    (turn): Turn => ({ ...clean(turn), parts: turn.parts.map(p => clean<Part>(p)) }),
  )
  return { ...answer, turns }
}
