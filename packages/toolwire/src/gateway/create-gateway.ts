/** The gateway: one `handle` for every request, whichever server it came through. */
import type { WireDefinition } from '@toolwire/core'
import type { Clock, Deadline } from '../platform/clock.ts'
import { createDeadline, systemClock } from '../platform/clock.ts'
import { heapShare } from '../platform/heap.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import { withDeadline } from '../store/with-deadline.ts'
import { noopObserver } from '../telemetry/observer.ts'
import { checkOptions } from './check-options.ts'
import type { GatewayContext, RequestContext } from './context.ts'
import { sendError } from './context.ts'
import type { GatewayError } from './errors.ts'
import { asGatewayError, errorBody, outOfTime, recordFailure, shuttingDown, stalled } from './errors.ts'
import { Abort } from './http/abort.ts'
import { Admission } from './http/admission.ts'
import { ByteBudget, Holding } from './http/byte-budget.ts'
import type { GatewayRequest, Sink, Transport } from './http/contract.ts'
import { createGuard } from './http/guard.ts'
import { createKeyFinder, headerText, keyPlaces } from './http/headers.ts'
import { StallTimeoutSink } from './http/stall-timeout-sink.ts'
import { Turns } from './http/turns.ts'
import { randomId } from './random-id.ts'
import { createBackgroundRuns } from './responses-api/background-runs.ts'
import { createEventLogs } from './responses-api/event-logs.ts'
import { createUnsavedResponses } from './responses-api/unsaved-responses.ts'
import { allRoutes } from './routes/all-routes.ts'
import { type Readiness, readinessOf } from './routes/system.ts'
import { createRouteTable } from './routes/table.ts'
import { createServerCallMemory } from './server-tools/server-call-memory.ts'
import { guardTool } from './server-tools/tool-scope.ts'
import type { GatewayOptions } from './settings.ts'
import { defaultHosts, defaultTimeouts, defaultTtlMs, resolveLimits } from './settings.ts'
import { createModelRouter } from './upstream/route-model.ts'
import { serveUpstream } from './upstream/served.ts'
import type { UndiciTransport } from './upstream/undici-transport.ts'
import type { WiresByName } from './wires.ts'
import { createWorkerPool } from './workers/pool.ts'

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
  /** Frees the gateway's resources. The store is not closed. */
  close(): Promise<void>
  /** The body of an error in the format that fits the path, for a server that has to refuse what is not a request. */
  errorBody(error: GatewayError, target: string): unknown
}

export function createGateway(options: GatewayOptions): Gateway {
  const wires = checkOptions(options)
  const running = new Set<Abort>()
  const onIdle: (() => void)[] = []
  let network: Promise<UndiciTransport> | undefined
  let networkTransport: Transport | undefined
  let draining = false
  const gateway = createContext(options, wires, {
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
    get memoryUsed() {
      return gateway.memory.used
    },
    async handle(request, sink) {
      const controller = new Abort()
      const { clientStallMs: stallMs } = gateway.limits
      const onStall = (): void => controller.abort(stalled(stallMs))
      const watched = new StallTimeoutSink(sink, { clock: gateway.clock, stallMs, onStall })
      const onGone = (): void => {
        watched.leave()
        controller.abort()
      }
      request.signal.addEventListener('abort', onGone)
      if (request.signal.aborted) onGone()
      running.add(controller)
      try {
        await answerRequest(gateway, request, watched, controller)
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
    async close() {
      draining = true
      stop()
      await settled()
      await gateway.background.settled()
      await network?.then(({ close }) => close())
      await gateway.workers?.close()
    },
    errorBody: (error, target) => errorBody(error, gateway.routes.wireOf(target, {})).value,
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
    facts.client = clientOf(request.headers['user-agent'])
    if (request.method === 'OPTIONS') {
      facts.route = 'OPTIONS'
      facts.status = 204
      return preflight(request, sink, headers)
    }
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
    const { upstream } = facts
    const known =
      upstream === undefined ? headers : { ...headers, 'x-toolwire-upstream': headerText(upstream) }
    sendError({ sink, headers: known, observation, wire }, failure)
  } finally {
    if (isAdmitted) gateway.admission.leave(share)
    if (memory !== undefined) sink.onFlushed(() => memory?.release())
    limit.stop()
    facts.totalMs ??= gateway.clock.now() - facts.startedAt
    facts.overheadMs ??= facts.totalMs
    observation.end()
  }
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

/** `codex_cli_rs/0.40 (Linux)` is `codex_cli_rs`. */
function clientOf(agent: string | readonly string[] | undefined): string {
  const text = typeof agent === 'string' ? agent : ''
  return text.slice(0, 100).split(/[\s/(]/, 1)[0] ?? ''
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

function createContext(
  options: GatewayOptions,
  wires: WiresByName,
  parts: Pick<GatewayContext, 'draining' | 'transportFor'>,
): GatewayContext {
  const {
    upstreams,
    keys = [],
    operatorKeys = [],
    allowedHosts = defaultHosts,
    allowedOrigins = [],
    tools = [],
    hosted = [],
  } = options
  const all = [...wires.values()]
  const findKey = createKeyFinder(all)
  const places = keyPlaces(all)
  const keyHeaders = new Set(places.map(({ header }) => header))
  const served = upstreams.map(upstream =>
    serveUpstream(upstream, { wireNamed: name => wireNamed(wires, name), findKey, keyHeaders, hosted }),
  )
  const guardedTools = Array.isArray(tools) ? tools.map(guardTool) : []
  const clock = options.clock ?? systemClock
  const limits = resolveLimits(options.limits ?? {}, keys.length)
  const store = options.store && withDeadline(options.store, clock)
  return {
    wires,
    routes: createRouteTable(allRoutes(all), all),
    upstreams: served,
    router: createModelRouter(served),
    guard: createGuard({
      keys,
      operatorKeys,
      hosts: allowedHosts,
      origins: allowedOrigins,
      findKey,
      keyPlaces: places,
    }),
    keyHeaders,
    retryHeaders: namePattern(all.flatMap(({ service }) => service.http.retryHeaders)),
    store,
    idOwners: store ?? createMemoryStore({ now: () => clock.date() }),
    ttlMs: options.ttlMs ?? defaultTtlMs,
    limits,
    workers: createWorkerPool(limits.workers, clock, options.workerFile),
    memory: new ByteBudget({ limit: limits.memoryBytes, ownerLimit: limits.keyMemoryBytes }),
    admission: new Admission({ ...limits, ownerExchanges: limits.keyExchanges }, clock),
    turns: keys.length > 1 ? new Turns(clock) : undefined,
    losses: options.losses ?? 'errors',
    heartbeatMs: options.heartbeatMs ?? 15_000,
    // Tools of MCP servers come and go, so a list that is not fixed is read each time.
    get tools() {
      return Array.isArray(tools) ? guardedTools : [...tools].map(guardTool)
    },
    hosted: hosted.map(guardTool),
    toolTimeoutMs: options.toolTimeoutMs,
    observer: options.observer ?? noopObserver,
    clock,
    newId: options.newId ?? randomId,
    now: () => Math.floor(clock.date() / 1000),
    random: options.random ?? Math.random,
    version: options.version ?? 'unknown',
    metrics: options.metrics,
    traces: options.traces,
    usage: options.usage,
    serverCallMemory: createServerCallMemory(heapShare(1 / 32, 64 * 1024 * 1024)),
    background: createBackgroundRuns(limits, store, clock),
    unsaved: createUnsavedResponses(store, clock, heapShare(1 / 32, 64 * 1024 * 1024)),
    eventLogs: createEventLogs(heapShare(1 / 16, 64 * 1024 * 1024)),
    ...parts,
  }
}

function wireNamed(wires: WiresByName, name: string): WireDefinition {
  const wire = wires.get(name)
  if (wire === undefined) throw new TypeError(`There is no wire named "${name}".`)
  return wire
}

/** Matches the names, each of which may end in a `*` for any rest. */
function namePattern(names: readonly string[]): RegExp {
  const alternatives = [...new Set(names)].map(name =>
    name.replaceAll(/[^\w*]/g, '\\$&').replace(/\*$/, '.+'),
  )
  return new RegExp(`^(?:${alternatives.join('|')})$`)
}
