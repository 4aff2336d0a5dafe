/** The sockets of a gateway: opening one, and ending them all. */
import type { RequestContext } from '../context.ts'
import { GatewayError, shuttingDown } from '../errors.ts'
import type { GatewayRequest, Sink } from '../http/contract.ts'
import type { SocketMode } from '../settings.ts'
import { SocketSession } from './session.ts'

type Handle = (request: GatewayRequest, sink: Sink) => Promise<void>

/** All pieces of a message are put together at once: a longer one would hold the event loop for more than 50 ms. */
const longestMessage = 32 * 1024 * 1024

export class Sockets {
  readonly #mode: SocketMode
  readonly #handle: Handle
  readonly #sessions = new Set<SocketSession>()

  constructor(mode: SocketMode, handle: Handle) {
    this.#mode = mode
    this.#handle = handle
  }

  get size(): number {
    return this.#sessions.size
  }

  async open(context: RequestContext): Promise<void> {
    const { gateway, request, headers, observation } = context
    if (gateway.draining()) throw shuttingDown()
    if (this.#mode === 'off' || request.upgrade === undefined) throw upgradeRequired(this.#mode)
    const session = new SocketSession(context, this.#handle, ended => this.#sessions.delete(ended))
    this.#sessions.add(session)
    try {
      await request.upgrade({
        headers: { 'x-request-id': headers['x-request-id'] ?? '' },
        messageBytes: Math.min(gateway.limits.bodyBytes, longestMessage),
        compresses: this.#mode === 'compressed',
        listener: session,
      })
    } catch (error) {
      session.closed()
      throw error
    }
    observation.facts.status = 101
  }

  /** Each is closed when its answers have ended. */
  retire(): void {
    for (const session of this.#sessions) session.retire(shuttingDown())
  }

  cut(): void {
    for (const session of this.#sessions) session.cut()
  }
}

/** For paths that take requests and no sockets. */
export function noSocketHere(): GatewayError {
  const message = 'There are no WebSockets at this path. Send the request with POST.'
  return new GatewayError('invalid_request', message, { code: 'upgrade_required', status: 426 })
}

function upgradeRequired(mode: SocketMode): GatewayError {
  return new GatewayError(
    'invalid_request',
    mode === 'off'
      ? 'This gateway has no WebSockets. Send POST /v1/responses with "stream": true.'
      : 'This path is for WebSockets. Connect to it as one, or send POST /v1/responses.',
    {
      code: 'upgrade_required',
      status: 426,
      headers: mode === 'off' ? {} : { upgrade: 'websocket', connection: 'upgrade' },
    },
  )
}
