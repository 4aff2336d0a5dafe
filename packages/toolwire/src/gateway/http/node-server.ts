/** The gateway behind `node:http`: the fast adapter. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { type KnownOptions, refuseUnknownOptions } from '@toolwire/core/json'
import type { Gateway } from '../create-gateway.ts'
import { bodyTooLarge, clientGone, GatewayError } from '../errors.ts'
import type { ConnectionLimits } from '../settings.ts'
import { defaultConnections } from '../settings.ts'
import { Abort } from './abort.ts'
import { asBuffer, joinChunks } from './bytes.ts'
import { Connections } from './connections.ts'
import type { GatewayRequest, HeaderMap, Sink } from './contract.ts'

export interface ServerLimits extends Partial<ConnectionLimits> {
  /** All headers of a request together, in bytes. */
  readonly headerBytes?: number
  /** How long a client may take to send its headers, and its whole request. */
  readonly headersTimeoutMs?: number
  readonly requestTimeoutMs?: number
}

/** How long a client that sent an invalid request may keep the connection after the refusal. */
const lingerMs = 1_000

const known: KnownOptions<ServerLimits> = {
  connections: true,
  addressConnections: true,
  headerBytes: true,
  headersTimeoutMs: true,
  requestTimeoutMs: true,
}

export function createNodeServer(gateway: Gateway, limits: ServerLimits = {}): Server {
  refuseUnknownOptions('createNodeServer', limits, known)
  const connections = new Connections({ ...defaultConnections, ...definedOnly(limits) })
  /** The answer to the last request of each connection. */
  const lastAnswers = new WeakMap<Duplex, ServerResponse>()
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
      const { socket } = incoming
      lastAnswers.set(socket, outgoing)
      connections.begin(socket)
      outgoing.once('close', () => connections.end(socket))
      // `handle` reports every failure to the client itself.
      void gateway.handle(requestOf(incoming, outgoing), new NodeSink(outgoing))
    },
  )
  server.on('connection', socket => connections.add(socket))
  server.on('clientError', (error, socket) => {
    if (!socket.writable || !canAnswer(socket, lastAnswers.get(socket))) {
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

function definedOnly({ connections, addressConnections }: ServerLimits): Partial<ConnectionLimits> {
  return {
    ...(connections !== undefined && { connections }),
    ...(addressConnections !== undefined && { addressConnections }),
  }
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
    body: (limit, reserve) => readBody(incoming, limit, reserve),
  }
}

/** Proxies are sent the whole address, and any server must take it. */
function splitTarget(url: string): { readonly target: string; readonly authority?: string } {
  const [start = '', authority] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  if (authority === undefined) return { target: url }
  const rest = url.slice(start.length)
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

function readBody(
  incoming: IncomingMessage,
  limit: number,
  reserve: (bytes: number) => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    let reserved = 0
    const refuse = (error: unknown): void => {
      incoming.off('data', onData)
      // The rest is read and discarded, so that the client gets to read the answer.
      incoming.resume()
      reject(error)
    }
    const grow = (total: number): boolean => {
      try {
        if (total > limit) throw bodyTooLarge(limit)
        if (total > reserved) reserve(total - reserved)
        reserved = Math.max(reserved, total)
        return true
      } catch (error) {
        refuse(error)
        return false
      }
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (grow(length)) chunks.push(chunk)
    }
    // The parser has checked that it is a number.
    if (!grow(Number(incoming.headers['content-length'] ?? 0))) return
    incoming.on('data', onData)
    incoming.on('end', () => resolve(joinChunks(chunks)))
    incoming.on('error', () => reject(clientGone()))
  })
}

/**
 * Long texts are written in pieces, so that little of them waits in the socket's own buffers, where it would be there a
 * second time, and so that it shows whether the client reads any of it.
 */
const pieceLength = 256 * 1024

class NodeSink implements Sink {
  readonly #outgoing: ServerResponse
  /** What has not been given to the socket yet. */
  readonly #rest: (string | Buffer)[] = []
  /** How much of the first of these has been. */
  #at = 0
  #isEnding = false

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing
  }

  get #isOver(): boolean {
    return this.#isEnding || this.#outgoing.destroyed || this.#outgoing.writableEnded
  }

  head(status: number, headers: HeaderMap): void {
    // Held back until the first bytes of the body, so that both go out in one packet.
    if (!this.#outgoing.headersSent && !this.#isOver) this.#outgoing.writeHead(status, headers)
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#isOver) return true
    if (this.#rest.length === 0 && chunk.length <= pieceLength) return this.#outgoing.write(chunk)
    this.#add(chunk)
    return this.#rest.length === 0 && !this.#outgoing.writableNeedDrain
  }

  end(chunk?: string | Uint8Array): void {
    if (this.#isOver) return
    this.#isEnding = true
    if (this.#rest.length === 0 && (chunk === undefined || chunk.length <= pieceLength)) {
      this.#outgoing.end(chunk)
    } else this.#add(chunk ?? '')
  }

  onDrain(callback: () => void): void {
    const outgoing = this.#outgoing
    // After `end()` only the close of the connection counts as a drain.
    if (this.#isEnding) outgoing.once('close', callback)
    else outgoing.once('drain', () => (this.#rest.length > 0 ? this.onDrain(callback) : callback()))
  }

  get waiting(): number {
    if (this.#outgoing.destroyed) return 0
    const rest = this.#rest.reduce((sum, { length }) => sum + length, -this.#at)
    return rest + this.#outgoing.writableLength
  }

  cut(): void {
    this.#outgoing.destroy()
  }

  #add(chunk: string | Uint8Array): void {
    this.#rest.push(typeof chunk === 'string' ? chunk : asBuffer(chunk))
    if (this.#rest.length === 1) this.#writeRest()
  }

  readonly #writeRest = (): void => {
    const outgoing = this.#outgoing
    for (let [chunk] = this.#rest; chunk !== undefined; [chunk] = this.#rest) {
      if (outgoing.writableNeedDrain) {
        outgoing.once('drain', this.#writeRest)
        return
      }
      const end = pieceEnd(chunk, this.#at)
      if (end > this.#at) outgoing.write(piece(chunk, this.#at, end))
      this.#at = end
      if (end < chunk.length) continue
      this.#rest.shift()
      this.#at = 0
    }
    if (this.#isEnding) outgoing.end()
  }
}

/** Does not separate the halves of a surrogate pair, which would then be written as two wrong characters. */
function pieceEnd(chunk: string | Buffer, start: number): number {
  const end = Math.min(start + pieceLength, chunk.length)
  if (typeof chunk !== 'string' || end === chunk.length) return end
  return (chunk.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end
}

function piece(chunk: string | Buffer, start: number, end: number): string | Buffer {
  return typeof chunk === 'string' ? chunk.slice(start, end) : chunk.subarray(start, end)
}
