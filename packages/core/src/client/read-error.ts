/** Turns what a client throws, or an error that a server returns, into a `ModelError`. */

import { isObject, type JsonObject, own } from '../json/object.ts'
import { parseJson } from '../json/text.ts'
import type { Answer, ErrorKind } from '../model/answer.ts'
import { ModelError } from '../runtime/conversation/model-port.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { kindOfStatus } from '../wires/kit/error-status.ts'

/** The error of an answer that has no content. */
export function errorOf(answer: Answer, body: unknown, status?: number): ModelError | undefined {
  const { error, turns, id } = answer
  if (error === undefined || turns.length > 0 || id !== undefined) return undefined
  const { message, code, param } = error
  return new ModelError(message, { kind: kindOf(error.kind, status), status, code, param, body })
}

function errorOfBody(codec: WireConversation, body: JsonObject, status?: number): ModelError | undefined {
  const answer = codec.decodeAnswer(body, () => undefined)
  return errorOf(answer, body, status)
}

/** The body's kind is more exact than the status, unless it is the unspecific `server`. */
function kindOf(kind: ErrorKind, status: number | undefined): ErrorKind {
  if (kind !== 'server' || status === undefined || status < 400) return kind
  return kindOfStatus.get(status) ?? (status < 500 ? 'invalid_request' : 'server')
}

/** The error for a status that is not a success; the body may be anything. */
export function errorOfStatus(codec: WireConversation, status: number, text: string): ModelError {
  const body = parseJson(text)
  const read = isObject(body) ? errorOfBody(codec, body, status) : undefined
  if (read !== undefined) return read
  const excerpt = text.trim().slice(0, 200)
  const message = `The server answered with status ${status}${excerpt === '' ? '.' : `: ${excerpt}`}`
  return new ModelError(message, { kind: kindOf('server', status), status, body: body ?? text })
}

/**
 * The error for what a client threw. The official clients' errors have a `status`, and in `error` the body or, in one
 * client, the body's `error`.
 */
export function errorOfThrown(codec: WireConversation, thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown
  const status = numberIn(thrown, 'status')
  const body = bodyOf(thrown)
  const read = body && errorOfBody(codec, body, status)
  if (read !== undefined) return new ModelError(read.message, { ...read, cause: thrown })
  const message = textIn(thrown, 'message') ?? 'The request could not be sent.'
  const kind = status === undefined ? 'connection' : kindOf('server', status)
  // For a failed connection the code is on the error's cause.
  const code = textIn(thrown, 'code') ?? textIn(field(thrown, 'cause'), 'code')
  return new ModelError(message, { kind, status, code, body, cause: thrown })
}

function bodyOf(thrown: unknown): JsonObject | undefined {
  const error = field(thrown, 'error')
  if (!isObject(error)) return undefined
  return isObject(own(error, 'error')) ? error : { error }
}

/** Anything can be thrown, also an object with throwing getters; reading it must not throw again. */
function field(thrown: unknown, key: string): unknown {
  try {
    return isObject(thrown) ? thrown[key] : undefined
  } catch {
    return undefined
  }
}

function textIn(thrown: unknown, key: string): string | undefined {
  const value = field(thrown, key)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function numberIn(thrown: unknown, key: string): number | undefined {
  const value = field(thrown, key)
  return typeof value === 'number' ? value : undefined
}
