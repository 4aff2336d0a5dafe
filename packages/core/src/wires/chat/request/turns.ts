/** Chat messages: one turn each. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, isObject, own } from '../../../json/object.ts'
import { isResult, type Part, type Role, type Turn } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { into } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { decodeAnnotations, takeNoAnnotations } from '../annotations.ts'
import { decodeFunctionCallField, decodeToolCall } from '../calls.ts'
import { decodeContent } from '../parts.ts'
import { decodeReasoning } from '../reasoning.ts'
import { chatResidue } from '../residue.ts'
import type { MessageStyle } from './encode-message.ts'
import { encodeMessage } from './encode-message.ts'
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

const roles: ReadonlySet<unknown> = new Set<Role>(['system', 'developer', 'user', 'assistant', 'tool'])

function isRole(value: unknown): value is Role {
  return roles.has(value)
}

export function decodeMessage(message: JsonObject, role: Role, root: Path, report: Report): Turn {
  const fields = new FieldReader(message)
  fields.ignore('role')
  const defaults: ResidueEntry[] = []
  const turn: Draft<Turn> = { role, parts: [], root }
  takeNoAnnotations(message, fields, defaults)
  turn.parts =
    role === 'assistant'
      ? decodeAssistantParts(message, turn, fields, defaults, report)
      : decodeMessageContent(message, turn, fields, defaults, report)
  turn.residue = chatResidue.create(root, fields.unread(), defaults)
  return turn
}

/** The parts of an assistant: reasoning before the content, refusal and calls after it. */
function decodeAssistantParts(
  message: JsonObject,
  turn: Draft<Turn>,
  fields: FieldReader,
  defaults: ResidueEntry[],
  report: Report,
): readonly Part[] {
  const { root } = turn
  const reasoning = decodeReasoning(message, root, fields, defaults)
  const calls = decodeCalls(message, root, fields, defaults, report)
  const refusal = decodeRefusal(root, fields, defaults)
  // Some servers write an empty text for `null` beside calls; on other wires it would become an empty message.
  const isNull = calls.length > 0 && fields.is('content', '')
  if (isNull) defaults.push([['content'], ''])
  const content = isNull ? nothing : decodeMessageContent(message, turn, fields, defaults, report)
  if (calls.length === 0 && reasoning.length === 0 && refusal === undefined) return content
  const parts: Part[] = [...reasoning, ...content]
  if (refusal !== undefined) parts.push(refusal)
  append(parts, calls)
  return parts
}

function decodeMessageContent(
  message: JsonObject,
  turn: Draft<Turn>,
  fields: FieldReader,
  defaults: ResidueEntry[],
  report: Report,
): readonly Part[] {
  const at = into(turn.root, 'content')
  const isAssistant = turn.role === 'assistant'
  const { parts, plain } = decodeContent(message, at, fields, defaults, report, isAssistant)
  if (!plain) return parts
  turn.plain = true
  const [text] = parts
  const citations = decodeAnnotations(message, turn.root, fields)
  return citations === undefined || text?.kind !== 'text' ? parts : [{ ...text, citations }]
}

const nothing: readonly never[] = []

function decodeRefusal(root: Path, fields: FieldReader, defaults: ResidueEntry[]): Part | undefined {
  const text = fields.string('refusal')
  if (text === undefined) return undefined
  if (text !== '') return { kind: 'refusal', text, path: into(root, 'refusal') }
  defaults.push([['refusal'], text])
  return undefined
}

function decodeCalls(
  message: JsonObject,
  root: Path,
  fields: FieldReader,
  defaults: ResidueEntry[],
  report: Report,
): readonly Part[] {
  const list = fields.list('tool_calls')
  const field = own(message, 'function_call')
  if (list === undefined && !isObject(field)) return nothing
  const at = into(root, 'tool_calls')
  const calls: Part[] = (list ?? nothing).map((call, i) => decodeToolCall(call, into(at, i), report))
  if (list?.length === 0) defaults.push([['tool_calls'], []])
  const single = isObject(field) ? decodeFunctionCallField(field, into(root, 'function_call')) : undefined
  if (single === undefined) return calls
  fields.ignore('function_call')
  // Some proxies write the deprecated field without a name where there is no call.
  if (single.name === '') {
    defaults.push([['function_call'], field])
    return calls
  }
  calls.push(single)
  return calls
}

/** Results come first, in one message each, because servers refuse anything between a call and its results. */
export function encodeTurn(turn: Turn, messages: unknown[], report: Report): void {
  const { parts, residue } = turn
  const [only] = parts
  if (only?.kind === 'opaque' && only.wire === 'chat' && only.path.length === turn.root.length) {
    messages.push(only.value)
    return
  }
  if (parts.length > 0 && !parts.some(isResult)) {
    messages.push(encodeMessage(asMessage(turn), requestStyle, report))
    return
  }
  const results = parts.filter(isResult).map(part => encodeResultMessage(part, report))
  append(messages, results)
  const others = parts.filter(part => !isResult(part))
  if (others.length > 0 || (results.length === 0 && turn.role !== 'tool')) {
    messages.push(encodeMessage({ ...asMessage(turn), parts: others }, requestStyle, report))
  } else chatResidue.restore(results[0] ?? {}, residue, report)
}

const requestStyle: MessageStyle = {}

/** Parts beside results are written as the user's. */
function asMessage(turn: Turn): Turn {
  return turn.role === 'tool' ? { ...turn, role: 'user' } : turn
}
