/** Chat messages: one turn each. */
import type { Part, ReasoningPart, Role, Turn } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../field-reader.ts'
import { createFieldReader } from '../field-reader.ts'
import { finish } from '../tool-refs.ts'
import { decodeAnnotations } from './annotations.ts'
import { decodeFunctionCallField, decodeToolCall } from './calls.ts'
import { encodeMessage } from './message-writer.ts'
import { ownResidue } from './own-residue.ts'
import { decodeContent } from './parts.ts'
import { decodeResultMessage, encodeResultMessage, holdsResultBlocks } from './results.ts'

export function decodeTurn(value: unknown, root: Path, report: Report): Turn {
  const role = isObject(value) ? own(value, 'role') : undefined
  if (isObject(value)) {
    if (role === 'function' || (role === 'tool' && !holdsResultBlocks(value)))
      return decodeResultMessage(value, root, report)
    if (isRole(role)) return decodeMessage(value, role, root, report)
  }
  report('unknown_type', root, 'This is no message of a role that Chat has; it reaches only its own wire.')
  return { role: 'user', parts: [{ kind: 'opaque', wire: 'chat', value, path: root }], root }
}

function isRole(value: unknown): value is Role {
  return ['system', 'developer', 'user', 'assistant', 'tool'].includes(value as string)
}

export function decodeMessage(message: JsonObject, role: Role, root: Path, report: Report): Turn {
  const fields = createFieldReader(message)
  fields.skip('role')
  const quiet: ResidueEntry[] = []
  const speaks = role === 'assistant'
  const reasoning = speaks ? readReasoning(root, fields, quiet) : []
  const calls = speaks ? readCalls(message, root, fields, quiet, report) : []
  const refusal = speaks ? readRefusal(root, fields, quiet) : []
  const content = readContent(message, root, fields, quiet, calls.length > 0, report)
  return {
    role,
    parts: [...reasoning, ...content.parts, ...refusal, ...calls],
    root,
    ...compact({ plain: content.plain }),
    residue: ownResidue(root, fields.rest(), quiet),
  }
}

function readContent(
  message: JsonObject,
  root: Path,
  fields: FieldReader,
  quiet: ResidueEntry[],
  hasCalls: boolean,
  report: Report,
): { parts: readonly Part[]; plain?: boolean } {
  if (hasCalls && own(message, 'content') === '') {
    // Beside calls, an empty text is how some servers spell `null`; elsewhere it would become an empty message.
    fields.skip('content')
    quiet.push([['content'], ''])
    return { parts: [] }
  }
  const content = decodeContent(message, [...root, 'content'], fields, quiet, report)
  const [text] = content.parts
  if (!content.plain || text?.kind !== 'text') return content
  const citations = decodeAnnotations(message, root, fields, quiet)
  return { ...content, parts: [{ ...text, ...compact({ citations }) }] }
}

/** Vendors call it `reasoning_content` or `reasoning`; where both stand, they say the same. */
function readReasoning(root: Path, fields: FieldReader, quiet: ResidueEntry[]): ReasoningPart[] {
  const parts: ReasoningPart[] = []
  for (const key of ['reasoning_content', 'reasoning']) {
    const text = fields.string(key)
    if (text === undefined) continue
    if (text === '' || parts.some(part => part.text[0] === text)) quiet.push([[key], text])
    else parts.push({ kind: 'reasoning', summary: [], text: [text], path: [...root, key] })
  }
  return parts
}

function readRefusal(root: Path, fields: FieldReader, quiet: ResidueEntry[]): Part[] {
  const text = fields.string('refusal')
  if (text === undefined) return []
  if (text !== '') return [{ kind: 'refusal', text, path: [...root, 'refusal'] }]
  quiet.push([['refusal'], text])
  return []
}

function readCalls(
  message: JsonObject,
  root: Path,
  fields: FieldReader,
  quiet: ResidueEntry[],
  report: Report,
): Part[] {
  const calls: Part[] = []
  const list = own(message, 'tool_calls')
  if (Array.isArray(list)) {
    fields.skip('tool_calls')
    if (list.length === 0) quiet.push([['tool_calls'], []])
    calls.push(...list.map((call, i) => decodeToolCall(call, [...root, 'tool_calls', i], report)))
  }
  const field = own(message, 'function_call')
  const single = isObject(field) ? decodeFunctionCallField(field, [...root, 'function_call']) : undefined
  if (single !== undefined) {
    fields.skip('function_call')
    calls.push(single)
  }
  return calls
}

/** Results come first, a message each: nothing may stand between a call and its results. */
export function encodeTurn(turn: Turn, report: Report): unknown[] {
  const [only] = turn.parts
  if (only?.kind === 'opaque' && only.wire === 'chat' && only.path.length === turn.root.length)
    return [only.value]
  const results = turn.parts.filter(part => part.kind === 'result')
  const others = turn.parts.filter(part => part.kind !== 'result')
  const messages = results.map(part => encodeResultMessage(part, report))
  if (others.length > 0 || (messages.length === 0 && turn.role !== 'tool')) {
    const role = turn.role === 'tool' ? 'user' : turn.role
    return [...messages, encodeMessage({ ...turn, role, parts: others }, {}, report)]
  }
  finish(messages[0] ?? {}, turn.residue, 'chat', report)
  return messages
}
