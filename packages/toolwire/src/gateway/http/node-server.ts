/** The gateway behind `node:http`: the fast adapter. */
import type { Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { type KnownOptions, refuseUnknownOptions } from '@toolwire/core/json'
import type { Gateway } from '../create-gateway.ts'
import { GatewayError } from '../errors.ts'
import type { ConnectionLimits } from '../settings.ts'
import { defaultConnections } from '../settings.ts'
import { Connections } from './connections.ts'
import { requestOf } from './node-request.ts'
import { NodeSink } from './node-sink.ts'
import { createUpgrade } from './node-upgrade.ts'

/** Limits of connections and headers of a Node server. */
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

/** Makes a server of `node:http` from a gateway; `listen` opens its port. */
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
      outgoing.on('close', () => connections.end(socket))
      // `handle` reports every failure to the client itself.
      void gateway.handle(requestOf(incoming, outgoing), new NodeSink(outgoing))
    },
  )
  server.on('connection', socket => connections.add(socket))
  server.on('upgrade', createUpgrade(gateway, server, connections))
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
