/** Error bodies: `{"type":"error","error":{"type","message"},"request_id"}`. */

import type { JsonObject } from '../../../json/object.ts'
import { append, compact, isObject, own } from '../../../json/object.ts'
import type { Answer, ApiError, ErrorKind } from '../../../model/answer.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { saysOverflow } from '../../kit/conversation/context-overflow.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { isKnownType, kindOfError } from '../../kit/openai-errors.ts'
import { messagesResidue } from '../residue.ts'

const types: { readonly [K in ErrorKind]: string } = {
  invalid_request: 'invalid_request_error',
  authentication: 'authentication_error',
  billing: 'billing_error',
  permission: 'permission_error',
  not_found: 'not_found_error',
  conflict: 'conflict_error',
  too_large: 'request_too_large',
  rate_limit: 'rate_limit_error',
  timeout: 'timeout_error',
  overloaded: 'overloaded_error',
  server: 'api_error',
}

const kinds: ReadonlyMap<unknown, ErrorKind> = new Map(
  Object.entries(types).map(([kind, type]) => [type, kind as ErrorKind]),
)

/** An answer with an `error` and no content has failed. */
export function isErrorBody(body: JsonObject): boolean {
  const error = own(body, 'error')
  if (own(body, 'type') === 'error') return true
  return (isObject(error) || typeof error === 'string') && own(body, 'content') === undefined
}

export function decodeErrorAnswer(body: JsonObject): Answer {
  const fields = new FieldReader(body)
  const defaults: ResidueEntry[] = []
  if (own(body, 'type') === 'error') {
    fields.ignore('type')
    defaults.push([['type'], 'error'])
  }
  const { error, entries, kept } = decodeErrorFields(own(body, 'error'))
  fields.ignore('error')
  return {
    turns: [],
    finish: { reason: 'failed' },
    error,
    residue: {
      wire: 'messages',
      at: [],
      entries: [...fields.unread(), ...entries],
      defaults: [...defaults, ...kept],
    },
  }
}

function decodeErrorFields(value: unknown): {
  error: ApiError
  entries: ResidueEntry[]
  kept: ResidueEntry[]
} {
  if (!isObject(value)) {
    const entry: ResidueEntry = [['error'], value]
    // A bare text is the message itself; of anything else only its own wire can make something.
    if (typeof value === 'string')
      return { error: { kind: 'server', message: value }, entries: [], kept: [entry] }
    return { error: { kind: 'server', message: unexplained }, entries: [entry], kept: [] }
  }
  const fields = new FieldReader(value)
  const type = own(value, 'type')
  const kind = kinds.get(type) ?? foreignKind(type, own(value, 'code'))
  const kept: ResidueEntry[] = []
  if (kinds.has(type)) fields.ignore('type')
  else if (type === undefined) kept.push([['error', 'type'], undefined])
  else if (typeof type === 'string' && isKnownType(type, kind)) {
    fields.ignore('type')
    kept.push([['error', 'type'], type])
  }
  const message = fields.string('message')
  if (message === undefined && own(value, 'message') === undefined)
    kept.push([['error', 'message'], undefined])
  const details = own(value, 'details')
  const detailed = isObject(details) ? own(details, 'error_code') : undefined
  const code = detailed ?? foreignCode(value, fields, kept)
  const entries: ResidueEntry[] = []
  if (isObject(details) && typeof detailed === 'string') {
    const inner = new FieldReader(details)
    inner.ignore('error_code')
    fields.ignore('details')
    append(entries, inner.unread(['error', 'details']))
  }
  return {
    error: {
      kind,
      message: message ?? unexplained,
      ...compact({ code: typeof code === 'string' ? code : undefined }),
    },
    entries: [...fields.unread(['error']), ...entries],
    kept,
  }
}

/** Servers that imitate Messages, and those that pass on what another server said, write the words of OpenAI. */
function foreignKind(type: unknown, code: unknown): ErrorKind {
  return kindOfError(typeof type === 'string' ? type : undefined, code)
}

function foreignCode(value: JsonObject, fields: FieldReader, kept: ResidueEntry[]): string | undefined {
  if (own(value, 'details') !== undefined) return undefined
  const code = fields.string('code')
  if (code !== undefined) kept.push([['error', 'code'], code], [['error', 'details'], undefined])
  return code
}

const unexplained = 'The request failed and the server did not say why.'

/** Codes of ours for which Anthropic's clients know another. */
const knownCodes: ReadonlyMap<string, string> = new Map([
  ['compaction_empty', 'compaction_nothing_to_summarize'],
])

/** Claude Code looks for these words, and then shortens its history. */
function inKnownWords(error: ApiError): string {
  const { message } = error
  return saysOverflow(error) && !/prompt is too long/i.test(message)
    ? `Prompt is too long: ${message}`
    : message
}

export function encodeErrorAnswer(answer: Answer, report: Report): JsonObject {
  const failure: ApiError = answer.error ?? { kind: 'server', message: unexplained }
  const { kind, code, param, unsupported } = failure
  const isOurs = answer.residue?.wire === 'messages'
  const message = isOurs ? failure.message : inKnownWords(failure)
  if (param !== undefined) {
    report(
      'field_dropped',
      ['error', 'param'],
      'Messages does not name the wrong field apart; it was left out.',
    )
  }
  for (const part of answer.turns.flatMap(turn => turn.parts)) {
    report(
      'part_dropped',
      part.path,
      'The answer failed; on Messages nothing else can be said with an error.',
    )
  }
  const error: Record<string, unknown> = {
    type: types[kind],
    message,
    ...(code !== undefined && {
      details: { error_code: knownCodes.get(code) ?? code, ...compact({ unsupported }) },
    }),
  }
  const envelope = isOurs ? {} : { type: 'error', request_id: null }
  const body = messagesResidue.complete({ ...envelope, error }, answer.residue, report)
  const written = own(body, 'error')
  return isObject(written) ? { ...body, error: compact(written) } : body
}
