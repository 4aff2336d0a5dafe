/**
 * What a `send` may give, told apart by shape: an answer's body, the `Response` of a fetch, a stream of events,
 * texts or bytes. Either a whole body or something to go through comes out.
 */

import type { JsonObject } from '../json/json.ts'
import { isObject, show } from '../json/json.ts'
import { ModelError } from '../runtime/conversation/model-port.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { errorOfStatus } from './read-error.ts'

export type SendResult =
  | { readonly body: JsonObject; readonly status?: number }
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
    `"send" must give an answer's body, a Response, or a stream of events, texts or bytes; it gave ${show(value)}.`,
    { kind: 'connection' },
  )
}

/** An answer's own `status`, on the wire that has one, is a word. */
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
  if (status >= 400) throw errorOfStatus(codec, status, await textOf(response).catch(() => ''))
  const items = itemsOf(body)
  const type = headers?.get?.('content-type') ?? ''
  if (items !== undefined && type.includes('text/event-stream')) return { items }
  return { status, ...readText(await textOf(response)) }
}

async function textOf(response: ResponseLike): Promise<string> {
  if (response.text !== undefined) return response.text()
  return JSON.stringify(await response.json?.()) ?? ''
}

/** A server that did not say what it sends may still have sent events. */
function readText(text: string): SendResult {
  try {
    const body: unknown = JSON.parse(text)
    if (isObject(body)) return { body }
  } catch {
    if (/^\s*(?:data|event|id|retry)?:/.test(text)) return { items: asAsync([text]) }
  }
  const excerpt = text.trim().slice(0, 200)
  throw new ModelError(`The answer is no JSON object and no event stream: ${show(excerpt)}.`, {
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
 * A web stream by its reader, and not by its own iterator: that would wait for the piece under way before it lets
 * go, and a connection on which nothing comes any more would stay open.
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
