/** Turns what a client throws, or an error that a server returns, into a `ModelError`. */

import { isObject, type JsonObject, own, setOwn } from '../json/object.ts'
import { parseJson } from '../json/text.ts'
import type { Answer, ErrorKind } from '../model/answer.ts'
import { ModelError } from '../runtime/conversation/model-port.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { kindOfStatus } from '../wires/kit/error-status.ts'

/** What is known of the HTTP answer. */
interface HttpFacts {
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The error of an answer that has no content. */
export function errorOf(answer: Answer, body: unknown, http: HttpFacts = {}): ModelError | undefined {
  const { error, turns, id } = answer
  if (error === undefined || turns.length > 0 || id !== undefined) return undefined
  const { message, code, param } = error
  return new ModelError(message, { ...http, kind: kindOf(error.kind, http.status), code, param, body })
}

function errorOfBody(codec: WireConversation, body: JsonObject, http: HttpFacts): ModelError | undefined {
  const answer = codec.decodeAnswer(body, () => undefined)
  return errorOf(answer, body, http)
}

/**
 * The body's kind is more exact than the status, unless it is the unspecific `server`. A refused key is one whatever the
 * body calls it, which is often any invalid request.
 */
function kindOf(kind: ErrorKind, status: number | undefined): ErrorKind {
  if (status === 401) return 'authentication'
  if (status === 403) return kind === 'authentication' ? kind : 'permission'
  if (kind !== 'server' || status === undefined || status < 400) return kind
  return kindOfStatus.get(status) ?? (status < 500 ? 'invalid_request' : 'server')
}

/** The error for a status that is not a success; the body may be anything. */
export function errorOfStatus(
  codec: WireConversation,
  http: HttpFacts & { readonly status: number },
  text: string,
): ModelError {
  const { status } = http
  const body = parseJson(text)
  const read = isObject(body) ? errorOfBody(codec, body, http) : undefined
  if (read !== undefined) return read
  const excerpt = text.trim().slice(0, 200)
  const message = `The server answered with status ${status}${excerpt === '' ? '.' : `: ${excerpt}`}`
  return new ModelError(message, { ...http, kind: kindOf('server', status), body: body ?? text })
}

/**
 * The error for what a client threw. The official clients' errors have a `status`, and in `error` the body or, in one
 * client, the body's `error`.
 */
export function errorOfThrown(codec: WireConversation, thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown
  const status = numberIn(thrown, 'status')
  const http = { status, headers: headersOf(field(thrown, 'headers')) }
  const body = bodyOf(thrown)
  const read = body && errorOfBody(codec, body, http)
  if (read !== undefined) return new ModelError(read.message, { ...read, cause: thrown })
  const message = textIn(thrown, 'message') ?? 'The request could not be sent.'
  const kind = status === undefined ? 'connection' : kindOf('server', status)
  // For a failed connection the code is on the error's cause.
  const code = textIn(thrown, 'code') ?? textIn(field(thrown, 'cause'), 'code')
  return new ModelError(message, { ...http, kind, code, body, cause: thrown })
}

/** A `Headers` or a plain object, as clients give them; names in small letters. */
export function headersOf(given: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const headers: Record<string, string> = {}
  const add = (value: unknown, name: unknown): void => {
    if (typeof name === 'string' && typeof value === 'string') setOwn(headers, name.toLowerCase(), value)
  }
  try {
    const { forEach } = given as { forEach?: (add: (value: unknown, name: unknown) => void) => void }
    if (typeof forEach === 'function') forEach.call(given, add)
    else for (const [name, value] of Object.entries(given)) add(value, name)
  } catch {
    // Anything can be thrown; without headers the error is still one.
  }
  return headers
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
