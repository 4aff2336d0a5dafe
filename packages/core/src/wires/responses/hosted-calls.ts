/**
 * Converts calls of hosted tools that the client runs to calls of the functions that replace them on other wires, and
 * back. Calls that the provider runs are not converted: their results are inside the items.
 */

import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import type { CallPart, HostedPart, Part } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import { jsonText, parseObject } from '../kit/json-text.ts'

interface HostedCallKind {
  /** The field that holds what the function takes as arguments. */
  readonly field: string
  /** The keys of that field that the function has parameters for; all of them if left out. */
  readonly carried?: readonly string[]
  readonly idPrefix: string
  readonly toArguments?: (field: JsonObject) => JsonObject
  readonly fromArguments: (args: JsonObject) => JsonObject
}

const shellLine = ['bash', '-lc']

const kinds: { readonly [type: string]: HostedCallKind } = {
  local_shell_call: {
    field: 'action',
    carried: ['type', 'command'],
    idPrefix: 'lsh_',
    toArguments: action => ({ command: toCommandLine(own(action, 'command')) }),
    fromArguments: args => ({
      action: { type: 'exec', command: [...shellLine, textOf(own(args, 'command'))], env: {} },
    }),
  },
  shell_call: {
    field: 'action',
    idPrefix: 'sh_',
    fromArguments: ({ commands = [], timeout_ms = null, max_output_length = null }) => ({
      action: { commands, timeout_ms, max_output_length },
    }),
  },
  apply_patch_call: { field: 'operation', idPrefix: 'apc_', fromArguments: args => ({ operation: args }) },
  tool_search_call: {
    field: 'arguments',
    idPrefix: 'tsc_',
    fromArguments: args => ({ execution: 'client', arguments: args }),
  },
}

const outputs: ReadonlySet<string> = new Set([
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
  'tool_search_output',
])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A command as one line. The wrapper `bash -lc` is removed, everything else is quoted. */
function toCommandLine(command: unknown): string {
  if (!Array.isArray(command)) return typeof command === 'string' ? command : ''
  const words = command.map(textOf)
  if (words.length === 3 && words[0] === shellLine[0] && words[1] === shellLine[1]) return words[2] ?? ''
  return words
    .map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ')
}

/** A call or result the client was to run, as a function's; `undefined` when the item is something else. */
export function decodeHostedCall(part: HostedPart, idOfCall: Map<string, string>): Part | undefined {
  const { type, value, path } = part
  const callId = own(value, 'call_id')
  const stated = typeof callId === 'string' ? callId : idOfCall.get(textOf(own(value, 'id')))
  const id = stated ?? searchId(part, idOfCall)
  if (id === undefined) return undefined
  if (type === searchCall) idOfCall.set(searchCall, id)
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind !== undefined) return decodeCall(part, kind, id)
  if (!outputs.has(type)) return undefined
  const { type: _, id: __, call_id: ___, ...rest } = value
  const { output, ...beside } = rest
  const plain = typeof output === 'string'
  const text = plain ? output : jsonText(rest)
  if (text === undefined) return undefined
  return {
    kind: 'result',
    form: 'function',
    callId: id,
    content: [{ kind: 'text', text, path }],
    plain: true,
    // Of these outputs only that of a patch has a status that shows a failure.
    ...(type === 'apply_patch_call_output' && beside.status === 'failed' && { isError: true }),
    path,
    residue: leftOver(path, plain ? Object.entries(beside).map(([key, left]) => [[key], left]) : []),
  }
}

const searchCall = 'tool_search_call'

/**
 * The id of a search that the client ran and gave none, or of its result, which follows it. A search of the provider has
 * none either, and is no call that a client could answer.
 */
function searchId(
  { type, value, path }: HostedPart,
  idOfCall: ReadonlyMap<string, string>,
): string | undefined {
  const isServers = own(value, 'execution') !== 'client'
  if (type === 'tool_search_output') return isServers ? undefined : idOfCall.get(searchCall)
  if (type !== searchCall || isServers) return undefined
  const id = own(value, 'id')
  return typeof id === 'string' ? id : `call_search_${path.at(-1)}`
}

/** Servers write the arguments of a search as an object, some clients as its text. */
function searchArguments(value: unknown): JsonObject {
  if (isObject(value)) return value
  const text = textOf(value)
  return parseObject(text) ?? (text === '' ? {} : { arguments: text })
}

function decodeCall(
  { type, value, path }: HostedPart,
  kind: HostedCallKind,
  id: string,
): CallPart | undefined {
  const stated = own(value, kind.field)
  const field = type === searchCall ? searchArguments(stated) : stated
  const input = isObject(field) ? jsonText(kind.toArguments?.(field) ?? field) : undefined
  if (!isObject(field) || input === undefined) return undefined
  const beside = Object.entries(value).filter(
    ([key]) => !['type', 'call_id', 'execution', kind.field].includes(key),
  )
  const inside = Object.entries(field).filter(
    ([key]) => kind.carried !== undefined && !kind.carried.includes(key),
  )
  return {
    kind: 'call',
    form: 'function',
    id,
    name: type.replace(/_call$/, ''),
    input,
    path,
    residue: leftOver(path, [
      ...beside.map<ResidueEntry>(([key, left]) => [[key], left]),
      ...inside.map<ResidueEntry>(([key, left]) => [[kind.field, key], left]),
    ]),
  }
}

/** The item has become something else, so no wire has a place for its residue. */
function leftOver(at: Path, entries: readonly ResidueEntry[]): Residue {
  return { wire: null, at, entries }
}

/** The hosted item for a call of the function that replaced a hosted tool. */
export function encodeHostedCall(
  toolType: string,
  call: { readonly id?: string; readonly input: string; readonly path: Path },
  newId: (prefix: string) => string,
): HostedPart | undefined {
  const type = `${toolType}_call`
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  const args = kind === undefined ? undefined : parseObject(call.input.trim() === '' ? '{}' : call.input)
  if (kind === undefined || args === undefined) return undefined
  const id = newId(kind.idPrefix)
  const value = { type, id, call_id: call.id ?? id, ...kind.fromArguments(args), status: 'completed' }
  return { kind: 'hosted', wire: 'responses', type, value, path: call.path }
}
