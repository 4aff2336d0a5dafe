/** What all routes share: the gateway, the request that is being answered, and the ways to answer it. */

import type { SignalLike, WireDefinition } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import type { Clock, Stopwatch } from '../platform/clock.ts'
import type { OwnerShares } from '../platform/owner-shares.ts'
import type { Store } from '../store/store.ts'
import type { Observation, Observer, TraceReader, UsageReader } from '../telemetry/observer.ts'
import type { GatewayError } from './errors.ts'
import { errorBody } from './errors.ts'
import type { Admission } from './http/admission.ts'
import type { ByteBudget, Holding } from './http/byte-budget.ts'
import type { GatewayRequest, Transport } from './http/contract.ts'
import type { Guard } from './http/guard.ts'
import type { ClientSink } from './http/stall-timeout-sink.ts'
import type { Turns } from './http/turns.ts'
import type { Inspector } from './inspector/inspector.ts'
import type { Sessions } from './inspector/sessions.ts'
import type { BackgroundRuns } from './responses-api/background-runs.ts'
import type { EventLogs } from './responses-api/event-logs.ts'
import type { UnsavedResponses } from './responses-api/unsaved-responses.ts'
import type { Match, Route, RouteTable } from './routes/table.ts'
import type { SealKeys } from './sealing/seal-keys.ts'
import type { ServerCallMemory } from './server-tools/server-call-memory.ts'
import type { GatewayServerTool, Limits, LossPolicy } from './settings.ts'
import type { Charge, TenantRules, Tenants } from './tenants/rules.ts'
import type { ModelRouter } from './upstream/route-model.ts'
import type { ServedUpstream } from './upstream/served.ts'
import type { UpstreamPool } from './upstream/upstream-pool.ts'
import type { WiresByName } from './wires.ts'
import type { WorkerPool } from './workers/pool.ts'

export interface GatewayContext {
  readonly wires: WiresByName
  readonly routes: RouteTable<RequestContext>
  readonly upstreams: readonly ServedUpstream[]
  readonly router: ModelRouter
  /** Which of several upstreams for a model is asked first. */
  readonly pool: UpstreamPool
  /** Every request is for this model, whatever it names. */
  readonly onlyModel: string | undefined
  /** What keys may use, and how much. */
  readonly tenants: Tenants
  readonly guard: Guard
  /** Names of headers in which a key may stand. */
  readonly keyHeaders: ReadonlySet<string>
  /** Headers of an upstream's refusal that the client gets too. */
  readonly retryHeaders: RegExp
  readonly store: Store | undefined
  /** For what would hold the event loop too long; `undefined` where there are none. */
  readonly workers: WorkerPool | undefined
  /** Whose the ids are under which upstreams hold something: in the store, or else in memory. */
  readonly idOwners: Pick<Store, 'claimIds' | 'ownersOf'>
  readonly ttlMs: number
  readonly limits: Limits
  /** Wires that several upstreams speak. */
  readonly sharedWires: ReadonlySet<WireDefinition>
  readonly sealKeys: SealKeys
  /** For all bytes in flight. */
  readonly memory: ByteBudget
  readonly admission: Admission
  /** Where several keys share the event loop. */
  readonly turns: Turns | undefined
  readonly losses: LossPolicy
  readonly heartbeatMs: number
  readonly tools: readonly GatewayServerTool[]
  readonly hosted: readonly GatewayServerTool[]
  readonly toolTimeoutMs: number | undefined
  readonly observer: Observer
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** Seconds since 1970, for answers. */
  readonly now: () => number
  readonly random: () => number
  readonly version: string
  /** The metrics in Prometheus' text form. */
  readonly metrics: (() => string | Promise<string>) | undefined
  readonly traces: TraceReader | undefined
  readonly usage: UsageReader | undefined
  /** The page at `/`, where there is one. */
  readonly inspector: Inspector | undefined
  readonly sessions: Sessions
  /** How many feeds of the inspector each share has open. */
  readonly feeds: OwnerShares
  readonly serverCallMemory: ServerCallMemory
  readonly background: BackgroundRuns
  readonly unsaved: UnsavedResponses
  readonly eventLogs: EventLogs
  /** Opens a WebSocket for a client that asks for one. */
  readonly sockets: { open(context: RequestContext): Promise<void> }
  transportFor(upstream: ServedUpstream): Transport | Promise<Transport>
  /** Set once the gateway is to stop: no new exchanges. */
  draining(): boolean
}

/** One request that is being answered. */
export interface RequestContext extends Omit<Match<RequestContext>, 'label'> {
  readonly gateway: GatewayContext
  readonly request: GatewayRequest
  readonly sink: ClientSink
  readonly observation: Observation
  /** The wire whose format fits the client, by the path and headers of its request. */
  readonly wire: WireDefinition
  /** Whose data this client may see. */
  readonly owner: string
  /** Whose share of the limits it uses: the owner's, or that of all clients where no key is required. */
  readonly share: string
  /** What its key may use; `undefined`: everything. */
  readonly tenant: TenantRules | undefined
  /** What it takes of that, from when it is let in. */
  charge: Charge | undefined
  /** Sent with the key of an operator, who may see the data about everybody's exchanges. */
  readonly isOperator: boolean
  readonly id: string
  /** Headers of every answer to this request. Those about limits are added when they are known. */
  readonly headers: Record<string, string>
  /** The memory that the request has taken. */
  readonly memory: Holding
  /** What it waited for, at all the upstreams that were asked. */
  readonly stopwatch: Stopwatch
  /** Aborts when the client has gone, time is up, or the gateway stops. */
  readonly signal: SignalLike
  readonly limit: {
    /** Sets how long the exchange may take from now on; 0 is no limit. */
    set(milliseconds: number): void
  }
}

export type GatewayRoute = Route<RequestContext>

/** As much of a request as an answer needs. */
export type AnswerContext = Readonly<Pick<RequestContext, 'sink' | 'headers' | 'observation' | 'wire'>>

export function sendJson(
  context: AnswerContext,
  status: number,
  value: unknown,
  more: Readonly<Record<string, string>> = {},
): void {
  sendText(context, status, JSON.stringify(withRequestId(value, context)), more)
}

/** How long a text may be for its bytes to be counted before it is sent. */
const longestCounted = 1024 * 1024

/** The same for JSON that is written already. */
export function sendText(
  context: AnswerContext,
  status: number,
  text: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): void {
  const isCounted = typeof text !== 'string' || text.length <= longestCounted
  const headers = {
    'content-type': 'application/json',
    ...(isCounted && { 'content-length': String(Buffer.byteLength(text)) }),
    ...context.headers,
    ...more,
  }
  const { observation } = context
  observation.facts.status = status
  if (observation.wantsViews) {
    observation.viewHead('client-answer', { line: String(status), headers })
    observation.view('client-answer', text)
  }
  context.sink.head(status, headers)
  context.sink.end(text)
}

/** The same for a long text, of which the next piece is written when the client has read on. */
export async function sendPieces(
  context: RequestContext,
  status: number,
  pieces: readonly string[],
): Promise<void> {
  const { sink, signal, observation } = context
  const headers = { 'content-type': 'application/json', ...context.headers }
  observation.facts.status = status
  if (observation.wantsViews) observation.viewHead('client-answer', { line: String(status), headers })
  sink.head(status, headers)
  for (const piece of pieces) {
    if (observation.wantsViews) observation.view('client-answer', piece)
    if (sink.writePieces === undefined) sink.write(piece)
  }
  sink.writePieces?.(pieces)
  await sink.whenWritten?.(signal)
  sink.end()
}

/** On some wires the bodies of errors have a field for it. */
function withRequestId(value: unknown, { wire, headers }: AnswerContext): unknown {
  const { requestId } = wire.service.http
  const id = headers['x-request-id']
  return requestId.write === undefined || id === undefined || !isObject(value)
    ? value
    : requestId.write(value, id)
}

export function sendError(context: AnswerContext, error: GatewayError): void {
  const { value, status } = errorBody(error, context.wire)
  sendJson(context, status, value, error.headers)
}
