/** Writes turns as items, whatever wire they were read from. */
import type { HostedPart, OpaquePart, Part, Turn } from '../../model/conversation.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact } from '../../model/json.ts'
import { reportResidue } from '../../model/residue.ts'
import { finish } from '../tool-refs.ts'
import { writeCall, writeResult } from './calls.ts'
import type { Writer } from './fields.ts'
import { isOwn } from './fields.ts'
import { dropPart, isBareText, writeParts } from './parts.ts'
import { writeReasoning } from './reasoning.ts'

/** A turn as items, in the order of its parts: what stands between two items of their own is one message. */
export function writeTurn(turn: Turn, writer: Writer): unknown[] {
  const sayable = turn.parts.filter(part => isSayable(part, writer))
  const items: unknown[] = []
  let messages = 0
  for (const group of groupParts(sayable)) {
    if (!Array.isArray(group)) items.push(writeItem(group, writer))
    else if (!isIdle(group, turn, sayable)) items.push(writeMessage(turn, group, messages++ === 0, writer))
  }
  // A message without content is still a message, except one by an assistant of another wire that says nothing.
  if (turn.parts.length === 0 && (isOwn(turn) || turn.role !== 'assistant')) {
    items.push(writeMessage(turn, [], messages++ === 0, writer))
  }
  if (messages === 0) reportResidue(turn.residue, writer.report)
  return items
}

type ItemPart = Exclude<Part, { kind: 'text' | 'refusal' | 'image' | 'file' }>

function isSayable(part: Part, writer: Writer): boolean {
  if ((part.kind !== 'hosted' && part.kind !== 'opaque') || part.wire === 'responses') return true
  dropPart(part, writer)
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

function groupParts(parts: readonly Part[]): (ItemPart | Part[])[] {
  const groups: (ItemPart | Part[])[] = []
  for (const part of parts) {
    const last = groups.at(-1)
    if (isItem(part)) groups.push(part)
    else if (Array.isArray(last)) last.push(part)
    else groups.push([part])
  }
  return groups
}

/** An empty text beside calls, which other wires demand; here it would be an empty message before them. */
function isIdle(group: readonly Part[], turn: Turn, parts: readonly Part[]): boolean {
  if (isOwn(turn) || turn.role !== 'assistant' || group.length === parts.length) return false
  return group.every(part => isBareText(part) && part.text === '')
}

function writeItem(part: ItemPart, writer: Writer): unknown {
  switch (part.kind) {
    case 'call':
      return writeCall(part, writer)
    case 'result':
      return writeResult(part, writer)
    case 'reasoning':
      return writeReasoning(part, writer)
    default:
      return verbatim(part)
  }
}

function verbatim(part: HostedPart | OpaquePart): unknown {
  return part.value
}

function writeMessage(turn: Turn, parts: readonly Part[], first: boolean, writer: Writer): JsonObject {
  const { answer, report } = writer
  const own = first && isOwn(turn)
  const role = turn.role === 'tool' ? 'user' : turn.role
  const [only] = parts
  const bare = turn.plain && parts.length === 1 && isBareText(only) && (own || answer === undefined)
  const content = bare ? only.text : writeParts(parts, role, writer)
  const written: Record<string, unknown> = own
    ? { role, content }
    : compact({
        type: 'message',
        id: answer?.newId('msg_'),
        status: answer && 'completed',
        role,
        content,
      })
  if (first) finish(written, turn.residue, 'responses', report)
  return compact(written)
}
