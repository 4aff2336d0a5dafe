/** One attempt at an upstream: sends the request and waits for the head of its answer. */
import type { SignalLike } from '@toolwire/core'
import type { Clock } from '../clock.ts'
import type { Flow, Receiver, Transport, UpstreamRequest } from '../contract.ts'
import { GatewayError } from '../gateway-error.ts'
import { reasonOf } from './read-body.ts'

type BodyReader = Pick<Receiver, 'data' | 'end' | 'fail'>

export interface UpstreamAnswer extends Flow {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Gives the body from its beginning. Called once. */
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
  const { transport, request, firstByteMs, clock, signal, name } = options
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(reasonOf(signal))
    // What arrives between the head and `read` waits here; it is rarely more than the first packet.
    let reader: BodyReader | undefined
    const early: ((reader: BodyReader) => void)[] = []
    const give = (step: (reader: BodyReader) => void): void => {
      if (reader === undefined) early.push(step)
      else step(reader)
    }
    let headSeen = false
    let settled = false
    let cancelTimer = (): void => {}
    const settle = (): void => {
      settled = true
      cancelTimer()
      signal.removeEventListener('abort', onAbort)
    }
    const fail = (error: GatewayError): void => {
      settle()
      flow.abort()
      reject(error)
    }
    const onAbort = (): void => fail(reasonOf(signal))

    const flow = transport(request, {
      head(status, headers) {
        headSeen = true
        settle()
        resolve({
          status,
          headers,
          read(given) {
            reader = given
            for (const step of early.splice(0)) step(given)
          },
          pause: () => flow.pause(),
          resume: () => flow.resume(),
          abort: () => flow.abort(),
        })
      },
      data: chunk => give(given => given.data(chunk)),
      end: () => give(given => given.end()),
      fail(error) {
        if (headSeen) return give(given => given.fail(error))
        settle()
        reject(unreachable(error, name, request))
      },
    })
    // A transport may know at once.
    if (settled) return
    signal.addEventListener('abort', onAbort)
    if (firstByteMs <= 0) return
    cancelTimer = clock.after(firstByteMs, () =>
      fail(
        new GatewayError(
          'timeout',
          `Upstream "${name}" did not begin to answer within ${firstByteMs} ms (${request.method} ${withoutQuery(request.url)}).`,
          { code: 'upstream_first_byte_timeout', status: 504 },
        ),
      ),
    )
  })
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
