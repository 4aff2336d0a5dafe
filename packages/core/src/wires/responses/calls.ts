/** Calls and their results, which are items on this wire and are paired by `call_id`. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { compact, own } from '../../json/object.ts'
import { createJsonMeter, skipSpace, valueEnd } from '../../json/text.ts'
import type { CallPart, CallStatus, Part, ResultPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { contentWithCache } from '../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../kit/field-reader.ts'
import { inputText, jsonText } from '../kit/json-text.ts'
import { takeDefault } from '../kit/residue.ts'
import { putErrorMark, takeErrorMark } from '../kit/tool-error-mark.ts'
import { decodeContentList, encodeParts, isBareText } from './parts.ts'
import type { EncodeContext } from './residue.ts'
import { responsesResidue } from './residue.ts'

type Form = CallPart['form']

const forms = {
  function: { call: 'function_call', input: 'arguments', output: 'function_call_output', id: 'fc_' },
  custom: { call: 'custom_tool_call', input: 'input', output: 'custom_tool_call_output', id: 'ctc_' },
} as const

export function decodeCall(item: JsonObject, path: Path, form: Form): CallPart | undefined {
  const fields = new FieldReader(item)
  fields.ignore('type')
  const name = fields.string('name')
  const key = forms[form].input
  const input = inputText(own(item, key))
  if (name === undefined || name.trim() === '' || input === undefined) return undefined
  fields.ignore(key)
  const part: Draft<CallPart> = { kind: 'call', form, name, input, path }
  const id = fields.string('call_id')
  if (id !== undefined) part.id = id
  const namespace = fields.string('namespace')
  if (namespace !== undefined) part.namespace = namespace
  const status = decodeStatus(item, fields)
  if (status !== undefined) part.status = status
  const defaults = oddValue(item, key)
  // The field itself stays in the residue: no other wire has it.
  if (own(item, 'async') === true) part.async = true
  else if (fields.boolean('async') === false) defaults.push([['async'], false])
  part.residue = responsesResidue.create(path, fields.unread(), defaults)
  return part
}

/** Records a value that is not text, so that it is restored; `undefined` records that it was absent. */
function oddValue(item: JsonObject, key: string): ResidueEntry[] {
  const value = own(item, key)
  return typeof value === 'string' ? [] : [[[key], value]]
}

function decodeStatus(item: JsonObject, fields: FieldReader): CallStatus | undefined {
  const status = own(item, 'status')
  if (status !== 'in_progress' && status !== 'completed' && status !== 'incomplete') return undefined
  fields.ignore('status')
  return status
}

/** Returns a new item. Its status may differ from the part's, because a stream also writes a call when it begins. */
export function encodeCall(
  part: CallPart,
  context: EncodeContext,
  said: CallStatus | undefined = part.status,
): Record<string, unknown> {
  const { call, input: key, id: prefix } = forms[part.form]
  const { answer, report } = context
  const adds = answer !== undefined && !responsesResidue.owns(part.residue)
  const written: Record<string, unknown> = { type: call }
  if (adds) written.id = answer.newId(prefix)
  const status = said ?? (adds ? (isHalf(part) ? 'incomplete' : 'completed') : undefined)
  if (status !== undefined) written.status = status
  const callId = part.id ?? (adds ? answer.newId('call_') : undefined)
  if (callId !== undefined) written.call_id = callId
  if (part.namespace !== undefined) written.namespace = part.namespace
  written.name = part.name
  written[key] = part.input
  if (part.residue === undefined) return written
  responsesResidue.restore(written, part.residue, report)
  // The original form of the input is restored only if an adaptation has not changed the input.
  if (inputText(own(written, key)) !== part.input) written[key] = part.input
  return compact(written)
}

/** Arguments whose brackets are open, although the server ended the call properly. */
function isHalf({ form, input }: CallPart): boolean {
  const start = form === 'function' ? skipSpace(input, 0) : -1
  return (
    (input[start] === '{' || input[start] === '[') &&
    valueEnd(input, start, createJsonMeter(Number.POSITIVE_INFINITY)) === -1
  )
}

export function decodeResult(
  item: JsonObject,
  path: Path,
  form: Form,
  report: Report,
): ResultPart | undefined {
  const fields = new FieldReader(item)
  fields.ignore('type')
  const read = decodeOutput(item, fields, into(path, 'output'), report)
  if (read === undefined) return undefined
  const { defaults } = read
  const marked = defaults.length === 0 ? takeErrorMark(read.content) : undefined
  takeDefault(fields, 'status', 'completed', defaults)
  const part: Draft<ResultPart> = { kind: 'result', form, content: marked ?? read.content, path }
  const callId = fields.string('call_id')
  if (callId !== undefined) part.callId = callId
  const name = form === 'function' ? fields.string('name') : undefined
  if (name !== undefined) part.name = name
  if (read.plain) part.plain = true
  if (marked !== undefined) part.isError = true
  part.residue = responsesResidue.create(path, fields.unread(), defaults)
  return part
}

interface Output {
  readonly content: readonly Part[]
  readonly plain: boolean
  readonly defaults: ResidueEntry[]
}

function decodeOutput(item: JsonObject, fields: FieldReader, path: Path, report: Report): Output | undefined {
  const text = fields.string('output')
  if (text !== undefined) return { content: [{ kind: 'text', text, path }], plain: true, defaults: [] }
  const list = fields.list('output')
  if (list !== undefined) {
    const { parts, loose } = decodeContentList(list, path, 'tool', report)
    return { content: parts, plain: false, defaults: loose ? [[['output'], list]] : [] }
  }
  fields.ignore('output')
  const value = own(item, 'output')
  const defaults: ResidueEntry[] = [[['output'], value]]
  if (value === undefined || value === null) return { content: [], plain: false, defaults }
  const json = jsonText(value)
  return json === undefined
    ? undefined
    : { content: [{ kind: 'text', text: json, path }], plain: true, defaults }
}

export function encodeResult(part: ResultPart, context: EncodeContext): JsonObject {
  const said = part.isError ? putErrorMark(part.content, part.path) : part.content
  const content = contentWithCache(part, said, context.report)
  const [first] = content
  // One bare text is accepted by every server.
  const bare =
    content.length === 1 && isBareText(first) && (part.plain || part.isError) ? first.text : undefined
  const written: Record<string, unknown> = { type: forms[part.form].output }
  if (part.callId !== undefined) written.call_id = part.callId
  if (part.form === 'function' && part.name !== undefined) written.name = part.name
  written.output =
    bare ??
    (content.length === 0 && !responsesResidue.owns(part.residue)
      ? ''
      : encodeParts(content, 'tool', context))
  if (part.form === 'custom' && part.name !== undefined) {
    const message = "A custom tool's output has no place for the tool's name; it was left out."
    context.report('field_dropped', into(part.path, 'name'), message)
  }
  return responsesResidue.complete(written, part.residue, context.report)
}
