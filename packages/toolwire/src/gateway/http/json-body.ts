/** The body of a request: its bytes, and the JSON object in them, with errors that say where the text is wrong. */
import type { JsonObject } from '@toolwire/core/wires'
import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { unlessAborted } from './abort.ts'
import { maskSecrets } from './headers.ts'

export type { JsonObject } from '@toolwire/core/wires'

export async function readBytes({
  gateway,
  request,
  observation,
  signal,
}: RequestContext): Promise<Uint8Array> {
  const type = request.headers['content-type'] ?? ''
  // Pages may send forms and plain text to any origin without a preflight; JSON they may not.
  if (type !== 'application/json' && !/^\s*application\/([\w.+-]+\+)?json\b/i.test(type)) {
    throw new GatewayError('invalid_request', 'Send the body as "content-type: application/json".', {
      code: 'unsupported_media_type',
      status: 415,
    })
  }
  const started = gateway.clock.now()
  const bytes = await unlessAborted(signal, request.body(gateway.limits.bodyBytes))
  // The time that a client takes to send its request does not count as the gateway's.
  observation.facts.startedAt += gateway.clock.now() - started
  if (observation.wantsViews) {
    observation.viewHead('client-request', {
      line: `${request.method} ${request.target}`,
      headers: maskSecrets(request.headers, gateway.keyHeaders),
    })
    observation.view('client-request', bytes)
  }
  return bytes
}

export async function readJson(context: RequestContext): Promise<JsonObject> {
  return parseJsonBody(await readBytes(context), context.gateway.limits.depth)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The body of a request that `peekRequest` has found to be an object, and not nested too deep. */
export function parsePeeked(bytes: Uint8Array, text: string | undefined): JsonObject {
  return parse(text ?? decode(bytes)) as JsonObject
}

export function parseJsonBody(bytes: Uint8Array, maxDepth: number): JsonObject {
  const text = decode(bytes)
  const at = tooDeepAt(text, maxDepth)
  if (at !== undefined) {
    throw new GatewayError(
      'invalid_request',
      `The request body is nested deeper than ${maxDepth} levels (at character ${at}).`,
    )
  }
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid_request', 'The request body must be a JSON object.')
  }
  return value as JsonObject
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new GatewayError('invalid_request', 'The request body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  if (text.trim() === '')
    throw new GatewayError('invalid_request', 'The request body is empty. Send a JSON object.')
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason'
    throw new GatewayError('invalid_request', `The request body is not valid JSON: ${reason}`)
  }
}

const quote = 0x22
const backslash = 0x5c

/**
 * Where a text is nested too deep, if so. `JSON.parse` takes a million nested arrays, and much of what comes after it
 * recurses. One pass over the text before parsing keeps such bodies out.
 */
export function tooDeepAt(text: string, maxDepth: number): number | undefined {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const letter = text.charCodeAt(i)
    if (letter === quote) i = endOfString(text, i)
    else if (letter === 0x7b || letter === 0x5b) {
      depth += 1
      if (depth > maxDepth) return i
    } else if (letter === 0x7d || letter === 0x5d) depth -= 1
  }
  return undefined
}

/** The position of the closing quote, found by jumping, since most of a body is text. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    if (text.charCodeAt(end - 1) !== backslash) return end
    let escapes = 0
    for (let i = end - 1; i > start && text.charCodeAt(i) === backslash; i--) escapes += 1
    if (escapes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}
