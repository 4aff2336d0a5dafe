/** The gateway behind a web `fetch` handler, for Bun, Deno, edge runtimes and service workers. */

import type { Gateway } from '../create-gateway.ts'
import { bodyTooLarge, clientGone } from '../errors.ts'
import { ChunkList } from './bytes.ts'
import type { GatewayRequest, Sink } from './contract.ts'

/** Bytes that may wait for a slow reader before the upstream has to wait too. */
const highWaterMark = 64 * 1024

/**
 * Makes a handler of web requests from a gateway, for Bun, Deno and edge runtimes.
 *
 * @example
 * ```js
 * import { createFetchHandler, createFetchTransport, createGateway } from 'toolwire/gateway'
 *
 * const transport = createFetchTransport()
 * const upstreams = [{ name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1', transport }]
 * const handle = createFetchHandler(createGateway({ upstreams })) // for Bun.serve, Deno.serve and the like
 * console.log((await handle(new Request('http://127.0.0.1/ready'))).status)
 * ```
 */
export function createFetchHandler(gateway: Gateway): (request: Request) => Promise<Response> {
  return request =>
    new Promise(resolve => {
      const gone = new AbortController()
      const onAbort = (): void => gone.abort()
      request.signal.addEventListener('abort', onAbort)
      if (request.signal.aborted) onAbort()
      const { sink, ended } = sinkTo(resolve, onAbort, request.method === 'HEAD')
      void gateway
        .handle(requestOf(request, gone.signal), sink)
        .finally(() => ended.then(() => request.signal.removeEventListener('abort', onAbort)))
    })
}

function requestOf(request: Request, signal: AbortSignal): GatewayRequest {
  const { pathname, search, host } = new URL(request.url)
  const { body } = request
  const headers: Record<string, string> = { host }
  request.headers.forEach((value, name) => {
    headers[name] = value
  })
  return {
    method: request.method,
    target: pathname + search,
    headers,
    signal,
    body: (limit, reserve) => readBody(request, limit, reserve),
    ...(body !== null && { chunks: () => body }),
  }
}

async function readBody(
  request: Request,
  limit: number,
  reserve: (bytes: number) => void,
): Promise<Uint8Array> {
  const chunks = new ChunkList()
  let length = 0
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > limit) throw bodyTooLarge(limit)
  if (declared > 0) reserve(declared)
  let reserved = declared
  const reader = request.body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read().catch(throwGone)) ?? { done: true, value: undefined }
    if (done || value === undefined) return chunks.join()
    length += value.byteLength
    try {
      if (length > limit) throw bodyTooLarge(limit)
      if (length > reserved) reserve(length - reserved)
    } catch (error) {
      await reader?.cancel()
      throw error
    }
    reserved = Math.max(reserved, length)
    chunks.add(value)
  }
}

/** A body that breaks off means that the client has gone. */
function throwGone(): never {
  throw clientGone()
}

function sinkTo(
  respond: (response: Response) => void,
  onCancel: () => void,
  headOnly: boolean,
): { readonly sink: Sink; readonly ended: Promise<void> } {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let waiting: (() => void)[] = []
  let finish = (): void => {}
  const ended = new Promise<void>(resolve => {
    finish = resolve
  })
  const body = new ReadableStream<Uint8Array>(
    {
      start(created) {
        controller = created
      },
      pull() {
        const callbacks = waiting
        waiting = []
        for (const callback of callbacks) callback()
      },
      cancel() {
        controller = undefined
        onCancel()
        finish()
      },
    },
    { highWaterMark, size: chunk => chunk?.byteLength ?? 0 },
  )
  const write = (chunk: string | Uint8Array): boolean => {
    controller?.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk)
    return (controller?.desiredSize ?? 1) > 0
  }
  const sink: Sink = {
    head(status, headers) {
      const bodiless = headOnly || status === 204 || status === 304
      respond(new Response(bodiless ? null : body, { status, headers: { ...headers } }))
    },
    write,
    end(chunk) {
      if (chunk !== undefined) write(chunk)
      controller?.close()
      controller = undefined
      finish()
    },
    onDrain(callback) {
      waiting.push(callback)
    },
    // Before the head the caller gets a status; after it, a body that breaks off.
    cut() {
      respond(new Response(null, { status: 500 }))
      controller?.error(new Error('The gateway broke the answer off.'))
      controller = undefined
      finish()
    },
  }
  return { sink, ended }
}
