/** Messages of role `tool`, and of role `function`, which they replaced: one result each. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { ResultPart, Turn } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { into } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { contentWithCache } from '../../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { putErrorMark, takeErrorMark } from '../../kit/tool-error-mark.ts'
import { decodeId } from '../calls.ts'
import { decodeContent, encodeContent } from '../parts.ts'
import { chatResidue } from '../residue.ts'

export function decodeResultMessage(message: JsonObject, root: Path, report: Report): Turn {
  const fields = new FieldReader(message)
  const defaults: ResidueEntry[] = []
  if (fields.string('role') === 'function') defaults.push([['role'], 'function'])
  const callId = decodeId(fields, 'tool_call_id', defaults)
  const name = fields.string('name')
  const { parts, plain } = decodeContent(message, into(root, 'content'), fields, defaults, report)
  const content = takeErrorMark(parts)
  const result: Draft<ResultPart> = {
    kind: 'result',
    form: 'function',
    content: content ?? parts,
    path: root,
  }
  if (callId !== undefined) result.callId = callId
  if (name !== undefined) result.name = name
  if (plain) result.plain = true
  if (content !== undefined) result.isError = true
  // On the part and not on the turn, because results are regrouped and take their residue along.
  result.residue = chatResidue.create(root, fields.unread(), defaults)
  return { role: 'tool', parts: [result], root }
}

/** A message of role `tool` whose results are blocks with their own ids, as on Messages. */
export function holdsResultBlocks(message: JsonObject): boolean {
  const content = own(message, 'content')
  if (own(message, 'tool_call_id') !== undefined || !Array.isArray(content)) return false
  return content.some(block => isObject(block) && own(block, 'type') === 'tool_result')
}

export function encodeResultMessage(part: ResultPart, report: Report): Record<string, unknown> {
  const marked = part.isError ? putErrorMark(part.content, part.path) : part.content
  const parts = contentWithCache(part, marked, report)
  const stoodHere = chatResidue.owns(part.residue) && part.path.at(-2) !== 'content'
  const content = encodeContent(parts, stoodHere, part.plain, report)
  const written: Record<string, unknown> = { role: 'tool' }
  if (part.callId !== undefined) written.tool_call_id = part.callId
  if (part.name !== undefined) written.name = part.name
  if (content !== undefined) written.content = content
  // A result must have content, and tools may return nothing.
  else if (!stoodHere) written.content = ''
  return chatResidue.restore(written, part.residue, report)
}
