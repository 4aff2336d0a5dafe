/** Decodes input and output items, one turn each: messages, calls, results, reasoning and hosted items. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { HostedPart, OpaquePart, Part, Role, Turn } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { into } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import type { ContentDecoder } from '../../kit/foreign-parts.ts'
import { decodeForeignCalls, decodeForeignPart, decodeToolMessage } from '../../kit/foreign-parts.ts'
import { takeDefault } from '../../kit/residue.ts'
import { decodeCall, decodeResult } from '../calls.ts'
import { compactionFacts } from '../compaction.ts'
import { decodeContentList, opaquePart, ownForms } from '../parts.ts'
import { hostedReader, readAgentMessage } from '../readable.ts'
import { decodeReasoning } from '../reasoning.ts'
import { responsesResidue } from '../residue.ts'
import { decodeUpdate } from './settings.ts'

/** Types of hosted items, and the role of each. */
const hostedItems: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['web_search_call', 'assistant'],
  ['file_search_call', 'assistant'],
  ['code_interpreter_call', 'assistant'],
  ['image_generation_call', 'assistant'],
  ['computer_call', 'assistant'],
  ['computer_call_output', 'tool'],
  ['local_shell_call', 'assistant'],
  ['local_shell_call_output', 'tool'],
  ['shell_call', 'assistant'],
  ['shell_call_output', 'tool'],
  ['apply_patch_call', 'assistant'],
  ['apply_patch_call_output', 'tool'],
  ['mcp_list_tools', 'assistant'],
  ['mcp_call', 'assistant'],
  ['mcp_approval_request', 'assistant'],
  ['mcp_approval_response', 'tool'],
  ['tool_search_call', 'assistant'],
  ['tool_search_output', 'tool'],
  ['program', 'assistant'],
  ['program_output', 'assistant'],
  ['multi_agent_call', 'assistant'],
  ['multi_agent_call_output', 'assistant'],
])

const messageRoles: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer'])

function isMessageRole(value: unknown): value is Role {
  return messageRoles.has(value)
}

export function decodeTurn(item: unknown, path: Path, report: Report): Turn {
  if (!isObject(item)) return turnOf('user', opaquePart(item, path))
  const type = own(item, 'type')
  if (type === undefined || type === null || type === 'message') {
    const role = own(item, 'role')
    if (isMessageRole(role)) return decodeMessage(item, role, path, report)
    const result =
      role === 'tool' ? decodeToolMessage(item, path, ownForms, contentDecoder(report), report) : undefined
    if (result !== undefined) return turnOf('tool', result)
  }
  const part = typeof type === 'string' ? decodeItem(item, type, path, report) : undefined
  if (part !== undefined) return turnOf(roleOf(part), part)
  const role = own(item, 'role')
  const opaque: Draft<OpaquePart> = opaquePart(item, path)
  // The tools of such an item are decoded with the others.
  if (type === 'additional_tools') opaque.readElsewhere = true
  Object.assign(opaque, compactionFacts(item))
  if (type === 'configuration_update') {
    opaque.readElsewhere = true
    opaque.residue = { wire: null, at: path, entries: decodeUpdate(item, path).entries }
  }
  if (type === 'agent_message') return decodeAgentMessage(item, opaque)
  return turnOf(isMessageRole(role) ? role : 'assistant', opaque)
}

/** What other agents say is input for the agent whose conversation this is. */
function decodeAgentMessage(item: JsonObject, part: Draft<OpaquePart>): Turn {
  part.read = readAgentMessage
  const agent = own(item, 'agent')
  const isOwn = isObject(agent) && own(agent, 'agent_name') === own(item, 'author')
  return turnOf(isOwn ? 'assistant' : 'user', part)
}

function turnOf(role: Role, part: Part): Turn {
  return { role, parts: [part], root: part.path }
}

function roleOf(part: Part): Role {
  if (part.kind === 'hosted') return hostedItems.get(part.type) ?? 'assistant'
  return part.kind === 'result' ? 'tool' : 'assistant'
}

function decodeItem(item: JsonObject, type: string, path: Path, report: Report): Part | undefined {
  switch (type) {
    case 'function_call':
      return decodeCall(item, path, 'function')
    case 'custom_tool_call':
      return decodeCall(item, path, 'custom')
    case 'function_call_output':
      return decodeResult(item, path, 'function', report)
    case 'custom_tool_call_output':
      return decodeResult(item, path, 'custom', report)
    case 'reasoning':
      return decodeReasoning(item, path)
    case 'tool_use':
    case 'tool_result':
      return decodeForeignPart(item, path, ownForms, contentDecoder(report), report)
    default:
      return hostedItems.has(type) ? decodeHosted(item, type, path) : undefined
  }
}

function decodeHosted(item: JsonObject, type: string, path: Path): HostedPart {
  const read = hostedReader(type)
  const part: Draft<HostedPart> = { kind: 'hosted', wire: 'responses', type, value: item, path }
  if (read !== undefined) part.read = read
  return part
}

function contentDecoder(report: Report): ContentDecoder {
  return (list, path) => decodeContentList(list, path, 'tool', report).parts
}

function decodeMessage(item: JsonObject, role: Role, path: Path, report: Report): Turn {
  const fields = new FieldReader(item)
  fields.ignore('role')
  const defaults: ResidueEntry[] = []
  takeDefault(fields, 'type', 'message', defaults)
  takeDefault(fields, 'status', 'completed', defaults)
  const turn: Draft<Turn> = { role, parts: [], root: path }
  const content = decodeContent(item, turn, fields, defaults, report)
  const calls = decodeMessageCalls(item, fields, path, report)
  turn.parts = calls === undefined ? content : [...content, ...calls]
  turn.residue = responsesResidue.create(path, fields.unread(), defaults)
  return turn
}

function decodeContent(
  item: JsonObject,
  turn: Draft<Turn>,
  fields: FieldReader,
  defaults: ResidueEntry[],
  report: Report,
): readonly Part[] {
  const path = into(turn.root, 'content')
  const text = fields.string('content')
  if (text !== undefined) {
    turn.plain = true
    return [{ kind: 'text', text, path }]
  }
  const list = fields.list('content')
  if (list !== undefined) {
    const { parts, loose } = decodeContentList(list, path, turn.role, report, contentDecoder(report))
    if (loose) defaults.push([['content'], list])
    return parts
  }
  if (own(item, 'content') === undefined) defaults.push([['content'], undefined])
  return []
}

function decodeMessageCalls(
  item: JsonObject,
  fields: FieldReader,
  path: Path,
  report: Report,
): readonly Part[] | undefined {
  const list = own(item, 'tool_calls')
  const calls = Array.isArray(list)
    ? decodeForeignCalls(list, into(path, 'tool_calls'), ownForms, report)
    : undefined
  if (calls !== undefined) fields.ignore('tool_calls')
  return calls
}
