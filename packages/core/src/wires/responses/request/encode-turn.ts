/** Writes turns as items, whatever wire they were read from. */

import type { JsonObject } from '../../../json/object.ts'
import { compact } from '../../../json/object.ts'
import type { HostedPart, OpaquePart, Part, Turn } from '../../../model/conversation.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { encodeCall, encodeResult } from '../calls.ts'
import { encodeParts, isBareText, reportDropped } from '../parts.ts'
import { encodeReasoning } from '../reasoning.ts'
import type { EncodeContext } from '../residue.ts'
import { responsesResidue } from '../residue.ts'

/** Adds a turn's items, in the order of its parts: what stands between two items of their own is one message. */
export function encodeTurn(turn: Turn, items: unknown[], writer: EncodeContext): void {
  const { parts } = turn
  const sayable = parts.every(isOurs) ? parts : parts.filter(part => isSayable(part, writer))
  let messages = 0
  for (let start = 0; start < sayable.length; ) {
    const part = sayable[start] as Part
    if (isItem(part)) {
      items.push(encodeItem(part, writer))
      start++
      continue
    }
    const end = endOfMessage(sayable, start)
    const group = end - start === sayable.length ? sayable : sayable.slice(start, end)
    if (!isIdle(group, turn, sayable)) items.push(encodeMessage(turn, group, messages++ === 0, writer))
    start = end
  }
  // A message without content is still a message, except one by an assistant of another wire that says nothing.
  if (parts.length === 0 && (responsesResidue.owns(turn.residue) || turn.role !== 'assistant')) {
    items.push(encodeMessage(turn, parts, messages++ === 0, writer))
  }
  if (messages === 0) reportResidue(turn.residue, writer.report)
}

type ItemPart = Exclude<Part, { kind: 'text' | 'refusal' | 'image' | 'file' }>

function isOurs(part: Part): boolean {
  return (part.kind !== 'hosted' && part.kind !== 'opaque') || part.wire === 'responses'
}

function isSayable(part: Part, writer: EncodeContext): boolean {
  if (isOurs(part)) return true
  reportDropped(part, writer)
  return false
}

/** What was not understood stood either among the items or, deeper, in a message's content. */
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

/** Where the parts that stand in one message end. */
function endOfMessage(parts: readonly Part[], start: number): number {
  let end = start + 1
  while (end < parts.length && !isItem(parts[end] as Part)) end++
  return end
}

/** An empty text beside calls, which other wires demand; here it would be an empty message before them. */
function isIdle(group: readonly Part[], turn: Turn, parts: readonly Part[]): boolean {
  if (responsesResidue.owns(turn.residue) || turn.role !== 'assistant' || group.length === parts.length)
    return false
  return group.every(part => isBareText(part) && part.text === '')
}

function encodeItem(part: ItemPart, writer: EncodeContext): unknown {
  switch (part.kind) {
    case 'call':
      return encodeCall(part, writer)
    case 'result':
      return encodeResult(part, writer)
    case 'reasoning':
      return encodeReasoning(part, writer)
    default:
      return verbatim(part)
  }
}

function verbatim(part: HostedPart | OpaquePart): unknown {
  return part.value
}

function encodeMessage(
  turn: Turn,
  parts: readonly Part[],
  first: boolean,
  writer: EncodeContext,
): JsonObject {
  const { answer, report } = writer
  const own = first && responsesResidue.owns(turn.residue)
  const role = turn.role === 'tool' ? 'user' : turn.role
  const [only] = parts
  const bare = turn.plain && parts.length === 1 && isBareText(only) && (own || answer === undefined)
  const content = bare ? only.text : encodeParts(parts, role, writer)
  const written: Record<string, unknown> = own
    ? { role, content }
    : answer === undefined
      ? { type: 'message', role, content }
      : { type: 'message', id: answer.newId('msg_'), status: 'completed', role, content }
  if (!first || turn.residue === undefined) return written
  responsesResidue.restore(written, turn.residue, report)
  return compact(written)
}
