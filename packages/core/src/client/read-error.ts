/** Whatever a client throws or a server says, read into a `ModelError`. */

import { isObject, type JsonObject, own } from '../json/json.ts'
import type { Answer, ErrorKind } from '../model/answer.ts'
import { ModelError } from '../runtime/conversation/model-port.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { errorStatus } from '../wires/kit/error-status.ts'

/** Statuses beyond those each kind is told with. */
const otherStatuses: ReadonlyMap<number, ErrorKind> = new Map([
  [408, 'timeout'],
  [422, 'invalid_request'],
  [529, 'overloaded'],
])

const kindOfStatus: ReadonlyMap<number, ErrorKind> = new Map([
  ...(Object.entries(errorStatus) as [ErrorKind, number][]).map(([kind, status]) => [status, kind] as const),
  ...otherStatuses,
])

/** An answer that is nothing but an error. */
export function errorOf(answer: Answer, body: unknown, status?: number): ModelError | undefined {
  const { error, turns, id } = answer
  if (error === undefined || turns.length > 0 || id !== undefined) return undefined
  const { message, code, param } = error
  return new ModelError(message, { kind: kindOf(error.kind, status), status, code, param, body })
}

/** A body's own words are the more exact, except where it has none for its kind and the status has. */
function kindOf(kind: ErrorKind, status: number | undefined): ErrorKind {
  if (kind !== 'server' || status === undefined || status < 400) return kind
  return kindOfStatus.get(status) ?? (status < 500 ? 'invalid_request' : 'server')
}

/** What a server said with a status that is no success; the body may be anything. */
export function errorOfStatus(codec: WireConversation, status: number, text: string): ModelError {
  const body = parse(text)
  const read = isObject(body)
    ? errorOf(
        codec.decodeAnswer(body, () => undefined),
        body,
        status,
      )
    : undefined
  if (read !== undefined) return read
  const excerpt = text.trim().slice(0, 200)
  const message = `The server answered with status ${status}${excerpt === '' ? '.' : `: ${excerpt}`}`
  return new ModelError(message, { kind: kindOf('server', status), status, body: body ?? text })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * What a client threw. The official clients' errors have the status, and in `error` the body or, from one of
 * them, the inside of it.
 */
export function errorOfThrown(codec: WireConversation, thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown
  const status = numberIn(thrown, 'status')
  const body = bodyOf(thrown)
  const read =
    body &&
    errorOf(
      codec.decodeAnswer(body, () => undefined),
      body,
      status,
    )
  if (read !== undefined) return withCause(read, thrown)
  const message = textIn(thrown, 'message') ?? 'The request could not be sent.'
  const kind = status === undefined ? 'connection' : kindOf('server', status)
  return new ModelError(message, { kind, status, code: codeOf(thrown), body, cause: thrown })
}

function withCause({ message, kind, status, code, param, body }: ModelError, cause: unknown): ModelError {
  return new ModelError(message, { kind, status, code, param, body, cause })
}

function bodyOf(thrown: unknown): JsonObject | undefined {
  const error = field(thrown, 'error')
  if (!isObject(error)) return undefined
  return isObject(own(error, 'error')) ? error : { error }
}

/** A failed connection says why in the code of what caused it. */
function codeOf(thrown: unknown): string | undefined {
  return textIn(thrown, 'code') ?? textIn(field(thrown, 'cause'), 'code')
}

/** What is thrown may be anything, and reading it must not throw again. */
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
