/**
 * The edges of the gateway. A server adapter passes in a request and a sink, a transport carries bytes to an upstream and
 * back, and the gateway in between knows neither sockets nor frameworks.
 */

import type { SignalLike } from '@toolwire/core'
import type { KeptResponses } from '../sockets/kept-responses.ts'

export type HeaderMap = Readonly<Record<string, string>>

/** A request as any HTTP server can hand it over. */
export interface GatewayRequest {
  readonly method: string
  /** Path and query as the client sent them. */
  readonly target: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Aborts when the client is gone, or with a `GatewayError` as the reason for which the client no longer wants it. */
  readonly signal: SignalLike
  /** The bytes of the body belong to the gateway alone: a worker thread may take them over. */
  readonly ownsBody?: boolean
  /**
   * The complete body. Rejects with a `GatewayError` when it is longer than `limit` bytes. `reserve` is called before
   * bytes are kept, with how many more there are to be, and throws when there is no memory for them.
   */
  body(limit: number, reserve: (bytes: number) => void): Promise<Uint8Array>
  /** The body as it comes, instead of the complete one; absent where there is none. The client waits while nobody asks for more. */
  readonly chunks?: (() => AsyncIterable<Uint8Array>) | undefined
  /** Set where the client asks for a WebSocket and the server can open one. Rejects with a `GatewayError`. */
  readonly upgrade?: (options: UpgradeOptions) => Promise<void>
  /** The lane of a WebSocket that it came on, where that has a name: unique among all sockets. */
  readonly lane?: string
  /** What the connection remembers, for requests on a WebSocket. */
  readonly kept?: KeptResponses
  /** The model is to write nothing: the answer is only there to be continued. */
  readonly isWarmUp?: boolean
}

export interface UpgradeOptions {
  readonly headers: HeaderMap
  /** A longer message closes the socket. */
  readonly messageBytes: number
  readonly compresses: boolean
  readonly listener: MessageListener
}

/** A WebSocket that is open. */
export interface MessageSocket {
  /** Calls back, for each part of it, when the client has been given so many characters, or will never be. */
  send(text: string, onSent: (length: number) => void): void
  ping(): void
  /** Stops and goes on reading. */
  pause(): void
  resume(): void
  /** Whether answers are under way on it: one that is idle may be closed for others. */
  setBusy(isBusy: boolean): void
  close(code: number, reason: string): void
  cut(): void
}

export interface MessageListener {
  /** Called once, before anything else. */
  opened(socket: MessageSocket): void
  /** So many bytes have arrived, of whatever. */
  received(bytes: number): void
  message(data: Uint8Array, isBinary: boolean): void
  /** Called once, however it ended. */
  closed(): void
}

/** Where a gateway writes its answer. */
export interface Sink {
  head(status: number, headers: HeaderMap): void
  /** `false`: the client is slow; wait for `onDrain` before writing more. */
  write(chunk: string | Uint8Array): boolean
  end(chunk?: string | Uint8Array): void
  /** Calls back once, when the client has read what was written; after `end`, when it has read everything. */
  onDrain(callback: () => void): void
  /** How much of what was written the client has not read yet, where the server knows. */
  readonly waiting?: number
  /** Cuts the connection, where the server can. What the client has not read is lost. */
  cut?(): void
}

/** A request to an upstream, ready to be sent. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH'
  readonly url: string
  readonly headers: HeaderMap
  readonly body: string | Uint8Array
  /** In place of the body, where it passes as it comes. If the chunks end with an error, the request fails. */
  readonly chunks?: AsyncIterable<Uint8Array> | undefined
  /** How long connecting may take. */
  readonly connectMs: number
}

/** Called in this order: `connected` once, by transports that know; `head` once, `data` any number of times, then `end` or `fail` once. `fail` may come first. */
export interface Receiver {
  connected?(): void
  head(status: number, headers: Readonly<Record<string, string>>): void
  data(chunk: Uint8Array): void
  end(): void
  /** `isSent`: the upstream may have got the request. Where a transport does not know, the error's code tells. */
  fail(error: Error, isSent?: boolean): void
}

/** What a transport returns: the hold on an answer that is under way. */
export interface Flow {
  pause(): void
  resume(): void
  /** Nothing is called back afterwards. */
  abort(): void
}

/** Sends a request to an upstream and calls back with its answer, piece by piece. */
export type Transport = (request: UpstreamRequest, receiver: Receiver) => Flow
