/**
 * Assembles the answer of a stream. It is decoded from its complete form, so that a streamed answer has the same turns
 * and ids as one that was not streamed.
 */

import type { JsonObject } from '../json/object.ts'
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
  /** The diagnostics of decoding the events. */
  readonly streamed: readonly Diagnostic[]
}

export function assembleAnswer({ events, summary }: StreamRead, reading: Reading): AssembledAnswer {
  const folded = foldEvents(events)
  const { codec, report } = reading
  // Some wires cannot encode a failed answer, so the folded events are used directly.
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

/** Some servers leave parts out of the summary at the end of a stream; then it is not used. */
function hasSameContent(summary: Answer, folded: Answer): boolean {
  const count = (answer: Answer): number => partsOf(answer).filter(({ kind }) => kind !== 'text').length
  return textOf(summary) === textOf(folded) && count(summary) >= count(folded)
}

/** Removes generated ids, because the server would not recognise them in the next request. */
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
