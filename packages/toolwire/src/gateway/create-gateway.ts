/** The gateway: one `handle` for every request, whichever server it came through. */
import { randomBytes } from 'node:crypto'
import { withDeadline } from '../store/with-deadline.ts'
import { noopObserver } from '../telemetry/observer.ts'
import { checkOptions } from './check-options.ts'
import type { Clock, Deadline } from './clock.ts'
import { createDeadline, systemClock } from './clock.ts'
import type { GatewayContext, RequestContext } from './context.ts'
import { outOfTime, shuttingDown, stalled } from './errors.ts'
import { Abort } from './http/abort.ts'
import type { GatewayRequest, Sink, Transport } from './http/contract.ts'
import { createGuard } from './http/guard.ts'
import { headerText } from './http/header-text.ts'
import { StallTimeoutSink } from './http/stall-timeout-sink.ts'
import { createBackgroundRuns } from './responses-api/background-runs.ts'
import { createEventLogs } from './responses-api/event-logs.ts'
import { createUnsavedResponses } from './responses-api/unsaved-responses.ts'
import { handlers } from './routes/handlers.ts'
import { matchRoute, openPaths, wireOfPath } from './routes/table.ts'
import { asGatewayError, recordFailure, sendError } from './send-error.ts'
import { createServerCallMemory } from './server-tools/server-call-memory.ts'
import type { GatewayOptions } from './settings.ts'
import { defaultHosts, defaultLimits, defaultTimeouts, defaultTtlMs } from './settings.ts'
import { createModelRouter } from './upstream/route-model.ts'
import { serveUpstream } from './upstream/served.ts'
import type { UndiciTransport } from './upstream/undici-transport.ts'

export interface Gateway {
  /** Answers one request. Never rejects. */
  handle(request: GatewayRequest, sink: Sink): Promise<void>
  /** Requests being answered now, and responses being worked on in the background. */
  readonly active: number
  /** Takes no more exchanges, waits for those under way, and after `deadlineMs` ends them with an error. */
  drain(deadlineMs: number): Promise<void>
  /** Frees what the gateway holds. The store is its maker's to close. */
  close(): Promise<void>
}

export function createGateway(options: GatewayOptions): Gateway {
  checkOptions(options)
  const running = new Set<Abort>()
  const onIdle: (() => void)[] = []
  let network: Promise<UndiciTransport> | undefined
  let networkTransport: Transport | undefined
  let draining = false
  const gateway = coreOf(options, {
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
    async handle(request, sink) {
      const controller = new Abort()
      const { clientStallMs: stallMs } = gateway.limits
      const onStall = (): void => controller.abort(stalled(stallMs))
      const patient = new StallTimeoutSink(sink, { clock: gateway.clock, stallMs, onStall })
      const onGone = (): void => {
        patient.leave()
        controller.abort()
      }
      request.signal.addEventListener('abort', onGone)
      if (request.signal.aborted) onGone()
      running.add(controller)
      try {
        await answer(gateway, request, patient, controller)
      } catch {
        // Not even the failure could be told, which is no reason to bring others down.
        sink.cut?.()
      } finally {
        request.signal.removeEventListener('abort', onGone)
        running.delete(controller)
        if (running.size === 0) for (const resolve of onIdle.splice(0)) resolve()
      }
    },
    async drain(deadlineMs) {
      draining = true
      const cancel = gateway.clock.after(deadlineMs, stop)
      await settled()
      await gateway.background.settled()
      cancel()
    },
    async close() {
      draining = true
      stop()
      await settled()
      await gateway.background.settled()
      await network?.then(({ close }) => close())
    },
  }
}

/** One request from its arrival to its end. Whatever goes wrong on the way is told to the client. */
async function answer(
  gateway: GatewayContext,
  request: GatewayRequest,
  sink: Sink,
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
  facts.target = `${request.method} ${pathOf(request.target)}`.slice(0, 200)
  const wire = wireOfPath(request.target, request.headers)
  // Each family of clients looks for the id under a name of its own.
  const headers: Record<string, string> =
    wire === 'messages' ? { 'x-request-id': id, 'request-id': id } : { 'x-request-id': id }
  if (request.headers.origin !== undefined) Object.assign(headers, gateway.guard.corsHeaders(request))
  const limit = new TimeLimit(gateway.clock, controller)
  limit.set(defaultTimeouts.totalMs)
  try {
    // A browser asks without its key whether it may send one.
    const owner = gateway.guard.admit(request, openPaths.has(request.target) || request.method === 'OPTIONS')
    facts.owner = owner
    if (request.method === 'OPTIONS') {
      facts.route = 'OPTIONS'
      facts.status = 204
      return preflight(request, sink, headers)
    }
    const match = matchRoute(request.method, request.target)
    facts.route = `${match.route.method} ${match.route.path}`
    const context: RequestContext = {
      route: match.route,
      params: match.params,
      query: match.query,
      gateway,
      request,
      sink,
      observation,
      owner,
      id,
      headers,
      signal: controller,
      limit,
    }
    await handlers[match.route.name](context)
  } catch (error) {
    const failure = asGatewayError(error)
    recordFailure(facts, failure)
    const { upstream } = facts
    const known =
      upstream === undefined ? headers : { ...headers, 'x-toolwire-upstream': headerText(upstream) }
    sendError({ sink, headers: known, observation }, failure, wire)
  } finally {
    limit.stop()
    facts.totalMs ??= gateway.clock.now() - facts.startedAt
    facts.overheadMs ??= facts.totalMs
    observation.end()
  }
}

function pathOf(target: string): string {
  const at = target.indexOf('?')
  return at === -1 ? target : target.slice(0, at)
}

/** The limit is set anew once it is known which upstream is waited for; mostly it is the same, and costs no timer. */
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

/** Asking the system for chance costs the same for little as for much, so it is asked seldom. No byte is used twice. */
let pool = Buffer.alloc(0)
let used = 0
/** 128 bits of chance cannot be guessed. */
const idBytes = 16

function randomId(prefix: string): string {
  if (used + idBytes > pool.length) {
    pool = randomBytes(8192)
    used = 0
  }
  const start = used
  used += idBytes
  return prefix + pool.toString('hex', start, used)
}

function coreOf(
  options: GatewayOptions,
  parts: Pick<GatewayContext, 'draining' | 'transportFor'>,
): GatewayContext {
  const {
    upstreams,
    keys = [],
    allowedHosts = defaultHosts,
    allowedOrigins = [],
    tools = [],
    hosted = [],
  } = options
  const served = upstreams.map(upstream => serveUpstream(upstream, hosted))
  const clock = options.clock ?? systemClock
  const store = options.store && withDeadline(options.store, clock)
  return {
    upstreams: served,
    router: createModelRouter(served),
    guard: createGuard({ keys, hosts: allowedHosts, origins: allowedOrigins }),
    store,
    ttlMs: options.ttlMs ?? defaultTtlMs,
    limits: { ...defaultLimits, ...options.limits },
    losses: options.losses ?? 'errors',
    heartbeatMs: options.heartbeatMs ?? 15_000,
    // Tools of MCP servers come and go, so a list that is not fixed is read each time.
    get tools() {
      return Array.isArray(tools) ? tools : [...tools]
    },
    hosted,
    toolTimeoutMs: options.toolTimeoutMs,
    observer: options.observer ?? noopObserver,
    clock,
    newId: options.newId ?? randomId,
    random: options.random ?? Math.random,
    version: options.version ?? 'unknown',
    metrics: options.metrics,
    traces: options.traces,
    serverCallMemory: createServerCallMemory(64 * 1024 * 1024),
    background: createBackgroundRuns(1_000),
    lastSaves: createUnsavedResponses(store, clock, 1_000),
    eventLogs: createEventLogs(64 * 1024 * 1024),
    ...parts,
  }
}
