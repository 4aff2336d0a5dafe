/** Error bodies: OpenAI's `{ error: { message, type, param, code } }` and the looser forms of other servers. */

import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own } from '../../../json/object.ts'
import type { Answer, ApiError, ErrorKind } from '../../../model/answer.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import type { FieldReader } from '../../kit/field-reader.ts'
import { createFieldReader } from '../../kit/field-reader.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { chatResidue } from '../residue.ts'

/** The first word of each kind is the one that is written. */
const words: { readonly [Kind in ErrorKind]: readonly string[] } = {
  invalid_request: ['invalid_request_error', 'BadRequestError'],
  authentication: ['authentication_error', 'invalid_api_key', 'invalid_authentication'],
  billing: ['insufficient_quota', 'billing_error', 'billing_hard_limit_reached'],
  permission: ['permission_error', 'permission_denied', 'PermissionDeniedError'],
  not_found: ['not_found_error', 'model_not_found', 'NotFoundError'],
  conflict: ['conflict_error'],
  too_large: ['request_too_large'],
  rate_limit: ['rate_limit_error', 'rate_limit_exceeded', 'requests', 'tokens'],
  timeout: ['timeout_error', 'timeout'],
  overloaded: ['service_unavailable_error', 'overloaded_error', 'engine_overloaded'],
  server: ['server_error', 'api_error', 'internal_error', 'internal_server_error'],
}

const kindOfWord: ReadonlyMap<string, ErrorKind> = new Map(
  (Object.entries(words) as [ErrorKind, readonly string[]][]).flatMap(([kind, list]) =>
    list.map(word => [word, kind] as const),
  ),
)

/** Servers that imitate OpenAI often put the HTTP status into `code`. */
const kindOfStatus: ReadonlyMap<number, ErrorKind> = new Map([
  [400, 'invalid_request'],
  [401, 'authentication'],
  [402, 'billing'],
  [403, 'permission'],
  [404, 'not_found'],
  [408, 'timeout'],
  [409, 'conflict'],
  [413, 'too_large'],
  [422, 'invalid_request'],
  [429, 'rate_limit'],
  [503, 'overloaded'],
  [504, 'timeout'],
  [529, 'overloaded'],
])

/** The code is the more exact word: a bad key has the type of any invalid request. */
function kindOf(type: string | undefined, code: unknown): ErrorKind {
  const byCode = typeof code === 'string' ? kindOfWord.get(code) : undefined
  const byType = type === undefined ? undefined : kindOfWord.get(type)
  const isStatus = typeof code === 'number' || typeof code === 'string'
  return byCode ?? byType ?? (isStatus ? kindOfStatus.get(Number(code)) : undefined) ?? 'server'
}

export interface DecodedError {
  readonly error: ApiError
  readonly entries: ResidueEntry[]
  readonly quiet: ResidueEntry[]
}

export function decodeError(value: unknown, at: Path): DecodedError | undefined {
  if (typeof value === 'string')
    return { error: { kind: 'server', message: value }, entries: [], quiet: [[at, value]] }
  if (!isObject(value)) return undefined
  return decodeErrorFields(value, createFieldReader(value), at)
}

function decodeErrorFields(holder: JsonObject, fields: FieldReader, at: Path): DecodedError | undefined {
  const message = fields.string('message')
  if (message === undefined) return undefined
  const type = fields.string('type')
  const code = fields.string('code')
  const param = fields.string('param')
  const error = { kind: kindOf(type, own(holder, 'code')), message, ...compact({ code, param }) }
  // A type that is known for its kind says no more than the kind does.
  const isKnown = type !== undefined && kindOfWord.get(type) === error.kind
  const typeEntry: ResidueEntry[] = type === undefined ? [] : [[[...at, 'type'], type]]
  return {
    error,
    entries: [...fields.unread(at), ...(isKnown ? [] : typeEntry)],
    quiet: isKnown ? typeEntry : [],
  }
}

/** An error body as an answer, or `undefined` when the body is none. */
export function decodeErrorAnswer(body: JsonObject): Answer | undefined {
  const bare = own(body, 'object') === 'error'
  const held = own(body, 'error')
  if (!bare && (held === undefined || held === null)) return undefined
  const fields = createFieldReader(body)
  const read = bare ? decodeErrorFields(body, fields, []) : decodeError(held, ['error'])
  if (read === undefined) return undefined
  fields.ignore('error')
  const entries = bare ? read.entries : [...fields.unread(), ...read.entries]
  return {
    turns: [],
    finish: { reason: 'failed' },
    error: read.error,
    residue: chatResidue.create([], entries, read.quiet),
  }
}

/** The fields of an error that was Chat's; its type comes back with the residue. */
export function encodeErrorFields({ message, code, param }: ApiError): Record<string, unknown> {
  return compact({ message, code, param })
}

/** An error leaves no room for an answer: what the answer held is reported. */
export function encodeErrorAnswer(answer: Answer, report: Report): JsonObject {
  const { kind, message, code, param } = answer.error ?? {
    kind: 'server' as const,
    message: 'The model did not finish its answer.',
  }
  reportUnsaid(answer, report)
  const mine = chatResidue.owns(answer.residue)
  const fields = mine
    ? encodeErrorFields({ kind, message, ...compact({ code, param }) })
    : { message, type: words[kind][0], param: param ?? null, code: code ?? null }
  const written: Record<string, unknown> = isBare(answer) ? fields : { error: fields }
  chatResidue.restore(written, answer.residue, report)
  return written
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
