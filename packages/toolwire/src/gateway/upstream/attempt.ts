/** One attempt at an upstream: sends the request and waits for the head of its answer. */
import type { SignalLike } from '@toolwire/core'
import type { Clock } from '../../platform/clock.ts'
import type { UpstreamAttempt } from '../../telemetry/observer.ts'
import { GatewayError } from '../errors.ts'
import { abortReason } from '../http/abort.ts'
import type { Flow, Receiver, Transport, UpstreamRequest } from '../http/contract.ts'

export interface BodyReader extends Pick<Receiver, 'data' | 'end'> {
  fail(error: Error): void
}

export interface UpstreamAnswer extends Flow {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Set where the body may repeat keys: whoever reads it passes on what this leaves of it. */
  readonly mask?: BodyMask
  /** Delivers the body from its beginning, as it comes. Called once. */
  read(reader: BodyReader): void
}

/** Takes keys out of a body. */
export interface BodyMask {
  /** What may be passed on of chunks that have come together: the same list, where there is nothing to take out. */
  take(chunks: readonly Uint8Array[]): readonly Uint8Array[]
  /** At the end of the body: what was held because a key might have begun with it. */
  rest(): Uint8Array | undefined
}

export interface AttemptOptions {
  readonly transport: Transport
  readonly request: UpstreamRequest
  readonly firstByteMs: number
  readonly clock: Clock
  readonly signal: SignalLike
  /** Named in errors. */
  readonly name: string
  /** Gets the times, and how it went, for those who look at traces. */
  readonly noted?: UpstreamAttempt | undefined
}

/** Rejects with a `GatewayError` when there is no answer at all. */
export function openAnswer(options: AttemptOptions): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => new Attempt(options, resolve, reject).start())
}

/**
 * The transport's receiver and, once there is a head, the answer itself. Transports may pass its functions on as values,
 * so they are bound to the object.
 */
class Attempt implements Receiver, UpstreamAnswer {
  status = 0
  headers: UpstreamAnswer['headers'] = {}
  readonly #options: AttemptOptions
  readonly #resolve: (answer: UpstreamAnswer) => void
  readonly #reject: (error: GatewayError) => void
  #flow: Flow | undefined
  #isSettled = false
  #cancelTimer: (() => void) | undefined
  #reader: BodyReader | undefined
  /** What arrives between the head and `read`; rarely more than the first packet. */
  #early: ((reader: BodyReader) => void)[] | undefined

  constructor(
    options: AttemptOptions,
    resolve: (answer: UpstreamAnswer) => void,
    reject: (error: GatewayError) => void,
  ) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
  }

  start(): void {
    const { transport, request, firstByteMs, clock, signal } = this.#options
    if (signal.aborted) {
      this.#onAbort()
      return
    }
    this.#flow = transport(request, this)
    // The transport may have failed synchronously.
    if (this.#isSettled) return
    signal.addEventListener('abort', this.#onAbort)
    if (firstByteMs > 0) this.#cancelTimer = clock.after(firstByteMs, this.#onSilence)
  }

  readonly connected = (): void => {
    const { noted, clock } = this.#options
    if (noted !== undefined) noted.connectedAt = clock.now()
  }

  readonly head: Receiver['head'] = (status, headers) => {
    this.status = status
    this.headers = headers
    const { noted } = this.#options
    if (noted !== undefined) noted.status = status
    this.#settle()
    this.#resolve(this)
  }

  readonly data: Receiver['data'] = chunk => {
    if (this.#reader === undefined) this.#keep(reader => reader.data(chunk))
    else this.#reader.data(chunk)
  }

  readonly end: Receiver['end'] = () => {
    if (this.#reader === undefined) this.#keep(reader => reader.end())
    else this.#reader.end()
  }

  readonly fail: Receiver['fail'] = (error, isSent) => {
    if (this.#reader !== undefined) this.#reader.fail(error)
    else if (this.#isSettled) this.#keep(reader => reader.fail(error))
    else {
      const { name, request } = this.#options
      this.#settle()
      this.#refuse(notAnswered(error, isSent ?? !isOfConnecting(error), name, request))
    }
  }

  read(reader: BodyReader): void {
    const early = this.#early ?? []
    this.#reader = reader
    this.#early = undefined
    for (const step of early) step(reader)
  }

  pause(): void {
    this.#flow?.pause()
  }

  resume(): void {
    this.#flow?.resume()
  }

  abort(): void {
    this.#flow?.abort()
  }

  #keep(step: (reader: BodyReader) => void): void {
    this.#early ??= []
    this.#early.push(step)
  }

  #settle(): void {
    this.#isSettled = true
    this.#cancelTimer?.()
    const { signal, noted, clock } = this.#options
    signal.removeEventListener('abort', this.#onAbort)
    if (noted !== undefined) noted.endedAt = clock.now()
  }

  #refuse(error: GatewayError): void {
    const { noted } = this.#options
    if (noted !== undefined) noted.failure = error.code ?? error.kind
    this.#reject(error)
  }

  #giveUp(error: GatewayError): void {
    this.#settle()
    this.abort()
    this.#refuse(error)
  }

  readonly #onAbort = (): void => this.#giveUp(abortReason(this.#options.signal))

  readonly #onSilence = (): void => {
    const { name, firstByteMs, request } = this.#options
    const target = `${request.method} ${withoutQuery(request.url)}`
    this.#giveUp(
      new GatewayError(
        'timeout',
        `Upstream "${name}" did not begin to answer within ${firstByteMs} ms (${target}).`,
        { code: 'upstream_first_byte_timeout', status: 504 },
      ),
    )
  }
}

/** After these nothing was sent: no address, no connection, or none that is trusted. */
const connecting: ReadonlySet<string> = new Set([
  'ConnectionRefused',
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'FailedToOpenSocket',
  'UND_ERR_CONNECT_TIMEOUT',
])
const connectingFamily = /^(?:CERT|EAI|ERR_TLS|UNABLE_TO)_|_CERT/

export function isOfConnecting(error: Error): boolean {
  const codes = [codeOf(error), codeOf(error.cause)]
  return codes.some(code => code !== undefined && (connecting.has(code) || connectingFamily.test(code)))
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Whether the request was sent decides whether another upstream may be asked: a model may be working on it. */
function notAnswered(
  error: Error,
  isSent: boolean,
  name: string,
  { method, url }: UpstreamRequest,
): GatewayError {
  const code = codeOf(error)
  const reason =
    code !== undefined && !error.message.includes(code) ? `${code}: ${error.message}` : error.message
  const why = `(${method} ${withoutQuery(url)}): ${(reason || error.name).replace(/\.$/, '')}.`
  if (isSent) {
    return new GatewayError(
      'server',
      `Upstream "${name}" closed the connection before it began to answer ${why}`,
      {
        code: 'upstream_reset',
        status: 502,
      },
    )
  }
  const timedOut = code === 'UND_ERR_CONNECT_TIMEOUT'
  return new GatewayError(timedOut ? 'timeout' : 'server', `Upstream "${name}" could not be reached ${why}`, {
    code: timedOut ? 'upstream_connect_timeout' : 'upstream_unreachable',
    status: timedOut ? 504 : 502,
  })
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
