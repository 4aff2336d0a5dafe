/** A transport over a web `fetch`, for runtimes whose sockets undici cannot use. */
import type { Transport, UpstreamRequest } from '../http/contract.ts'

/** Makes a transport that sends with `fetch`, for runtimes without Node's sockets. */
export function createFetchTransport(send: typeof fetch = globalThis.fetch): Transport {
  return (request, receiver) => {
    const { method, url, headers } = request
    const leaving = new AbortController()
    let goOn: (() => void) | undefined
    let paused: Promise<void> | undefined

    const deliver = async (): Promise<void> => {
      const answer = await send(url, {
        method,
        headers,
        signal: leaving.signal,
        // A redirect may lead to another server, which must not get the key.
        redirect: 'manual',
        ...bodyOf(request),
      })
      if (leaving.signal.aborted) return
      receiver.head(answer.status, Object.fromEntries(answer.headers))
      const reader = answer.body?.getReader()
      for (;;) {
        await paused
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        if (leaving.signal.aborted) return
        if (done || value === undefined) break
        receiver.data(value)
      }
      receiver.end()
    }
    deliver().catch((error: unknown) => {
      if (!leaving.signal.aborted) receiver.fail(error instanceof Error ? error : new Error(String(error)))
    })

    const resume = (): void => {
      goOn?.()
      goOn = undefined
      paused = undefined
    }
    return {
      pause() {
        paused ??= new Promise(resolve => {
          goOn = resolve
        })
      },
      resume,
      abort() {
        leaving.abort()
        resume()
      },
    }
  }
}

/** A stream as a body has to be announced as one that is sent before the answer begins. */
function bodyOf({ method, body, chunks }: UpstreamRequest): RequestInit {
  if (chunks !== undefined) return { body: streamOf(chunks), duplex: 'half' } as RequestInit
  return method === 'GET' ? {} : { body: body as string | Uint8Array<ArrayBuffer> }
}

function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
