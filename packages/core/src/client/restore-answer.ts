/**
 * Gives each call of an answer a unique id. Models bundle calls, and servers omit ids or use one twice, so that results
 * could not be paired with their calls.
 */
import type { CallUndo } from '../convert/undo/call-undo.ts'
import { expandParallelWrapper, isParallelWrapper } from '../convert/undo/parallel-wrapper.ts'
import { restoreCallPart } from '../convert/undo/restore-call-part.ts'
import { createUniqueIds } from '../convert/undo/unique-ids.ts'
import type { Answer } from '../model/answer.ts'
import type { CallPart, Part } from '../model/conversation.ts'
import type { Report } from '../model/diagnostic.ts'
import { filterResidue } from '../model/residue.ts'

type NewId = (prefix: string) => string

/** `unique` remembers the ids it has seen, over one answer or a whole conversation. */
export function separateCalls(
  answer: Answer,
  declared: ReadonlySet<string>,
  unique: (part: CallPart) => CallPart,
  newId: NewId,
): Answer {
  return mapCalls(answer, part => {
    const bundled = isParallelWrapper(part, declared) ? expandParallelWrapper(part, declared) : undefined
    // The residue of the bundle, such as its item id, fits none of the calls in it.
    const calls = bundled?.map(({ residue: _, ...call }): CallPart => call) ?? [part]
    return calls.map(call => unique(call.id ? call : withId(call, newId('call_'))))
  })
}

/** Removes empty residue, so that an empty id of the server does not overwrite the new one. */
function withId(call: CallPart, id: string): CallPart {
  const { residue } = call
  if (residue === undefined) return { ...call, id }
  return { ...call, id, residue: filterResidue(residue, ([, value]) => value !== '' && value !== null) }
}

/** Separates the calls and undoes the adaptations. */
export function restoreAnswer(answer: Answer, undo: CallUndo, newId: NewId, report: Report): Answer {
  const separate = separateCalls(answer, undo.declared, createUniqueIds(report), newId)
  return mapCalls(separate, part => [restoreCallPart(part, { undo, newId, verbatim: true }, report)])
}

function mapCalls(answer: Answer, map: (part: CallPart) => Part[]): Answer {
  const turns = answer.turns.map(turn => ({
    ...turn,
    parts: turn.parts.flatMap(part => (part.kind === 'call' ? map(part) : [part])),
  }))
  return { ...answer, turns }
}
