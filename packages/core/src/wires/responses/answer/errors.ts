/** Errors: a body if the request failed, a field of the answer if it failed half-way. */

import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own } from '../../../json/object.ts'
import type { ApiError, ErrorKind } from '../../../model/answer.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { overflowCode, saysOverflow } from '../../kit/context-overflow.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { errorTypes, kindOfError } from '../../kit/openai-errors.ts'

export interface DecodedError {
  readonly error: ApiError
  readonly entries: ResidueEntry[]
  readonly defaults: ResidueEntry[]
}

/** An error object, or the bare text that some servers write instead. */
export function decodeError(value: unknown): DecodedError | undefined {
  if (typeof value === 'string') {
    return { error: { kind: 'server', message: value }, entries: [], defaults: [[['error'], value]] }
  }
  if (!isObject(value)) return undefined
  const fields = new FieldReader(value)
  const type = fields.string('type')
  const code = fields.string('code')
  const message = fields.string('message')
  const param = fields.string('param')
  const defaults: ResidueEntry[] = []
  if (type !== undefined) defaults.push([['error', 'type'], type])
  if (own(value, 'message') === undefined) defaults.push([['error', 'message'], undefined])
  return {
    error: {
      kind: kindOfError(type, own(value, 'code')),
      message: message ?? '',
      ...compact({ code, param }),
    },
    entries: fields.unread(['error']),
    defaults,
  }
}

/** The body of a failed request. */
export function encodeErrorBody(error: ApiError): JsonObject {
  const { kind, message, param = null } = error
  return { error: { message, type: errorTypes[kind], param, code: codeOf(error) ?? null } }
}

/** The `error` of a failed answer, whose code is never empty. */
export function encodeErrorField(error: ApiError): JsonObject {
  const { kind, message, param } = error
  return compact({ code: codeOf(error) ?? answerCodes[kind] ?? 'server_error', message, param })
}

function codeOf(error: ApiError): string | undefined {
  return error.code ?? (saysOverflow(error) ? overflowCode : undefined)
}

const answerCodes: { readonly [Kind in ErrorKind]?: string } = {
  invalid_request: 'invalid_prompt',
  rate_limit: 'rate_limit_exceeded',
}

/** The error over its residue on this wire, which records a message that was absent. */
export function restoreError(error: ApiError, left: unknown): unknown {
  if (left === error.message) return left
  const { message, code, param } = error
  const fields = isObject(left) ? left : {}
  const absent = message === '' && Object.hasOwn(fields, 'message')
  return compact({ ...fields, ...compact({ code, param, message: absent ? undefined : message }) })
}
