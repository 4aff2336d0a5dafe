/** The network transport, over undici's dispatcher, which does the least work for each chunk. */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Agent } from 'undici'
import { asBuffer } from '../http/bytes.ts'
import type { Transport, UpstreamRequest } from '../http/contract.ts'

export interface UndiciTransport {
  readonly transport: Transport
  close(): Promise<void>
}

export function createUndiciTransport(): UndiciTransport {
  // One agent for each connect timeout; in practice upstreams share one or two.
  const agents = new Map<number, Agent>()
  const agentFor = (connectMs: number): Agent => {
    let agent = agents.get(connectMs)
    if (agent === undefined) {
      // The gateway's own timers report what was outstanding; undici's would only cut the socket.
      agent = new Agent({
        connect: { timeout: connectMs },
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: 30_000,
        pipelining: 1,
      })
      agents.set(connectMs, agent)
    }
    return agent
  }

  const addressOf = createAddressBook()
  const transport: Transport = (request, receiver) => {
    const { origin, path } = addressOf(request.url)
    let controller: Dispatcher.DispatchController | undefined
    let over = false
    const agent = agentFor(request.connectMs)
    agent.dispatch(
      {
        origin,
        path,
        method: request.method,
        headers: request.headers,
        body: bodyOf(request),
      },
      {
        onRequestStart(started) {
          controller = started
          if (over) started.abort(new Error('The request is no longer wanted.'))
          else receiver.connected?.()
        },
        onResponseStart(_controller, status, headers) {
          // Interim answers carry no body.
          if (!over && status >= 200) receiver.head(status, flat(headers))
        },
        onResponseData(_controller, chunk) {
          if (!over) receiver.data(chunk)
        },
        onResponseEnd() {
          if (over) return
          over = true
          receiver.end()
        },
        onResponseError(_controller, error) {
          if (over) return
          over = true
          receiver.fail(error, controller !== undefined)
        },
      },
    )
    return {
      pause: () => controller?.pause(),
      resume: () => controller?.resume(),
      abort() {
        if (over) return
        over = true
        controller?.abort(new Error('The request is no longer wanted.'))
      },
    }
  }

  const close = async (): Promise<void> => {
    await Promise.all([...agents.values()].map(agent => agent.destroy()))
  }
  return { transport, close }
}

function bodyOf({ method, body, chunks }: UpstreamRequest): string | Buffer | Readable | null {
  if (chunks !== undefined) return Readable.from(chunks, { objectMode: false })
  if (method === 'GET') return null
  return typeof body === 'string' ? body : asBuffer(body)
}

/** Names are in lower case already. */
function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const out: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined) out[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return out
}

interface Address {
  readonly origin: string
  readonly path: string
}

/** There are as many addresses as upstreams have routes, unless a path names the model; then the cache is bounded. */
function createAddressBook(): (url: string) => Address {
  const known = new Map<string, Address>()
  return url => {
    let address = known.get(url)
    if (address === undefined) {
      const { origin, pathname, search } = new URL(url)
      address = { origin, path: pathname + search }
      if (known.size < 256) known.set(url, address)
    }
    return address
  }
}
