/** Both HTTP adapters of a gateway behind one interface, and raw sockets for requests that no client library sends. */
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createFetchHandler } from '../../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import type { ServerLimits } from '../../../packages/toolwire/src/gateway/http/node-server.ts'
import { createNodeServer } from '../../../packages/toolwire/src/gateway/http/node-server.ts'
import { close, listen } from '../gateway/upstream.ts'

export interface Adapter {
  request(target: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

export interface NodeAdapter extends Adapter {
  readonly port: number
  readonly server: Server
}

export async function openNodeAdapter(gateway: Gateway, limits: ServerLimits = {}): Promise<NodeAdapter> {
  const server = createNodeServer(gateway, limits)
  const origin = await listen(server)
  return {
    port: Number(new URL(origin).port),
    server,
    request: (target, init) => fetch(`${origin}${target}`, init),
    close: () => close(server),
  }
}

export async function openFetchAdapter(gateway: Gateway): Promise<Adapter> {
  const handler = createFetchHandler(gateway)
  return {
    request: (target, init) => handler(new Request(`http://localhost${target}`, init)),
    close: async () => {},
  }
}

export const adapters: readonly (readonly [name: string, open: (gateway: Gateway) => Promise<Adapter>])[] = [
  ['a server of node:http', openNodeAdapter],
  ['a fetch handler', openFetchAdapter],
]

export interface UpstreamServer {
  readonly baseUrl: string
  close(): Promise<void>
}

/** An upstream on a real socket. */
export async function startUpstream(listener: RequestListener): Promise<UpstreamServer> {
  const server = createServer(listener)
  return { baseUrl: `${await listen(server)}/v1`, close: () => close(server) }
}

export const jsonPost = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket))
    socket.once('error', reject)
  })
}

export interface RawAnswer {
  readonly status: number
  readonly headers: string
  readonly body: string
}

/** Sends a text as it is and reads until the server closes the connection. */
export async function sendRaw(port: number, text: string): Promise<RawAnswer[]> {
  const socket = await openSocket(port)
  const chunks: Buffer[] = []
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  // A server that refuses a request may close the connection during the write.
  socket.on('error', () => {})
  socket.on('data', chunk => chunks.push(chunk))
  socket.write(text, 'latin1')
  await closed
  return answersIn(Buffer.concat(chunks).toString('utf8'))
}

function answersIn(text: string): RawAnswer[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter(part => part !== '')
    .map(part => {
      const [headers = '', ...rest] = part.split('\r\n\r\n')
      return {
        status: Number(headers.split(' ')[1]),
        headers: headers.toLowerCase(),
        body: rest.join('\r\n\r\n'),
      }
    })
}

/** An HTTP/1.1 request after which the server closes the connection. */
export function rawRequest(line: string, headers: readonly string[] = [], body = ''): string {
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  return [line, ...headers, ...length, 'connection: close', '', body].join('\r\n')
}
