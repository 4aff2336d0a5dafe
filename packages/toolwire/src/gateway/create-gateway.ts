/** The gateway: one `handle` for every request, whichever server it came through. */
import type { WireDefinition } from '@toolwire/core'
import type { Clock, Deadline } from '../platform/clock.ts'
import { createDeadline } from '../platform/clock.ts'
import type { ExchangeFacts } from '../telemetry/observer.ts'
import { checkOptions } from './check-options.ts'
import type { GatewayContext, RequestContext } from './context.ts'
import { sendError } from './context.ts'
import type { GatewayError } from './errors.ts'
import {
  asGatewayError,
  errorBody,
  noWebSocket,
  outOfTime,
  recordFailure,
  shuttingDown,
  stalled,
} from './errors.ts'
import { Abort } from './http/abort.ts'
import { Holding } from './http/byte-budget.ts'
import type { GatewayRequest, Sink, Transport } from './http/contract.ts'
import { asksForWebSocket, headerText } from './http/headers.ts'
import { StallTimeoutSink } from './http/stall-timeout-sink.ts'
import { type ChangeableOptions, contextOf, createFixed } from './make-context.ts'
import { type Readiness, readinessOf } from './routes/system.ts'
import type { GatewayOptions } from './settings.ts'
import { defaultTimeouts } from './settings.ts'
import type { UndiciTransport } from './upstream/undici-transport.ts'

export interface Gateway {
  /** Answers one request. Never rejects. */
  handle(request: GatewayRequest, sink: Sink): Promise<void>
  /** How many requests are being answered, and responses worked on in the background. */
  readonly active: number
  /** How many bytes of the memory for everything in flight are taken. */
  readonly memoryUsed: number
  /** Whether requests should be sent here now. */
  readiness(): Promise<Readiness>
  /** Refuses new exchanges, waits for those under way, and ends them with an error after `deadlineMs`. */
  drain(deadlineMs: number): Promise<void>
  /** From now on requests get these settings; those under way keep the ones they began with. Throws on mistakes. */
  update(changed: ChangeableOptions): void
  /** Frees the gateway's resources. The store is not closed. */
  close(): Promise<void>
  /** The body of an error in the format that fits the path, for a server that has to refuse what is not a request. */
  errorBody(error: GatewayError, target: string): unknown
}

export function createGateway(options: GatewayOptions): Gateway {
  const wires = checkOptions(options)
  const running = new Set<Abort>()
  const onIdle: (() => void)[] = []
  const network = createNetwork()
  let draining = false
  const fixed = createFixed(options, wires, {
    draining: () => draining,
    transportFor: ({ transport }) => transport ?? network.transport(),
  })
  let gateway = contextOf(fixed, options)

  const settled = (): Promise<void> =>
    new Promise(resolve => {
      if (running.size === 0) resolve()
      else onIdle.push(resolve)
    })
  const stop = (): void => {
    for (const controller of running) controller.abort(shuttingDown())
    gateway.background.stop()
  }

  return {
    get active() {
      return running.size + gateway.background.size
    },
    get memoryUsed() {
      return gateway.memory.used
    },
    async handle(request, sink) {
      const controller = new Abort()
      // Kept for the whole request, whatever is updated meanwhile.
      const current = gateway
      const { clientStallMs: stallMs } = current.limits
      const onStall = (): void => controller.abort(stalled(stallMs))
      const watched = new StallTimeoutSink(sink, { clock: current.clock, stallMs, onStall })
      const onGone = (): void => {
        watched.leave()
        controller.abort()
      }
      request.signal.addEventListener('abort', onGone)
      if (request.signal.aborted) onGone()
      running.add(controller)
      try {
        await answerRequest(current, request, watched, controller)
      } catch {
        // Not even the failure could be sent; other requests must not suffer from it.
        sink.cut?.()
      } finally {
        request.signal.removeEventListener('abort', onGone)
        running.delete(controller)
        if (running.size === 0) for (const resolve of onIdle.splice(0)) resolve()
      }
    },
    readiness: () => readinessOf(gateway),
    async drain(deadlineMs) {
      draining = true
      const cancel = gateway.clock.after(deadlineMs, stop)
      await settled()
      await gateway.background.settled()
      cancel()
    },
    update(changed) {
      const next = { ...options, ...changed }
      checkOptions(next)
      gateway = contextOf(fixed, next)
    },
    async close() {
      draining = true
      stop()
      await settled()
      await gateway.background.settled()
      await network.close()
      await gateway.workers?.close()
    },
    errorBody: (error, target) => errorBody(error, gateway.routes.wireOf(target, {})).value,
  }
}

/** The network client takes a tenth of a second to load, so it is loaded when it is first needed. */
function createNetwork(): {
  transport(): Transport | Promise<Transport>
  close(): Promise<void>
} {
  let loading: Promise<UndiciTransport> | undefined
  let loaded: Transport | undefined
  return {
    transport() {
      if (loaded !== undefined) return loaded
      loading ??= import('./upstream/undici-transport.ts').then(module => module.createUndiciTransport())
      return loading.then(({ transport }) => {
        loaded = transport
        return transport
      })
    },
    async close() {
      await loading?.then(({ close }) => close())
    },
  }
}

/** One request from its arrival to its end. Whatever goes wrong on the way is reported to the client. */
async function answerRequest(
  gateway: GatewayContext,
  request: GatewayRequest,
  sink: StallTimeoutSink,
  controller: Abort,
): Promise<void> {
  const id = gateway.newId('req_')
  const observation = gateway.observer.begin({
    id,
    route: 'unknown',
    at: gateway.clock.date(),
    startedAt: gateway.clock.now(),
  })
  const { facts } = observation
  let memory: Holding | undefined
  let isAdmitted = false
  let share = ''
  facts.target = `${request.method} ${pathOf(request.target)}`.slice(0, 200)
  const wire = gateway.routes.wireOf(request.target, request.headers)
  const headers = requestIdHeaders(id, wire)
  if (request.headers.origin !== undefined) Object.assign(headers, gateway.guard.corsHeaders(request))
  const limit = new TimeLimit(gateway.clock, controller)
  limit.set(defaultTimeouts.totalMs)
  try {
    // A browser sends its preflight without a key.
    const isOpen = gateway.routes.isOpen(request.target) || request.method === 'OPTIONS'
    const admission = gateway.guard.admit(request, isOpen)
    const { owner, isOperator } = admission
    facts.owner = owner
    if (request.method === 'OPTIONS') {
      facts.route = 'OPTIONS'
      facts.status = 204
      return preflight(request, sink, headers)
    }
    if (asksForWebSocket(request.headers)) throw noWebSocket()
    const match = gateway.routes.match(request.method, request.target)
    facts.route = `${match.route.method} ${match.route.path}`
    gateway.guard.authorize(admission, match.route.operators)
    // Where no key is required, a client can take as many names as it likes.
    share = gateway.guard.asksForKeys ? owner : 'anonymous'
    if (match.route.unlimited !== true) {
      const turn = gateway.admission.enter(share, controller)
      if (turn !== undefined) await turn
      isAdmitted = true
    }
    memory = new Holding(gateway.memory, share)
    const context: RequestContext = {
      route: match.route,
      params: match.params,
      query: match.query,
      gateway,
      request,
      sink,
      observation,
      wire,
      owner,
      share,
      memory,
      isOperator,
      id,
      headers,
      signal: controller,
      limit,
    }
    await match.route.handle(context)
  } catch (error) {
    const failure = asGatewayError(error)
    recordFailure(facts, failure)
    sendError({ sink, headers: withUpstream(headers, facts), observation, wire }, failure)
  } finally {
    if (isAdmitted) gateway.admission.leave(share)
    if (memory !== undefined) sink.onFlushed(() => memory?.release())
    limit.stop()
    facts.totalMs ??= gateway.clock.now() - facts.startedAt
    facts.overheadMs ??= facts.totalMs
    observation.end()
  }
}

function withUpstream(
  headers: Readonly<Record<string, string>>,
  { upstream }: ExchangeFacts,
): Readonly<Record<string, string>> {
  return upstream === undefined ? headers : { ...headers, 'x-toolwire-upstream': headerText(upstream) }
}

/** No page of another origin may load an answer as a script, an image or a frame, whatever it takes it for. */
const browserHeaders = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' }

/** Each family of clients looks for the id under a name of its own. */
function requestIdHeaders(id: string, { service }: WireDefinition): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': id, ...browserHeaders }
  for (const name of service.http.requestId.headers) headers[name] = id
  return headers
}

function pathOf(target: string): string {
  const at = target.indexOf('?')
  return at === -1 ? target : target.slice(0, at)
}

/** The limit is set again once the upstream is known; mostly it is the same, and then no timer is made. */
class TimeLimit {
  readonly #clock: Clock
  readonly #controller: Abort
  #milliseconds: number | undefined
  #deadline: Deadline | undefined

  constructor(clock: Clock, controller: Abort) {
    this.#clock = clock
    this.#controller = controller
  }

  set(milliseconds: number): void {
    if (milliseconds === this.#milliseconds) this.#deadline?.touch()
    else {
      this.stop()
      this.#milliseconds = milliseconds
      const onOver = (): void => this.#controller.abort(outOfTime(milliseconds))
      this.#deadline = createDeadline(this.#clock, milliseconds, onOver)
    }
  }

  stop(): void {
    this.#deadline?.stop()
  }
}

function preflight(request: GatewayRequest, sink: Sink, headers: Readonly<Record<string, string>>): void {
  sink.head(204, {
    ...headers,
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '',
    'access-control-max-age': '600',
  })
  sink.end()
}
