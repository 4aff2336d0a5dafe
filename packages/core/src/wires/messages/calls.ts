/** Calls: their arguments are an object here and a text in the model. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import { changesNumbers, jsonExcess } from '../../json/text.ts'
import type { CallPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { inputText, parseObject } from '../kit/json-text.ts'
import type { EncodeContext } from './residue.ts'
import { messagesResidue } from './residue.ts'
import { toolsetNames } from './tools/toolsets.ts'

export function decodeCall(block: JsonObject, path: Path): CallPart | undefined {
  const fields = new FieldReader(block)
  fields.ignore('type')
  fields.ignore('input')
  const name = fields.string('name')
  const value = own(block, 'input')
  const input = inputText(value)
  if (name === undefined || name.trim() === '' || input === undefined) return undefined
  const part: Draft<CallPart> = { kind: 'call', form: 'function', name, input, path }
  const id = fields.string('id')
  if (id !== undefined) part.id = id
  const toolset = own(block, 'toolset_name')
  if (typeof toolset === 'string' && toolsetNames.has(toolset)) {
    fields.ignore('toolset_name')
    part.namespace = toolset
  }
  const defaults: ResidueEntry[] = isObject(value) ? [] : [[['input'], value]]
  const caller = own(block, 'caller')
  if (isDirect(caller)) {
    fields.ignore('caller')
    defaults.push([['caller'], caller])
  }
  return messagesResidue.attach(part, fields.unread(), defaults)
}

/** The LLM itself called, which is the default. */
function isDirect(caller: unknown): boolean {
  return isObject(caller) && own(caller, 'type') === 'direct' && Object.keys(caller).length === 1
}

export function encodeCall(part: CallPart, context: EncodeContext): JsonObject {
  const { report, answer, own: isOwn } = context
  const { name, residue } = part
  const isMember = toolsetNames.has(part.namespace)
  if (part.namespace !== undefined && !isMember) {
    report(
      'field_dropped',
      into(part.path, 'namespace'),
      'Messages has no namespaces; the call names the tool alone.',
    )
  }
  if (!answer?.cut) reportStatus(part, report)
  const fresh = answer !== undefined && !isOwn
  const id = part.id ?? (fresh ? answer.newId('toolu_') : undefined)
  const written: Record<string, unknown> =
    id === undefined ? { type: 'tool_use', name } : { type: 'tool_use', id, name }
  if (isMember) written.toolset_name = part.namespace
  if (fresh) written.caller = { type: 'direct' }
  if (isUnchanged(part)) return messagesResidue.complete(written, residue, report)
  written.input = encodeInput(part, report)
  return messagesResidue.complete(written, withoutInput(residue), report)
}

export function reportStatus({ status, path }: CallPart, report: Report): void {
  if (status === undefined || status === 'completed') return
  report('field_dropped', into(path, 'status'), `Messages cannot say that a call is ${status}.`)
}

/** An input that was not an object is restored, unless an adaptation has changed it since. */
function isUnchanged({ residue, input }: CallPart): boolean {
  const kept = messagesResidue.recorded(residue, 'input')
  return kept !== undefined && inputText(kept.value) === input
}

function withoutInput(residue: Residue | undefined): Residue | undefined {
  if (residue?.wire !== 'messages' || residue.defaults === undefined) return residue
  return { ...residue, defaults: residue.defaults.filter(([path]) => path[0] !== 'input') }
}

/** No tool needs deeper arguments, and much deeper ones could not be written as JSON. */
const deepestInput = 512
/** And none needs so many values: to parse them would take longer than the rest of the request. */
const mostInputNodes = 100_000

function encodeInput({ form, input, path, residue }: CallPart, report: Report): JsonObject {
  if (form === 'custom') {
    report('custom_tool_wrapped', path, 'Messages knows no free-text calls; the text went into "input".')
    return { input }
  }
  if (input.trim() === '') return {}
  // An input that was read from this wire was an object before.
  const isForeign = residue?.wire !== 'messages'
  const excess = isForeign ? jsonExcess(input, deepestInput, mostInputNodes) : undefined
  const parsed = excess === undefined ? parseObject(input) : undefined
  if (parsed !== undefined) {
    if (isForeign && changesNumbers(input)) {
      report(
        'number_imprecise',
        path,
        'Messages says arguments as an object, and a number in them is too long to be exact.',
      )
    }
    return parsed
  }
  const why =
    excess === undefined
      ? 'are no JSON object'
      : excess.limit === 'depth'
        ? `are nested deeper than ${deepestInput} levels`
        : `hold more than ${mostInputNodes} values`
  report('arguments_not_object', path, `The arguments ${why}; their text went into "_raw".`)
  return { _raw: input }
}
