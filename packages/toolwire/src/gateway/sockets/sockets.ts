/** The sockets of a gateway: opening one, and ending them all. */
import type { RequestContext } from '../context.ts'
import { GatewayError, shuttingDown } from '../errors.ts'
import type { GatewayRequest, Sink } from '../http/contract.ts'
import type { SocketMode } from '../settings.ts'
import { SocketSession } from './session.ts'

export interface Sockets {
  readonly size: number
  open(context: RequestContext): Promise<void>
  /** Each is closed when its answers have ended. */
  retire(): void
  cut(): void
}

export function createSockets(
  mode: SocketMode,
  handle: (request: GatewayRequest, sink: Sink) => Promise<void>,
): Sockets {
  const sessions = new Set<SocketSession>()
  return {
    get size() {
      return sessions.size
    },
    async open(context) {
      const { gateway, request, headers, observation } = context
      if (gateway.draining()) throw shuttingDown()
      if (mode === 'off' || request.upgrade === undefined) throw upgradeRequired(mode)
      const session = new SocketSession(context, handle, ended => sessions.delete(ended))
      sessions.add(session)
      try {
        await request.upgrade({
          headers: { 'x-request-id': headers['x-request-id'] ?? '' },
          messageBytes: gateway.limits.bodyBytes,
          compresses: mode === 'compressed',
          listener: session,
        })
      } catch (error) {
        session.closed()
        throw error
      }
      observation.facts.status = 101
    },
    retire() {
      for (const session of sessions) session.retire(shuttingDown())
    },
    cut() {
      for (const session of sessions) session.cut()
    },
  }
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
