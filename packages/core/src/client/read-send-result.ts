/**
 * Recognises by its shape what `send` returned: an answer's body, the `Response` of a fetch, or a stream of events,
 * strings or bytes. The result is either a complete body or an async iterable.
 */

import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import { ModelError } from '../runtime/conversation/model-port.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { errorOfStatus, headersOf } from './read-error.ts'

export type SendResult =
  | { readonly body: JsonObject; readonly status?: number; readonly headers?: unknown }
  | { readonly items: AsyncIterable<unknown> }

/** The parts of a fetch's `Response` that are used. */
interface ResponseLike {
  readonly status: number
  readonly headers?: { get?(name: string): string | null }
  readonly body?: unknown
  text?(): Promise<string>
  json?(): Promise<unknown>
}

interface ReaderLike {
  read(): Promise<{ done: boolean; value?: unknown }>
  cancel(): Promise<void>
}

export async function readSendResult(codec: WireConversation, value: unknown): Promise<SendResult> {
  if (isResponse(value)) return readResponse(codec, value)
  const items = itemsOf(value)
  if (items !== undefined) return { items }
  if (typeof value === 'string') return readText(value)
  if (isObject(value)) return { body: value }
  throw new ModelError(
    `"send" must return an answer's body, a Response, or a stream of events, strings or bytes; it returned ${show(value)}.`,
    { kind: 'connection' },
  )
}

/** A Responses answer has a `status` too, but a string. */
function isResponse(value: unknown): value is ResponseLike {
  if (typeof value !== 'object' || value === null) return false
  const { status, text, json, body } = value as Partial<ResponseLike>
  return (
    typeof status === 'number' &&
    (typeof text === 'function' || typeof json === 'function' || itemsOf(body) !== undefined)
  )
}

async function readResponse(codec: WireConversation, response: ResponseLike): Promise<SendResult> {
  const { status, headers, body } = response
  if (status >= 400) {
    const text = await textOf(response).catch(() => '')
    throw errorOfStatus(codec, { status, headers: headersOf(headers) }, text)
  }
  const items = itemsOf(body)
  const type = headers?.get?.('content-type') ?? ''
  if (items !== undefined && type.includes('text/event-stream')) return { items }
  return { status, headers, ...readText(await textOf(response)) }
}

async function textOf(response: ResponseLike): Promise<string> {
  if (response.text !== undefined) return response.text()
  return JSON.stringify(await response.json?.()) ?? ''
}

/** A stream may arrive without the right content type. */
function readText(text: string): SendResult {
  try {
    const body: unknown = JSON.parse(text)
    if (isObject(body)) return { body }
  } catch {
    if (/^\s*(?:data|event|id|retry)?:/.test(text)) return { items: asAsync([text]) }
  }
  const excerpt = text.trim().slice(0, 200)
  throw new ModelError(`The answer is neither a JSON object nor an event stream: ${show(excerpt)}.`, {
    kind: 'connection',
    body: text,
  })
}

function itemsOf(value: unknown): AsyncIterable<unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { getReader } = value as { getReader?: () => ReaderLike }
  if (typeof getReader === 'function')
    return { [Symbol.asyncIterator]: () => readChunks(getReader.call(value)) }
  if (Symbol.asyncIterator in value) return value as AsyncIterable<unknown>
  if (value instanceof Uint8Array) return asAsync([value])
  return Symbol.iterator in value ? asAsync(value as Iterable<unknown>) : undefined
}

async function* asAsync(items: Iterable<unknown>): AsyncGenerator<unknown, void> {
  yield* items
}

/**
 * Reads a web stream by its reader instead of its own iterator. On `return` the iterator would wait for the pending
 * chunk first, and a stalled connection would stay open.
 */
function readChunks(reader: ReaderLike): AsyncIterator<unknown> {
  return {
    async next() {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done: false, value }
    },
    async return() {
      await reader.cancel()
      return { done: true, value: undefined }
    },
  }
}
