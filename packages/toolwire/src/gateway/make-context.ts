/** What all requests of a gateway share, made from its options; what an update changes is made anew. */
import type { WireDefinition } from '@toolwire/core'
import { systemClock } from '../platform/clock.ts'
import { heapShare } from '../platform/heap.ts'
import { OwnerShares } from '../platform/owner-shares.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import { withDeadline } from '../store/with-deadline.ts'
import { noopObserver } from '../telemetry/observer.ts'
import type { GatewayContext } from './context.ts'
import { Admission } from './http/admission.ts'
import { ByteBudget } from './http/byte-budget.ts'
import { createGuard } from './http/guard.ts'
import { createKeyFinder, keyPlaces } from './http/headers.ts'
import { Turns } from './http/turns.ts'
import { Inspector } from './inspector/inspector.ts'
import { Sessions } from './inspector/sessions.ts'
import { randomId } from './random-id.ts'
import { createBackgroundRuns } from './responses-api/background-runs.ts'
import { mirrorEvents } from './responses-api/event-batches.ts'
import { createEventLogs } from './responses-api/event-logs.ts'
import { createUnsavedResponses } from './responses-api/unsaved-responses.ts'
import { allRoutes } from './routes/all-routes.ts'
import { otherPathsRoute } from './routes/other-paths.ts'
import { createRouteTable } from './routes/table.ts'
import { SealKeys } from './sealing/seal-keys.ts'
import { createServerCallMemory } from './server-tools/server-call-memory.ts'
import { guardTool } from './server-tools/tool-scope.ts'
import type { GatewayOptions } from './settings.ts'
import { defaultHosts, defaultTtlMs, resolveLimits } from './settings.ts'
import { KeyCounters } from './tenants/key-counters.ts'
import { createTenants, keysOf } from './tenants/tenants.ts'
import { createModelRouter } from './upstream/route-model.ts'
import type { ServedUpstream } from './upstream/served.ts'
import { serveUpstream } from './upstream/served.ts'
import { UpstreamPool } from './upstream/upstream-pool.ts'
import type { WiresByName } from './wires.ts'
import { createWorkerPool } from './workers/pool.ts'

/** Settings of a gateway that can change while it runs. */
export type ChangeableOptions = Pick<
  GatewayOptions,
  | 'upstreams'
  | 'model'
  | 'keys'
  | 'tenants'
  | 'prices'
  | 'limitsWithoutStore'
  | 'operatorKeys'
  | 'allowedHosts'
  | 'allowedOrigins'
  | 'losses'
  | 'heartbeatMs'
  | 'shortTurns'
  | 'tools'
  | 'hosted'
  | 'toolTimeoutMs'
>

/** What no update changes. */
export interface Fixed
  extends Omit<
    GatewayContext,
    | 'upstreams'
    | 'sharedWires'
    | 'router'
    | 'guard'
    | 'turns'
    | 'losses'
    | 'heartbeatMs'
    | 'tools'
    | 'hosted'
    | 'toolTimeoutMs'
    | 'onlyModel'
    | 'tenants'
  > {
  /** Counters go on when limits change. */
  readonly counters: KeyCounters
  /** How much one key may have of all depends on how many there are. */
  shareAmong(keys: number): void
}

export function createFixed(
  options: GatewayOptions,
  wires: WiresByName,
  parts: Pick<GatewayContext, 'draining' | 'sockets' | 'transportFor'>,
): Fixed {
  const all = [...wires.values()]
  const clock = options.clock ?? systemClock
  const limits = resolveLimits(options.limits ?? {}, 1)
  const store = options.store && withDeadline(options.store, clock)
  const { addCounts } = options.store ?? {}
  return {
    wires,
    routes: createRouteTable(allRoutes(all), all, otherPathsRoute),
    keyHeaders: new Set(keyPlaces(all).map(({ header }) => header)),
    retryHeaders: namePattern(all.flatMap(({ service }) => service.http.retryHeaders)),
    store,
    idOwners: store ?? createMemoryStore({ now: () => clock.date() }),
    counters: new KeyCounters(addCounts && { addCounts: addCounts.bind(options.store) }, clock),
    ttlMs: options.ttlMs ?? defaultTtlMs,
    limits,
    shareAmong: keys => void Object.assign(limits, resolveLimits(options.limits ?? {}, keys)),
    sealKeys: new SealKeys({ secrets: options.sealKeys ?? [], store }),
    workers: createWorkerPool({
      size: limits.workers,
      clock,
      file: options.workerFile,
      wireModules: options.wireModules ?? [],
    }),
    memory: new ByteBudget({
      limit: limits.memoryBytes,
      get ownerLimit() {
        return limits.keyMemoryBytes
      },
    }),
    admission: new Admission(
      {
        ...limits,
        get ownerExchanges() {
          return limits.keyExchanges
        },
      },
      clock,
    ),
    observer: options.observer ?? noopObserver,
    clock,
    newId: options.newId ?? randomId,
    now: () => Math.floor(clock.date() / 1000),
    random: options.random ?? Math.random,
    version: options.version ?? 'unknown',
    metrics: options.metrics,
    traces: options.traces,
    usage: options.usage,
    inspector: options.inspector && new Inspector(options.inspector),
    sessions: new Sessions(clock, options.inspector?.shareSessions),
    feeds: new OwnerShares(),
    serverCallMemory: createServerCallMemory(heapShare(1 / 32, 64 * 1024 * 1024)),
    background: createBackgroundRuns(limits, store, clock),
    pool: new UpstreamPool(clock, options.random ?? Math.random, store),
    unsaved: createUnsavedResponses(store, clock, heapShare(1 / 32, 64 * 1024 * 1024)),
    eventLogs: createEventLogs(
      heapShare(1 / 16, 64 * 1024 * 1024),
      (owner, id) =>
        // Other gateways can read them only in some stores.
        store?.appendEvents && mirrorEvents(store, clock, owner, id),
    ),
    ...parts,
  }
}

export function contextOf(fixed: Fixed, options: ChangeableOptions): GatewayContext {
  const { upstreams, operatorKeys = [], tools = [], hosted = [] } = options
  const keys = keysOf(options)
  const { wires, keyHeaders, clock } = fixed
  fixed.shareAmong(keys.length)
  const all = [...wires.values()]
  const findKey = createKeyFinder(all)
  const served = upstreams.map(upstream =>
    serveUpstream(upstream, { wireNamed: name => wireNamed(wires, name), findKey, keyHeaders, hosted }),
  )
  const inspector = fixed.inspector?.isOpen === true ? fixed.inspector : undefined
  const guardedTools = Array.isArray(tools) ? tools.map(guardTool) : []
  return {
    ...fixed,
    inspector,
    upstreams: served,
    sharedWires: sharedWiresOf(served),
    router: createModelRouter(served, options.model),
    onlyModel: options.model,
    tenants: createTenants(options, fixed.counters),
    guard: createGuard({
      keys,
      operatorKeys,
      hosts: options.allowedHosts ?? defaultHosts,
      origins: options.allowedOrigins ?? [],
      findKey,
      keyPlaces: keyPlaces(all),
      sessions: inspector && fixed.sessions,
    }),
    turns: keys.length > 1 || options.shortTurns === true ? new Turns(clock) : undefined,
    losses: options.losses ?? 'errors',
    heartbeatMs: options.heartbeatMs ?? 15_000,
    // Tools of MCP servers come and go, so a list that is not fixed is read each time.
    get tools() {
      return Array.isArray(tools) ? guardedTools : [...tools].map(guardTool)
    },
    hosted: hosted.map(guardTool),
    toolTimeoutMs: options.toolTimeoutMs,
  }
}

function sharedWiresOf(upstreams: readonly ServedUpstream[]): ReadonlySet<WireDefinition> {
  const wires = upstreams.flatMap(({ speaks }) => speaks.map(({ wire }) => wire))
  return new Set(wires.filter((wire, at) => wires.indexOf(wire) !== at))
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
