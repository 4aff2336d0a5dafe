/** Messages of role `tool`, and of role `function`, which they replaced: one result each. */
import type { ResultPart, Turn } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { createFieldReader } from '../field-reader.ts'
import { putErrorMark, takeErrorMark } from '../tool-error-mark.ts'
import { finish } from '../tool-refs.ts'
import { readId } from './calls.ts'
import { isOwn, ownResidue } from './own-residue.ts'
import { decodeContent, encodeContent } from './parts.ts'

export function decodeResultMessage(message: JsonObject, root: Path, report: Report): Turn {
  const fields = createFieldReader(message)
  const quiet: ResidueEntry[] = []
  if (fields.string('role') === 'function') quiet.push([['role'], 'function'])
  const callId = readId(message, 'tool_call_id', fields, quiet)
  const name = fields.string('name')
  const read = decodeContent(message, [...root, 'content'], fields, quiet, report)
  const { content, isError } = takeErrorMark(read.parts)
  const result: ResultPart = {
    kind: 'result',
    form: 'function',
    path: root,
    content,
    ...compact({ callId, name, plain: read.plain, isError: isError || undefined }),
    // On the part and not on the turn: results are regrouped, and their leftovers go with them.
    residue: ownResidue(root, fields.rest(), quiet),
  }
  return { role: 'tool', parts: [result], root }
}

/** A message of role `tool` that pairs by the blocks inside it, as Anthropic's users write them. */
export function holdsResultBlocks(message: JsonObject): boolean {
  const content = own(message, 'content')
  if (own(message, 'tool_call_id') !== undefined || !Array.isArray(content)) return false
  return content.some(block => isObject(block) && own(block, 'type') === 'tool_result')
}

export function encodeResultMessage(part: ResultPart, report: Report): Record<string, unknown> {
  const parts = part.isError ? putErrorMark(part.content, part.path) : part.content
  const stoodHere = isOwn(part.residue) && part.path.at(-2) !== 'content'
  const content = encodeContent(parts, { plain: part.plain, own: stoodHere }, report)
  const written: Record<string, unknown> = {
    role: 'tool',
    ...compact({
      tool_call_id: part.callId,
      name: part.name,
      // A result must say something, and nothing is a thing tools return.
      content: content ?? (stoodHere ? undefined : ''),
    }),
  }
  finish(written, part.residue, 'chat', report)
  return written
}
