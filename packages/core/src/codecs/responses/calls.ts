/** Calls and their results: items of their own on this wire, paired by `call_id`. */
import type { CallPart, CallStatus, Part, ResultPart } from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../field-reader.ts'
import { createFieldReader } from '../field-reader.ts'
import { putErrorMark, takeErrorMark } from '../tool-error-mark.ts'
import { finish } from '../tool-refs.ts'
import type { Writer } from './fields.ts'
import { isOwn, jsonText, readDefault, readList, residueOf } from './fields.ts'
import { isBareText, readContentList, writeParts } from './parts.ts'

type Form = CallPart['form']

const forms = {
  function: { call: 'function_call', input: 'arguments', output: 'function_call_output', id: 'fc_' },
  custom: { call: 'custom_tool_call', input: 'input', output: 'custom_tool_call_output', id: 'ctc_' },
} as const

export function readCall(item: JsonObject, path: Path, form: Form): CallPart | undefined {
  const fields = createFieldReader(item)
  fields.skip('type')
  const name = fields.string('name')
  const key = forms[form].input
  const input = readInput(own(item, key))
  if (name === undefined || input === undefined) return undefined
  fields.skip(key)
  return {
    kind: 'call',
    form,
    name,
    input,
    path,
    ...compact({
      id: fields.string('call_id'),
      namespace: fields.string('namespace'),
      status: readStatus(item, fields),
    }),
    residue: residueOf(path, fields.rest(), oddValue(item, key)),
  }
}

/** Text as it is; what should have been text, as its JSON. */
function readInput(value: unknown): string | undefined {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : jsonText(value)
}

/** What stood where a text belongs goes back as it was; `undefined` says that nothing stood there. */
function oddValue(item: JsonObject, key: string): ResidueEntry[] {
  const value = own(item, key)
  return typeof value === 'string' ? [] : [[[key], value]]
}

function readStatus(item: JsonObject, fields: FieldReader): CallStatus | undefined {
  const status = own(item, 'status')
  if (status !== 'in_progress' && status !== 'completed' && status !== 'incomplete') return undefined
  fields.skip('status')
  return status
}

export function writeCall(part: CallPart, writer: Writer): JsonObject {
  const { call, input: key, id: prefix } = forms[part.form]
  const { answer, report } = writer
  const adds = answer !== undefined && !isOwn(part)
  const written: Record<string, unknown> = compact({
    type: call,
    id: adds ? answer.newId(prefix) : undefined,
    status: part.status ?? (adds ? 'completed' : undefined),
    call_id: part.id ?? (adds ? answer.newId('call_') : undefined),
    namespace: part.namespace,
    name: part.name,
    [key]: part.input,
  })
  finish(written, part.residue, 'responses', report)
  // An adaptation may have rewritten the input; only what still says the same goes back in its odd form.
  if (readInput(own(written, key)) !== part.input) written[key] = part.input
  return compact(written)
}

export function readResult(item: JsonObject, path: Path, form: Form, report: Report): ResultPart | undefined {
  const fields = createFieldReader(item)
  fields.skip('type')
  const read = readOutput(item, fields, [...path, 'output'], report)
  if (read === undefined) return undefined
  const status = readDefault(item, fields, 'status', 'completed')
  const marked =
    read.quiet.length === 0 ? takeErrorMark(read.content) : { content: read.content, isError: false }
  return {
    kind: 'result',
    form,
    content: marked.content,
    path,
    ...compact({
      callId: fields.string('call_id'),
      name: form === 'function' ? fields.string('name') : undefined,
      plain: read.plain ? true : undefined,
      isError: marked.isError ? true : undefined,
    }),
    residue: residueOf(path, fields.rest(), [...read.quiet, ...status]),
  }
}

interface Output {
  readonly content: readonly Part[]
  readonly plain: boolean
  readonly quiet: ResidueEntry[]
}

function readOutput(item: JsonObject, fields: FieldReader, path: Path, report: Report): Output | undefined {
  const text = fields.string('output')
  if (text !== undefined) return { content: [{ kind: 'text', text, path }], plain: true, quiet: [] }
  const list = readList(item, fields, 'output')
  if (list !== undefined) {
    const { parts, loose } = readContentList(list, path, 'tool', report)
    return { content: parts, plain: false, quiet: loose ? [[['output'], list]] : [] }
  }
  fields.skip('output')
  const value = own(item, 'output')
  const quiet: ResidueEntry[] = [[['output'], value]]
  if (value === undefined || value === null) return { content: [], plain: false, quiet }
  const json = jsonText(value)
  return json === undefined
    ? undefined
    : { content: [{ kind: 'text', text: json, path }], plain: true, quiet }
}

export function writeResult(part: ResultPart, writer: Writer): JsonObject {
  const content = part.isError ? putErrorMark(part.content, part.path) : part.content
  const [first] = content
  // One bare text is the form every server takes.
  const bare =
    content.length === 1 && isBareText(first) && (part.plain || part.isError) ? first.text : undefined
  const written: Record<string, unknown> = compact({
    type: forms[part.form].output,
    call_id: part.callId,
    name: part.form === 'function' ? part.name : undefined,
    output: bare ?? (content.length === 0 && !isOwn(part) ? '' : writeParts(content, 'tool', writer)),
  })
  if (part.form === 'custom' && part.name !== undefined) {
    const message = "A custom tool's output has no place for the tool's name; it was left out."
    writer.report('field_dropped', [...part.path, 'name'], message)
  }
  finish(written, part.residue, 'responses', writer.report)
  return compact(written)
}
