/** Calls in an assistant's message: `tool_calls`, and the single `function_call` they replaced. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { append, isObject, own } from '../../json/object.ts'
import type { CallPart, OpaquePart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { inputText } from '../kit/json-text.ts'
import { chatResidue } from './residue.ts'

type Form = CallPart['form']

const inputKeys = { function: 'arguments', custom: 'input' } as const

export function decodeToolCall(value: unknown, path: Path, report: Report): CallPart | OpaquePart {
  return (
    (isObject(value) && decodeKnownCall(value, path, report)) || { kind: 'opaque', wire: 'chat', value, path }
  )
}

function decodeKnownCall(call: JsonObject, path: Path, report: Report): CallPart | undefined {
  const form = formOf(call)
  if (form === undefined) return undefined
  const outer = new FieldReader(call)
  const defaults: ResidueEntry[] = []
  if (outer.string('type') === undefined && own(call, 'type') === undefined)
    defaults.push([['type'], undefined])
  const nested = outer.object(form)
  const fields = nested === undefined ? outer : new FieldReader(nested)
  const name = fields.string('name')
  if (name === undefined || name.trim() === '') return undefined
  if (nested === undefined) {
    report(
      'mixed_shape',
      path,
      `The call's fields stand beside "type"; on Chat they belong inside "${form}".`,
    )
  }
  const id = decodeId(outer, 'id', defaults)
  const input = decodeInput(nested ?? call, form, [form], fields, defaults)
  const index = own(call, 'index')
  if (index !== undefined && index === path.at(-1)) {
    // Clients that assemble a stream leave the index of the delta in the call.
    outer.ignore('index')
    defaults.push([['index'], index])
  }
  const part: Draft<CallPart> = { kind: 'call', form, name, input, path }
  if (id !== undefined) part.id = id
  const entries = outer.unread()
  if (nested !== undefined) append(entries, fields.unread([form]))
  return chatResidue.attach(part, entries, defaults)
}

function formOf(call: JsonObject): Form | undefined {
  const type = own(call, 'type')
  if (type === 'function' || type === 'custom') return type
  if (type !== undefined && type !== null) return undefined
  return isObject(own(call, 'custom')) && !isObject(own(call, 'function')) ? 'custom' : 'function'
}

/** An empty id pairs nothing and counts as absent. */
export function decodeId(fields: FieldReader, key: string, defaults: ResidueEntry[]): string | undefined {
  const id = fields.string(key)
  if (id !== '') return id
  defaults.push([[key], ''])
  return undefined
}

/** Arguments as text. A value of another type is recorded, so that Chat gets it back unchanged. */
function decodeInput(
  holder: JsonObject,
  form: Form,
  inside: Path,
  fields: FieldReader,
  defaults: ResidueEntry[],
): string {
  const key = inputKeys[form]
  const text = fields.string(key)
  if (text !== undefined) return text
  const value = own(holder, key)
  const json = inputText(value)
  if (json === undefined) return ''
  fields.ignore(key)
  defaults.push([into(inside, key), value])
  return json
}

export function decodeFunctionCallField(call: JsonObject, path: Path): CallPart | undefined {
  const fields = new FieldReader(call)
  const name = fields.string('name')
  if (name === undefined) return undefined
  const defaults: ResidueEntry[] = []
  const input = decodeInput(call, 'function', [], fields, defaults)
  const part: Draft<CallPart> = { kind: 'call', form: 'function', name, input, path }
  return chatResidue.attach(part, fields.unread(), defaults)
}

/** A call from the deprecated field is written back there, unless it was given an id since. */
export function isFunctionCallField(part: CallPart): boolean {
  return part.id === undefined && part.path.at(-1) === 'function_call'
}

export function encodeFunctionCallField(part: CallPart, report: Report): JsonObject {
  const written: Record<string, unknown> = { name: part.name, arguments: part.input }
  return chatResidue.complete(written, stillTrue(part, ['arguments']), report)
}

export function encodeToolCall(part: CallPart, report: Report, newId?: () => string): JsonObject {
  const { form, name } = part
  const fields: Record<string, unknown> =
    form === 'function' ? { name, arguments: part.input } : { name, input: part.input }
  const written = wrapCall(form, part.id ?? newId?.(), fields)
  if (part.residue !== undefined) {
    chatResidue.restore(written, stillTrue(part, [form, inputKeys[form]]), report)
    dropAbsent(written)
    dropAbsent(fields)
  }
  if (part.namespace !== undefined) {
    report(
      'field_dropped',
      into(part.path, 'namespace'),
      'Chat has no namespaces; the call names its tool alone.',
    )
  }
  return written
}

/** A call at the beginning of a stream, with an empty input. */
export function beginToolCall({ form, id, name }: CallPart, newId: () => string): JsonObject {
  return wrapCall(form, id ?? newId(), form === 'function' ? { name, arguments: '' } : { name, input: '' })
}

function wrapCall(form: Form, id: string | undefined, fields: JsonObject): Record<string, unknown> {
  if (id === undefined) return { type: form, [form]: fields }
  return form === 'function' ? { id, type: form, function: fields } : { id, type: form, custom: fields }
}

/** The residue of a call without the original input, if an adaptation has changed the input since. */
function stillTrue(part: CallPart, inputPath: Path): Residue | undefined {
  const { residue } = part
  if (residue?.defaults === undefined || !chatResidue.owns(residue)) return residue
  const otherForm = part.form === 'function' ? 'custom' : 'function'
  const defaults = residue.defaults.filter(([path, value]) => {
    if (path[0] === otherForm) return false
    return !inputPath.every((key, i) => path[i] === key) || inputText(value) === part.input
  })
  return { ...residue, defaults }
}

/** Removes the keys that residue has recorded as absent. */
function dropAbsent(written: Record<string, unknown>): void {
  for (const key of Object.keys(written)) if (written[key] === undefined) delete written[key]
}
