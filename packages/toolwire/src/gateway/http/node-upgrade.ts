/**
 * Requests that ask for another protocol. Those for a WebSocket are answered like any other, until the gateway opens the
 * socket; all others, such as those for HTTP/2, are answered as if they had not asked.
 */
import type { IncomingMessage, Server } from 'node:http'
import { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket, WebSocketServer } from 'ws'
import type { Gateway } from '../create-gateway.ts'
import { clientGone, GatewayError } from '../errors.ts'
import type { Connections } from './connections.ts'
import type { MessageSocket, UpgradeOptions } from './contract.ts'
import { FrameSplitter } from './frame-splitter.ts'
import { asksForWebSocket } from './headers.ts'
import { requestOf } from './node-request.ts'
import { NodeSink, pieceEnd } from './node-sink.ts'

type OnUpgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void

export function createUpgrade(gateway: Gateway, server: Server, connections: Connections): OnUpgrade {
  let sockets: Promise<WebSocketServer> | undefined
  return (incoming, duplex, head) => {
    // Behind `node:http` it always is one.
    const socket = duplex as Socket
    if (incoming.method !== 'GET' || !asksForWebSocket({ upgrade: incoming.headers.upgrade })) {
      return serveAsRequest(server, incoming, socket, head)
    }
    socket.on('error', () => socket.destroy())
    connections.begin(socket)
    const outgoing = new ServerResponse(incoming)
    outgoing.shouldKeepAlive = false
    outgoing.assignSocket(socket)
    outgoing.once('finish', () => {
      outgoing.detachSocket(socket)
      socket.end()
    })
    const upgrade = async (options: UpgradeOptions): Promise<void> => {
      // Loaded when it is first needed.
      sockets ??= import('ws').then(({ WebSocketServer }) => createWebSockets(WebSocketServer, options))
      const opener = await sockets
      outgoing.detachSocket(socket)
      await openSocket(opener, { incoming, socket, head, connections }, options).catch((error: unknown) => {
        if (!socket.destroyed) outgoing.assignSocket(socket)
        throw error
      })
    }
    void gateway.handle({ ...requestOf(incoming, outgoing), upgrade }, new NodeSink(outgoing))
  }
}

function createWebSockets(
  Sockets: typeof WebSocketServer,
  { messageBytes, compresses }: UpgradeOptions,
): WebSocketServer {
  return new Sockets({
    noServer: true,
    clientTracking: false,
    maxPayload: messageBytes,
    autoPong: false,
    perMessageDeflate: compresses,
  })
}

interface Asked {
  readonly incoming: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
  readonly connections: Connections
}

function openSocket(
  opener: WebSocketServer,
  { incoming, socket, head, connections }: Asked,
  { headers, listener, messageBytes }: UpgradeOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onHeaders = (lines: string[]): void => {
      for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    }
    const onRefused = (error: Error): void =>
      reject(
        new GatewayError(
          'invalid_request',
          `This is not a valid request for a WebSocket: ${error.message}.`,
          {
            code: 'invalid_upgrade',
            status: 400,
          },
        ),
      )
    // All of this happens before `handleUpgrade` returns.
    opener.once('headers', onHeaders)
    opener.once('wsClientError', onRefused)
    opener.handleUpgrade(incoming, socket, head, webSocket => {
      splitFrames(webSocket, socket, messageBytes)
      listen(webSocket, socket, listener, connections)
      resolve()
    })
    opener.off('headers', onHeaders)
    opener.off('wsClientError', onRefused)
    // Nothing happens if it was opened or refused.
    reject(clientGone())
  })
}

/** Between the socket and whoever reads its frames. */
function splitFrames(webSocket: WebSocket, socket: Socket, messageBytes: number): void {
  const readers = socket.listeners('data')
  const splitter = new FrameSplitter(messageBytes)
  socket.removeAllListeners('data')
  const onData = (chunk: Buffer): void => {
    for (const piece of splitter.take(chunk)) for (const read of readers) read.call(socket, piece)
  }
  socket.on('data', onData)
  // After that nothing is read any more.
  webSocket.once('error', () => socket.off('data', onData))
}

function listen(
  webSocket: WebSocket,
  socket: Socket,
  listener: UpgradeOptions['listener'],
  connections: Connections,
): void {
  connections.end(socket)
  socket.on('data', (chunk: Buffer) => listener.received(chunk.length))
  webSocket.on('message', (data: RawData, isBinary: boolean) => listener.message(lasting(data), isBinary))
  answerPings(webSocket, socket)
  webSocket.on('close', () => listener.closed())
  // It is closed after that.
  webSocket.on('error', () => {})
  listener.opened(new NodeMessageSocket(webSocket, socket, connections))
}

/** A short message may be a piece of much that was received with it, and a long one is in memory of its own. */
function lasting(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  if (data instanceof ArrayBuffer) return Buffer.from(data)
  return data.length > ownLength ? data : Buffer.from(data)
}

const ownLength = 128 * 1024

/** With so many bytes unread, pings wait. */
const mostUnread = 64 * 1024

/** A client that reads nothing gets the answer to its latest ping when it reads again; answers to all would pile up. */
function answerPings(webSocket: WebSocket, socket: Socket): void {
  let latest: Buffer | undefined
  const answer = (): void => {
    if (latest === undefined || socket.writableLength > mostUnread) return
    webSocket.pong(latest)
    latest = undefined
  }
  webSocket.on('ping', data => {
    latest = data
    answer()
  })
  socket.on('drain', answer)
}

class NodeMessageSocket implements MessageSocket {
  readonly #webSocket: WebSocket
  readonly #socket: Socket
  readonly #connections: Connections

  constructor(webSocket: WebSocket, socket: Socket, connections: Connections) {
    this.#webSocket = webSocket
    this.#socket = socket
    this.#connections = connections
  }

  /** A long message is sent in pieces, so that it shows whether the client reads any of it. */
  send(text: string, onSent: (length: number) => void): void {
    for (let at = 0; at < text.length; ) {
      const end = pieceEnd(text, at)
      const { length } = text.slice(at, end)
      this.#webSocket.send(text.slice(at, end), { fin: end === text.length }, () => onSent(length))
      at = end
    }
  }

  ping(): void {
    if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.ping()
  }

  pause(): void {
    this.#webSocket.pause()
  }

  resume(): void {
    this.#webSocket.resume()
  }

  setBusy(isBusy: boolean): void {
    if (isBusy) this.#connections.begin(this.#socket)
    else this.#connections.end(this.#socket)
  }

  close(code: number, reason: string): void {
    // A reason may have 123 bytes.
    this.#webSocket.close(code, reason.slice(0, 120))
  }

  cut(): void {
    this.#webSocket.terminate()
  }
}

/** Node has stopped reading requests from the connection, so it is given the request again without what it asked for. */
function serveAsRequest(server: Server, incoming: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method = 'GET', url = '/', rawHeaders } = incoming
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!/^(?:upgrade|connection|http2-settings)$/i.test(name))
      lines.push(`${name}: ${rawHeaders[at + 1] ?? ''}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', socket)
}
