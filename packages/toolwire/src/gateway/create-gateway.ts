/** The gateway: one `handle` for every request, whichever server it came through. */
import type { WireDefinition } from '@toolwire/core'
import { systemClock } from '../platform/clock.ts'
import { heapShare } from '../platform/heap.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import { withDeadline } from '../store/with-deadline.ts'
import { noopObserver } from '../telemetry/observer.ts'
import { checkOptions } from './check-options.ts'
import type { GatewayContext } from './context.ts'
import { errorBody, type GatewayError, shuttingDown } from './errors.ts'
import { handleRequest, RunningRequests } from './handle-request.ts'
import { Admission } from './http/admission.ts'
import { ByteBudget } from './http/byte-budget.ts'
import type { GatewayRequest, Sink, Transport } from './http/contract.ts'
import { createGuard } from './http/guard.ts'
import { createKeyFinder, keyPlaces } from './http/headers.ts'
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
import { defaultHosts, defaultTtlMs, resolveLimits } from './settings.ts'
import { Sockets } from './sockets/sockets.ts'
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
  /** How many WebSockets are open. */
  readonly sockets: number
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
  const running = new RunningRequests()
  let network: Promise<UndiciTransport> | undefined
  let networkTransport: Transport | undefined
  let draining = false
  const handle: Gateway['handle'] = (request, sink) => handleRequest(gateway, running, request, sink)
  const sockets = new Sockets(options.webSockets ?? 'on', handle)
  const gateway = createContext(options, wires, {
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
    async close() {
      draining = true
      sockets.retire()
      stop()
      await running.settled()
      sockets.cut()
      await gateway.background.settled()
      await network?.then(({ close }) => close())
      await gateway.workers?.close()
    },
    errorBody: (error, target) => errorBody(error, gateway.routes.wireOf(target, {})).value,
  }
}

function createContext(
  options: GatewayOptions,
  wires: WiresByName,
  parts: Pick<GatewayContext, 'draining' | 'sockets' | 'transportFor'>,
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
