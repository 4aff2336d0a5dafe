/** Error bodies: OpenAI's `{ error: { message, type, param, code } }` and the looser forms of other servers. */

import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own } from '../../../json/object.ts'
import type { Answer, ApiError } from '../../../model/answer.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { overflowCode, saysOverflow } from '../../kit/context-overflow.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { errorTypes, isKnownType, kindOfError } from '../../kit/openai-errors.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { chatResidue } from '../residue.ts'

export interface DecodedError {
  readonly error: ApiError
  readonly entries: ResidueEntry[]
  readonly defaults: ResidueEntry[]
}

export function decodeError(value: unknown, at: Path): DecodedError | undefined {
  if (typeof value === 'string')
    return { error: { kind: 'server', message: value }, entries: [], defaults: [[at, value]] }
  if (!isObject(value)) return undefined
  return decodeErrorFields(value, new FieldReader(value), at)
}

function decodeErrorFields(holder: JsonObject, fields: FieldReader, at: Path): DecodedError | undefined {
  const message = fields.string('message')
  if (message === undefined) return undefined
  const type = fields.string('type')
  const code = fields.string('code')
  const param = fields.string('param')
  const error = { kind: kindOfError(type, own(holder, 'code')), message, ...compact({ code, param }) }
  // A type that is known for its kind adds nothing to the kind, so other wires lose nothing without it.
  const isKnown = type !== undefined && isKnownType(type, error.kind)
  const typeEntry: ResidueEntry[] = type === undefined ? [] : [[[...at, 'type'], type]]
  return {
    error,
    entries: [...fields.unread(at), ...(isKnown ? [] : typeEntry)],
    defaults: isKnown ? typeEntry : [],
  }
}

/** An error body as an answer, or `undefined` when the body is none. */
export function decodeErrorAnswer(body: JsonObject): Answer | undefined {
  const bare = own(body, 'object') === 'error'
  const held = own(body, 'error')
  if (!bare && (held === undefined || held === null)) return undefined
  const fields = new FieldReader(body)
  const read = bare ? decodeErrorFields(body, fields, []) : decodeError(held, ['error'])
  if (read === undefined) return undefined
  fields.ignore('error')
  const entries = bare ? read.entries : [...fields.unread(), ...read.entries]
  return {
    turns: [],
    finish: { reason: 'failed' },
    error: read.error,
    residue: chatResidue.create([], entries, read.defaults),
  }
}

/** The fields of an error that was read from Chat; its type is in the residue. */
export function encodeErrorFields({ message, code, param }: ApiError): Record<string, unknown> {
  return compact({ message, code, param })
}

/** An error body has no place for an answer, so the parts of the answer are reported. */
export function encodeErrorAnswer(answer: Answer, report: Report): JsonObject {
  const error: ApiError = answer.error ?? {
    kind: 'server',
    message: 'The model did not finish its answer.',
  }
  const { kind, message, code = saysOverflow(error) ? overflowCode : null, param = null } = error
  reportUnsaid(answer, report)
  const mine = chatResidue.owns(answer.residue)
  const fields = mine ? encodeErrorFields(error) : { message, type: errorTypes[kind], param, code }
  return chatResidue.restore(isBare(answer) ? fields : { error: fields }, answer.residue, report)
}

function isBare({ residue }: Answer): boolean {
  const said = chatResidue.owns(residue) ? residue?.entries : undefined
  return (
    said?.some(([path, value]) => path.length === 1 && path[0] === 'object' && value === 'error') ?? false
  )
}

function reportUnsaid(answer: Answer, report: Report): void {
  for (const part of answer.turns.flatMap(({ parts }) => parts))
    report('part_dropped', part.path, 'An error on Chat holds no part of the answer; it was left out.')
  for (const { residue } of answer.turns) reportResidue(residue, report)
  for (const key of ['id', 'model', 'usage'] as const) {
    if (answer[key] !== undefined)
      report('field_dropped', [key], `An error on Chat has no place for "${key}"; it was left out.`)
  }
}
