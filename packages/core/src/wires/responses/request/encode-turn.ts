/** Encodes turns as items. */

import type { JsonObject } from '../../../json/object.ts'
import type { Part, Turn } from '../../../model/conversation.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { encodeCall, encodeResult } from '../calls.ts'
import { encodeParts, isBareText, reportDropped } from '../parts.ts'
import { encodeReasoning } from '../reasoning.ts'
import type { EncodeContext } from '../residue.ts'
import { responsesResidue } from '../residue.ts'

/** Adds a turn's items in the order of its parts. Consecutive parts that are not items make one message. */
export function encodeTurn(turn: Turn, items: unknown[], context: EncodeContext): void {
  const { parts } = turn
  const sayable = parts.every(isOurs) ? parts : parts.filter(part => isSayable(part, context))
  let messages = 0
  for (let start = 0; start < sayable.length; ) {
    const part = sayable[start] as Part
    if (isItem(part)) {
      items.push(encodeItem(part, context))
      start++
      continue
    }
    const end = endOfMessage(sayable, start)
    const group = end - start === sayable.length ? sayable : sayable.slice(start, end)
    if (!isIdle(group, turn, sayable)) items.push(encodeMessage(turn, group, messages++ === 0, context))
    start = end
  }
  // A message without content is still a message, except an assistant's from another wire.
  if (parts.length === 0 && (responsesResidue.owns(turn.residue) || turn.role !== 'assistant')) {
    items.push(encodeMessage(turn, parts, messages++ === 0, context))
  }
  if (messages === 0) reportResidue(turn.residue, context.report)
}

type ItemPart = Exclude<Part, { kind: 'text' | 'refusal' | 'image' | 'file' }>

function isOurs(part: Part): boolean {
  return (part.kind !== 'hosted' && part.kind !== 'opaque') || part.wire === 'responses'
}

function isSayable(part: Part, context: EncodeContext): boolean {
  if (isOurs(part)) return true
  reportDropped(part, context)
  return false
}

/** An opaque part was either an item or, if its path is longer, a part of a message. */
export function isItem(part: Part): part is ItemPart {
  switch (part.kind) {
    case 'text':
    case 'refusal':
    case 'image':
    case 'file':
      return false
    case 'opaque':
      return part.path.length <= 2
    default:
      return true
  }
}

/** The end of the parts that make one message. */
function endOfMessage(parts: readonly Part[], start: number): number {
  let end = start + 1
  while (end < parts.length && !isItem(parts[end] as Part)) end++
  return end
}

/** Empty texts beside calls, which other wires require; here they would be an empty message. */
function isIdle(group: readonly Part[], turn: Turn, parts: readonly Part[]): boolean {
  if (responsesResidue.owns(turn.residue) || turn.role !== 'assistant' || group.length === parts.length)
    return false
  return group.every(part => isBareText(part) && part.text === '')
}

function encodeItem(part: ItemPart, context: EncodeContext): unknown {
  switch (part.kind) {
    case 'call':
      return encodeCall(part, context)
    case 'result':
      return encodeResult(part, context)
    case 'reasoning':
      return encodeReasoning(part, context)
    default:
      return part.value
  }
}

function encodeMessage(
  turn: Turn,
  parts: readonly Part[],
  first: boolean,
  context: EncodeContext,
): JsonObject {
  const { answer, report } = context
  const own = first && responsesResidue.owns(turn.residue)
  const role = turn.role === 'tool' ? 'user' : turn.role
  const [only] = parts
  const bare = turn.plain && parts.length === 1 && isBareText(only) && (own || answer === undefined)
  const content = bare ? only.text : encodeParts(parts, role, context)
  const written: Record<string, unknown> = own
    ? { role, content }
    : answer === undefined
      ? { type: 'message', role, content }
      : { type: 'message', id: answer.newId('msg_'), status: 'completed', role, content }
  return first ? responsesResidue.complete(written, turn.residue, report) : written
}
