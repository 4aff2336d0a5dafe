/** The gateway behind `node:http`: the fast adapter. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Gateway } from '../create-gateway.ts'
import { bodyTooLarge, clientGone, GatewayError } from '../errors.ts'
import { Abort } from './abort.ts'
import { asBuffer, joinChunks } from './bytes.ts'
import type { GatewayRequest, HeaderMap, Sink } from './contract.ts'

export interface ServerLimits {
  /** All headers of a request together, in bytes. */
  readonly headerBytes?: number
  readonly connections?: number
  /** How long a client may take to send its headers, and its whole request. */
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
}

/** How long a client that sent an invalid request may keep the connection after the refusal. */
const lingerMs = 1_000

export function createNodeServer(gateway: Gateway, limits: ServerLimits = {}): Server {
  const connections = new WeakMap<Duplex, Connection>()
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes ?? 32 * 1024,
      headersTimeout: limits.headersTimeoutMs ?? 20_000,
      requestTimeout: limits.requestTimeoutMs ?? 120_000,
      keepAliveTimeout: 65_000,
      // A body both chunked and measured is how requests are smuggled.
      insecureHTTPParser: false,
      noDelay: true,
    },
    (incoming, outgoing) => {
      const connection = connections.get(incoming.socket)
      if (connection !== undefined) connection.last = outgoing
      // `handle` reports every failure to the client itself.
      void gateway.handle(requestOf(incoming, outgoing), new NodeSink(outgoing))
    },
  )
  server.on('connection', socket => connections.set(socket, { last: undefined }))
  server.maxConnections = limits.connections ?? 10_000
  server.on('clientError', (error, socket) => {
    if (!socket.writable || !canAnswer(socket, connections.get(socket)?.last)) {
      socket.destroy()
      return
    }
    const { status, text, failure } = refusalOf(error)
    const body = JSON.stringify(gateway.errorBody(failure, targetOf(error)))
    socket.end(
      `HTTP/1.1 ${status} ${text}\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
    // Closed at once, the connection could be reset before the client has read why.
    const cut = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(cut))
  })
  return server
}

interface Connection {
  /** The answer to its last request. */
  last: ServerResponse | undefined
}

/** Nothing can be written in the middle of an answer to an earlier request. */
function canAnswer(socket: Duplex, last: ServerResponse | undefined): boolean {
  return last === undefined || last.writableFinished || (last.socket === socket && !last.headersSent)
}

/** The fields that Node's parser adds to an error. */
interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
}

interface Refusal {
  readonly status: number
  readonly text: string
  readonly failure: GatewayError
}

function refusalOf({ code }: ParserError): Refusal {
  const refusal = (status: number, text: string, message: string): Refusal => ({
    status,
    text,
    failure: new GatewayError('invalid_request', message, { status }),
  })
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return refusal(431, 'Request Header Fields Too Large', 'The headers are too long.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal(408, 'Request Timeout', 'The request took too long to arrive.')
    default:
      return refusal(400, 'Bad Request', 'This is not a valid HTTP request.')
  }
}

/** The path of a request that could not be parsed, if the last packet begins with it. */
function targetOf({ rawPacket }: ParserError): string {
  return /^[A-Z]+ (\/[!-~]{0,200})/.exec(rawPacket?.toString('latin1', 0, 250) ?? '')?.[1] ?? '/'
}

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): GatewayRequest {
  const gone = new Abort()
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort()
  })
  const { url = '/' } = incoming
  const { target, authority } = url.startsWith('/') ? { target: url, authority: undefined } : splitTarget(url)
  return {
    method: incoming.method ?? 'GET',
    target,
    headers: headersOf(incoming, authority),
    signal: gone,
    ownsBody: true,
    body: limit => readBody(incoming, limit),
  }
}

/** Proxies are sent the whole address, and any server must take it. */
function splitTarget(url: string): { readonly target: string; readonly authority?: string } {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (authority === undefined) return { target: url }
  return { target: rest.startsWith('/') ? rest : `/${rest}`, authority }
}

/** Node joins repeated headers, but of several hosts it takes the first. Others may take another, so all are shown. */
function headersOf(incoming: IncomingMessage, authority: string | undefined): GatewayRequest['headers'] {
  const { rawHeaders } = incoming
  // Arrays are made only of `set-cookie`, which no client sends.
  const headers = incoming.headers as Record<string, string | undefined>
  const hosts: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '')
  }
  if (authority !== undefined && authority.toLowerCase() !== hosts[0]?.toLowerCase()) hosts.push(authority)
  const host = hosts.length === 0 ? undefined : hosts.join(', ')
  return host === headers.host ? headers : { ...headers, host }
}

function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length > limit) tooLarge()
      else chunks.push(chunk)
    }
    const tooLarge = (): void => {
      incoming.off('data', onData)
      // The rest is read and discarded, so that the client gets to read the answer.
      incoming.resume()
      reject(bodyTooLarge(limit))
    }
    if (Number(incoming.headers['content-length'] ?? 0) > limit) return tooLarge()
    incoming.on('data', onData)
    incoming.on('end', () => resolve(joinChunks(chunks)))
    incoming.on('error', () => reject(clientGone()))
  })
}

/** A long answer is written in pieces, so that it shows whether the client reads any of it. */
const pieceBytes = 256 * 1024

class NodeSink implements Sink {
  readonly #outgoing: ServerResponse
  /** How much of a long answer has not been written yet. */
  #rest = 0

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing
  }

  get #isOver(): boolean {
    return this.#outgoing.destroyed || this.#outgoing.writableEnded
  }

  head(status: number, headers: HeaderMap): void {
    // Held back until the first bytes of the body, so that both go out in one packet.
    if (!this.#outgoing.headersSent && !this.#isOver) this.#outgoing.writeHead(status, headers)
  }

  write(chunk: string | Uint8Array): boolean {
    return this.#isOver || this.#outgoing.write(chunk)
  }

  end(chunk?: string | Uint8Array): void {
    if (this.#isOver) return
    if (chunk === undefined) this.#outgoing.end()
    else if (chunk.length <= pieceBytes) this.#outgoing.end(chunk)
    else this.#endInPieces(typeof chunk === 'string' ? Buffer.from(chunk) : asBuffer(chunk))
  }

  onDrain(callback: () => void): void {
    // After `end()` only the close of the connection counts as a drain.
    this.#outgoing.once(this.#rest > 0 || this.#outgoing.writableEnded ? 'close' : 'drain', callback)
  }

  get waiting(): number {
    return this.#outgoing.destroyed ? 0 : this.#rest + this.#outgoing.writableLength
  }

  cut(): void {
    this.#outgoing.destroy()
  }

  #endInPieces(bytes: Buffer): void {
    this.#rest = bytes.length
    const writeMore = (): void => {
      while (this.#rest > pieceBytes) {
        const at = bytes.length - this.#rest
        this.#rest -= pieceBytes
        if (!this.#outgoing.write(bytes.subarray(at, at + pieceBytes))) {
          this.#outgoing.once('drain', writeMore)
          return
        }
      }
      this.#outgoing.end(bytes.subarray(bytes.length - this.#rest))
      this.#rest = 0
    }
    writeMore()
  }
}
