/** The gateway: one `handle` for every request, whichever server it came through. */
import { checkOptions } from './check-options.ts'
import { errorBody, type GatewayError, shuttingDown } from './errors.ts'
import { handleRequest, RunningRequests } from './handle-request.ts'
import type { GatewayRequest, Sink, Transport } from './http/contract.ts'
import { type ChangeableOptions, contextOf, createFixed } from './make-context.ts'
import { type Readiness, readinessOf } from './routes/system.ts'
import type { GatewayOptions } from './settings.ts'
import { Sockets } from './sockets/sockets.ts'
import type { UndiciTransport } from './upstream/undici-transport.ts'

/** A gateway: it answers requests, can be given new settings, and is closed once. */
export interface Gateway {
  /** Answers one request. Never rejects. */
  handle(request: GatewayRequest, sink: Sink): Promise<void>
  /** How many requests are being answered, and responses worked on in the background. */
  readonly active: number
  /** How many WebSockets are open. */
  readonly sockets: number
  /** How many bytes of the memory for everything in flight are taken. */
  readonly memoryUsed: number
  /** Whether requests should be sent here now. */
  readiness(): Promise<Readiness>
  /** Refuses new exchanges, waits for those under way, and ends them with an error after `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>
  /** From now on requests get these settings; those under way keep the ones they began with. Throws on mistakes. */
  update(changed: ChangeableOptions): void
  /** For a link that signs in to the inspector once, for whoever has this key. */
  signInCode(key: string): string | undefined
  /** Frees the gateway's resources. The store is not closed. */
  close(): Promise<void>
  /** The body of an error in the format that fits the path, for a server that has to refuse what is not a request. */
  errorBody(error: GatewayError, target: string): unknown
}

/**
 * Makes a gateway. It opens no port: `createNodeServer` or `createFetchHandler` do.
 *
 * @example
 * ```js
 * import { createGateway, createNodeServer } from 'toolwire/gateway'
 *
 * const upstreams = [{ name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' }]
 * const gateway = createGateway({ upstreams })
 * const server = createNodeServer(gateway).listen(0, '127.0.0.1', async () => {
 *   console.log(await (await fetch(`http://127.0.0.1:${server.address().port}/ready`)).json())
 *   await gateway.close()
 *   server.close()
 * })
 * ```
 */
export function createGateway(options: GatewayOptions): Gateway {
  const wires = checkOptions(options)
  const running = new RunningRequests()
  let network: Promise<UndiciTransport> | undefined
  let networkTransport: Transport | undefined
  let draining = false
  const handle: Gateway['handle'] = (request, sink) => handleRequest(gateway, running, request, sink)
  const sockets = new Sockets(options.webSockets ?? 'on', handle)
  const fixed = createFixed(options, wires, {
    sockets,
    draining: () => draining,
    transportFor({ transport = networkTransport }): Transport | Promise<Transport> {
      if (transport !== undefined) return transport
      // The network client takes a tenth of a second to load, so it is loaded when it is first needed.
      network ??= import('./upstream/undici-transport.ts').then(module => module.createUndiciTransport())
      return network.then(({ transport: loaded }) => {
        networkTransport = loaded
        return loaded
      })
    },
  })
  // A request keeps the one it began with, whatever is updated meanwhile.
  let gateway = contextOf(fixed, options)

  const stop = (): void => {
    running.abort(shuttingDown())
    gateway.background.stop()
  }

  return {
    get active() {
      return running.size + gateway.background.size
    },
    get sockets() {
      return sockets.size
    },
    get memoryUsed() {
      return gateway.memory.used
    },
    handle,
    readiness: () => readinessOf(gateway),
    async drain(deadlineMs) {
      draining = true
      sockets.retire()
      const cancel = gateway.clock.after(deadlineMs, stop)
      await running.settled()
      await gateway.background.settled()
      cancel()
    },
    update(changed) {
      const next = { ...options, ...changed }
      checkOptions(next)
      gateway = contextOf(fixed, next)
    },
    signInCode(key) {
      const owner = gateway.inspector && gateway.guard.ownerOf(key)
      return owner && gateway.sessions.newCode(owner)
    },
    async close() {
      draining = true
      sockets.retire()
      stop()
      await running.settled()
      sockets.cut()
      await gateway.background.settled()
      gateway.unsaved.stop()
      await network?.then(({ close }) => close())
      await gateway.workers?.close()
    },
    errorBody: (error, target) => errorBody(error, gateway.routes.wireOf(target, {})).value,
  }
}
