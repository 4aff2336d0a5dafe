/** The scripted model behind the platform's `fetch`: requests in, standard responses out. */
import { isObject } from '../json/object.ts'
import { parseJson } from '../json/text.ts'
import type { SignalLike } from '../runtime/host.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import { wireNames as wires } from '../wires/registry.ts'
import { ConnectionError, toWebStream } from './body-stream.ts'
import type { Delivery } from './delivery.ts'
import type { SeenRequest } from './seen-request.ts'
import type { Fetch, RequestLike, ResponseLike } from './web.ts'
import { web } from './web.ts'

/** Where each wire is spoken, below a server's base address. */
const paths: { readonly [W in Wire]: string } = {
  chat: '/chat/completions',
  responses: '/responses',
  messages: '/messages',
}

interface Served {
  readonly wire: Wire
  readonly answer: (
    body: object,
    headers: SeenRequest['headers'],
    signal: SignalLike | undefined,
  ) => Promise<Delivery>
  /** An error of the server's own, in the words of its wire. */
  readonly refuse: (status: number, message: string) => Delivery
}

export function createScriptedFetch({ wire, answer, refuse }: Served): Fetch {
  const serve = async (request: RequestLike): Promise<Delivery> => {
    const wrong = wrongDoor(request, wire)
    if (wrong !== undefined) return refuse(404, wrong)
    const body = parseJson(await request.text())
    if (!isObject(body)) return refuse(400, 'The body of the request is no JSON object.')
    return answer(body, Object.fromEntries(request.headers), request.signal)
  }

  const respond = async (input: unknown, init?: unknown): Promise<ResponseLike> => {
    const request = new web.Request(input, init)
    try {
      return toResponse(await serve(request))
    } catch (error) {
      if (request.signal.aborted || error instanceof ConnectionError) throw error
      // Clients try again when a connection fails; a script that does not fit must be heard of at once.
      return toResponse(refuse(400, error instanceof Error ? error.message : String(error)))
    }
  }
  return respond as unknown as Fetch
}

function wrongDoor({ url, method }: RequestLike, wire: Wire): string | undefined {
  const path = (url.split(/[?#]/)[0] ?? '').replace(/\/$/, '')
  const meant = wires.find(other => path.endsWith(paths[other]))
  if (method === 'POST' && (meant === undefined || meant === wire)) return undefined
  const heard = `${method} ${path} was asked for`
  return `This scripted model speaks ${wire} at POST ${paths[wire]}, but ${heard}.`
}

function toResponse({ status, headers, body, stream }: Delivery): ResponseLike {
  const isText = typeof body === 'string' && stream === undefined && !body.startsWith('{')
  const type = stream !== undefined ? 'text/event-stream' : isText ? 'text/plain' : 'application/json'
  const content =
    stream === undefined ? (typeof body === 'string' ? body : JSON.stringify(body)) : toWebStream(stream)
  return new web.Response(content, { status, headers: { 'content-type': type, ...headers } })
}
