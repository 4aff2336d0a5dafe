/** One attempt at an upstream: sends the request and waits for the head of its answer. */
import type { SignalLike } from '@toolwire/core'
import type { Clock } from '../../platform/clock.ts'
import { GatewayError } from '../errors.ts'
import { abortReason } from '../http/abort.ts'
import type { Flow, Receiver, Transport, UpstreamRequest } from '../http/contract.ts'

export type BodyReader = Pick<Receiver, 'data' | 'end' | 'fail'>

export interface UpstreamAnswer extends Flow {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Delivers the body from its beginning. Called once. */
  read(reader: BodyReader): void
}

export interface AttemptOptions {
  readonly transport: Transport
  readonly request: UpstreamRequest
  readonly firstByteMs: number
  readonly clock: Clock
  readonly signal: SignalLike
  /** Named in errors. */
  readonly name: string
}

/** Rejects with a `GatewayError` when there is no answer at all. */
export function openAnswer(options: AttemptOptions): Promise<UpstreamAnswer> {
  const { signal } = options
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(abortReason(signal))
    else new Attempt(options, resolve, reject).start()
  })
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
    this.#flow = transport(request, this)
    // The transport may have failed synchronously.
    if (this.#isSettled) return
    signal.addEventListener('abort', this.#onAbort)
    if (firstByteMs > 0) this.#cancelTimer = clock.after(firstByteMs, this.#onSilence)
  }

  readonly head: Receiver['head'] = (status, headers) => {
    this.status = status
    this.headers = headers
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

  readonly fail: Receiver['fail'] = error => {
    if (this.#reader !== undefined) this.#reader.fail(error)
    else if (this.#isSettled) this.#keep(reader => reader.fail(error))
    else {
      const { name, request } = this.#options
      this.#settle()
      this.#reject(unreachable(error, name, request))
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
    this.#options.signal.removeEventListener('abort', this.#onAbort)
  }

  #giveUp(error: GatewayError): void {
    this.#settle()
    this.abort()
    this.#reject(error)
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

function unreachable(error: Error, name: string, { method, url }: UpstreamRequest): GatewayError {
  const code = (error as { code?: unknown }).code
  const reason =
    typeof code === 'string' && !error.message.includes(code) ? `${code}: ${error.message}` : error.message
  const timedOut = code === 'UND_ERR_CONNECT_TIMEOUT'
  return new GatewayError(
    timedOut ? 'timeout' : 'server',
    `Upstream "${name}" could not be reached (${method} ${withoutQuery(url)}): ${(reason || error.name).replace(/\.$/, '')}.`,
    { code: timedOut ? 'upstream_connect_timeout' : 'upstream_unreachable', status: timedOut ? 504 : 502 },
  )
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
