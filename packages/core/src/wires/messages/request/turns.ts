/** Messages and the system prompt. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, isObject, own } from '../../../json/object.ts'
import type { Part, ResultPart, Role, Turn } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { into } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { decodeForeignCalls, decodeToolMessage } from '../../kit/foreign-parts.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { contentOf, decodeBlocks, encodeBlocks, encodeContent, ownForms } from '../parts.ts'
import type { EncodeContext } from '../residue.ts'
import { messagesResidue } from '../residue.ts'
import { decodeUpdate } from './settings.ts'

const roles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'developer'],
])

const written: { readonly [R in Role]: string } = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'user',
}

/** `isPast`: a message of the user follows. */
export function decodeTurn(message: unknown, root: Path, report: Report, isPast = false): Turn {
  const result =
    isObject(message) && own(message, 'role') === 'tool' && decodeForeignResult(message, root, report)
  if (result) return { role: 'tool', parts: [result], root }
  const role = isObject(message) ? roles.get(own(message, 'role')) : undefined
  // Without a known role the message is kept verbatim for its own wire.
  if (!isObject(message) || role === undefined) {
    return { role: 'user', parts: [{ kind: 'opaque', wire: 'messages', value: message, path: root }], root }
  }
  const fields = new FieldReader(message)
  fields.ignore('role')
  const defaults: ResidueEntry[] = written[role] === role ? [] : [[['role'], role]]
  const turn: Draft<Turn> = { role, parts: [], root }
  const content = own(message, 'content')
  if (decodeContent(content, into(root, 'content'), turn, report)) fields.ignore('content')
  if (role === 'assistant') decodeMessageCalls(message, turn, fields, report)
  if (content === undefined || isEmptyList(content)) defaults.push([['content'], content])
  if (role === 'system') decodeDirectives(message, turn, fields, defaults, isPast)
  const entries = fields.unread()
  if (entries.length > 0 || defaults.length > 0)
    turn.residue = messagesResidue.create(root, entries, defaults)
  return turn
}

/** Chat's message with the role `tool`. */
function decodeForeignResult(message: JsonObject, root: Path, report: Report): ResultPart | undefined {
  const decodeList = (list: readonly unknown[], path: Path): Part[] => decodeBlocks(list, path, report)
  return decodeToolMessage(message, root, ownForms, decodeList, report)
}

/** Chat's `tool_calls`. */
function decodeMessageCalls(
  message: JsonObject,
  turn: Draft<Turn>,
  fields: FieldReader,
  report: Report,
): void {
  const list = own(message, 'tool_calls')
  if (!Array.isArray(list) || list.length === 0) return
  const calls = decodeForeignCalls(list, into(turn.root, 'tool_calls'), ownForms, report)
  if (calls === undefined) return
  fields.ignore('tool_calls')
  if (own(message, 'content') === null) fields.ignore('content')
  turn.parts = [...turn.parts, ...calls]
}

/** What a system message in the middle says besides its content: an effort, and how long it is shown. */
function decodeDirectives(
  message: JsonObject,
  turn: Draft<Turn>,
  fields: FieldReader,
  defaults: ResidueEntry[],
  isPast: boolean,
): void {
  if (decodeUpdate(message, turn.root) !== undefined) {
    fields.ignore('output_config')
    defaults.push([['output_config'], own(message, 'output_config')])
    if (own(message, 'content') === undefined) {
      turn.parts = [
        { kind: 'opaque', wire: 'messages', value: message, path: turn.root, readElsewhere: true },
      ]
    }
  }
  const clearAt = own(message, 'clear_at')
  if (clearAt !== 'never' && clearAt !== 'next_user_message') return
  fields.ignore('clear_at')
  defaults.push([['clear_at'], clearAt])
  if (clearAt === 'next_user_message' && isPast) turn.cleared = true
}

/** Whether the content could be read. */
function decodeContent(content: unknown, path: Path, turn: Draft<Turn>, report?: Report): boolean {
  if (typeof content === 'string') {
    turn.parts = [{ kind: 'text', text: content, path }]
    turn.plain = true
    return true
  }
  if (!Array.isArray(content)) return false
  turn.parts = decodeBlocks(content, path, report)
  return true
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** The system prompt as a turn, or `undefined` when it is none. */
export function decodeSystem(system: unknown): Turn | undefined {
  const root = ['system']
  const turn: Draft<Turn> = { role: 'system', parts: [], root, instructions: true }
  return decodeContent(system, root, turn) ? turn : undefined
}

/** The field for instructions: one bare text, or a list of blocks. */
export function encodeSystem(turns: readonly Turn[], context: EncodeContext): unknown {
  if (turns.length === 0) return undefined
  const blocks: unknown[] = []
  for (const turn of turns) append(blocks, encodeBlocks(turn.parts, context))
  for (const turn of turns) reportResidue(turn.residue, context.report)
  const content = contentOf(turns.length === 1 && turns[0]?.plain, blocks)
  return content === undefined && context.own ? blocks : content
}

export function encodeTurns(turns: readonly Turn[], context: EncodeContext): unknown[] {
  const messages: unknown[] = []
  for (const turn of turns) {
    const message = encodeTurn(turn, context)
    if (message !== undefined) messages.push(message)
  }
  return messages
}

function encodeTurn(turn: Turn, context: EncodeContext): unknown {
  const [only] = turn.parts
  const whole = only?.kind === 'opaque' && only.wire === 'messages' && only.path.length === turn.root.length
  if (whole && turn.parts.length === 1) return only.value
  const role = written[turn.role]
  const content = encodeContent(turn.plain, turn.parts, context)
  if (content !== undefined) return messagesResidue.complete({ role, content }, turn.residue, context.report)
  if (messagesResidue.recorded(turn.residue, 'content') !== undefined)
    return messagesResidue.complete({ role }, turn.residue, context.report)
  // Servers refuse a message without content.
  reportResidue(turn.residue, context.report)
  return undefined
}
