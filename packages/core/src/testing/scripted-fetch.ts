/** The scripted model behind the platform's `fetch`: requests in, standard responses out. */
import { isObject } from '../json/object.ts'
import { parseJson } from '../json/text.ts'
import type { SignalLike } from '../runtime/host.ts'
import type { WireDefinition } from '../wires/define-wire.ts'
import { matchPath, parsePath, splitPath } from '../wires/kit/route-path.ts'
import { builtInWires } from '../wires/registry.ts'
import { ConnectionError, toWebStream } from './body-stream.ts'
import type { Delivery } from './delivery.ts'
import type { SeenRequest } from './seen-request.ts'
import type { Fetch, RequestLike, ResponseLike } from './web.ts'
import { web } from './web.ts'

interface Served {
  readonly wire: WireDefinition
  readonly answer: (
    body: object,
    headers: SeenRequest['headers'],
    signal: SignalLike | undefined,
  ) => Promise<Delivery>
  /** An error of the server's own, in the words of its wire. */
  readonly refuse: (status: number, message: string) => Delivery
}

export function createScriptedFetch({ wire, answer, refuse }: Served): Fetch {
  const others = Object.values(builtInWires).filter(({ name }) => name !== wire.name)

  const serve = async (request: RequestLike): Promise<Delivery> => {
    const path = request.url.replace(/[?#].*$/s, '').replace(/\/$/, '')
    const found = routeOf(wire, path)
    const isForeign = found === undefined && others.some(other => routeOf(other, path) !== undefined)
    if (request.method !== 'POST' || isForeign) {
      const own = wire.service.http.routes[0]?.path
      const seen = `${request.method} ${path} was asked for`
      return refuse(404, `This scripted model speaks ${wire.name} at POST ${own}, but ${seen}.`)
    }
    const body = parseJson(await request.text())
    if (!isObject(body)) return refuse(400, 'The body of the request is no JSON object.')
    const headers = Object.fromEntries(request.headers)
    const { params = {}, streams } = found ?? {}
    const read = wire.service.http.read({ body, params, query: {}, headers, streams })
    return answer(read.body, headers, request.signal)
  }

  const respond = async (input: unknown, init?: unknown): Promise<ResponseLike> => {
    const request = new web.Request(input, init)
    try {
      return toResponse(await serve(request), wire)
    } catch (error) {
      if (request.signal.aborted || error instanceof ConnectionError) throw error
      // Clients try again when a connection fails; a script that does not fit must be heard of at once.
      return toResponse(refuse(400, error instanceof Error ? error.message : String(error)), wire)
    }
  }
  return respond as unknown as Fetch
}

interface FoundRoute {
  readonly params: Readonly<Record<string, string>>
  readonly streams: boolean | undefined
}

/** The wire's route that the path ends in. What stands before it is the server's base address. */
function routeOf({ service }: WireDefinition, path: string): FoundRoute | undefined {
  const segments = splitPath(path)
  for (const { job, path: below, streams } of service.http.routes) {
    const pattern = parsePath(below)
    const params = job === 'exchange' ? matchPath(pattern, segments.slice(-pattern.length)) : undefined
    if (params !== undefined) return { params, streams }
  }
  return undefined
}

function toResponse(
  { status, headers, body, stream }: Delivery,
  { conversation }: WireDefinition,
): ResponseLike {
  const isText = typeof body === 'string' && stream === undefined && !body.startsWith('{')
  const type =
    stream !== undefined ? conversation.frames.contentType : isText ? 'text/plain' : 'application/json'
  const content =
    stream === undefined ? (typeof body === 'string' ? body : JSON.stringify(body)) : toWebStream(stream)
  return new web.Response(content, { status, headers: { 'content-type': type, ...headers } })
}
