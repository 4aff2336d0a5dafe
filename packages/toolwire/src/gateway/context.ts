/** What all routes share. */

import type { SignalLike } from '@toolwire/core'
import type { Store } from '../store/store.ts'
import type { Observation, Observer, TraceReader } from '../telemetry/observer.ts'
import type { Clock } from './clock.ts'
import type { GatewayRequest, Sink, Transport } from './http/contract.ts'
import type { Guard } from './http/guard.ts'
import type { BackgroundRuns } from './responses-api/background-runs.ts'
import type { EventLogs } from './responses-api/event-logs.ts'
import type { UnsavedResponses } from './responses-api/unsaved-responses.ts'
import type { Match } from './routes/table.ts'
import type { ServerCallMemory } from './server-tools/server-call-memory.ts'
import type { GatewayServerTool, Limits, LossPolicy, Upstream } from './settings.ts'
import type { ModelRouter } from './upstream/route-model.ts'
import type { ServedUpstream } from './upstream/served.ts'

export interface GatewayContext {
  readonly upstreams: readonly ServedUpstream[]
  readonly router: ModelRouter
  readonly guard: Guard
  readonly store: Store | undefined
  readonly ttlMs: number
  readonly limits: Limits
  readonly losses: LossPolicy
  readonly heartbeatMs: number
  readonly tools: readonly GatewayServerTool[]
  readonly hosted: readonly GatewayServerTool[]
  readonly toolTimeoutMs: number | undefined
  readonly observer: Observer
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly random: () => number
  readonly version: string
  /** The metrics in Prometheus' text form. */
  readonly metrics: (() => string) | undefined
  readonly traces: TraceReader | undefined
  readonly serverCallMemory: ServerCallMemory
  readonly background: BackgroundRuns
  readonly lastSaves: UnsavedResponses
  readonly eventLogs: EventLogs
  transportFor(upstream: Upstream): Transport | Promise<Transport>
  /** Set once the gateway is to stop: no new exchanges. */
  draining(): boolean
}

/** One request on its way. */
export interface RequestContext extends Match {
  readonly gateway: GatewayContext
  readonly request: GatewayRequest
  readonly sink: Sink
  readonly observation: Observation
  /** Whose data this client may see. */
  readonly owner: string
  readonly id: string
  /** Headers that go with every answer to this request. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the client has gone, time is up, or the gateway stops. */
  readonly signal: SignalLike
  readonly limit: {
    /** From now on the exchange may take so long; 0 is for ever. */
    set(milliseconds: number): void
  }
}

export function sendJson(
  context: Pick<RequestContext, 'sink' | 'headers' | 'observation'>,
  status: number,
  value: unknown,
  more: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(withRequestId(value, context.headers['x-request-id']))
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
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

/** Errors of the Messages wire have a place for it. */
function withRequestId(value: unknown, id: string | undefined): unknown {
  if (typeof value !== 'object' || value === null || !('request_id' in value)) return value
  return value.request_id === null && id !== undefined ? { ...value, request_id: id } : value
}
