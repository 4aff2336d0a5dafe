/** A transport over a web `fetch`, for runtimes whose sockets undici cannot use. */
import type { Transport } from '../http/contract.ts'

/** Makes a transport that sends with `fetch`, for runtimes without Node's sockets. */
export function createFetchTransport(send: typeof fetch = globalThis.fetch): Transport {
  return ({ method, url, headers, body }, receiver) => {
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
        ...(method !== 'GET' && { body: body as string | Uint8Array<ArrayBuffer> }),
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
