/** A request whose destination is known, from there to the exchange that runs. */
import type { WireDefinition } from '@toolwire/core'
import type { WireJob, WireRoute } from '@toolwire/core/wires'
import { requestFirst } from '../compaction/first-request.ts'
import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import { startBackground } from '../responses-api/background.ts'
import { isStateful } from '../responses-api/state.ts'
import { answerWarmUp } from '../responses-api/warm-up.ts'
import { routeFor } from '../tenants/tenants.ts'
import { gatedFields, isInHistory } from '../upstream/flags.ts'
import type { Destination } from '../upstream/route-model.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import type { Attempt } from './any-upstream.ts'
import { heldIdsFor } from './held-ids.ts'
import { lossesOf, notesOf, wantsReport } from './loss-report.ts'
import type { PeekFields } from './peek-request.ts'
import type { ExchangeRun, ReadyRun } from './run.ts'
import { answerStreamed } from './streamed.ts'
import { answerWhole } from './whole.ts'

/** A route of a wire, with what its wire says of requests, worked out once. */
export interface Endpoint {
  readonly wire: WireDefinition
  /** Set where the path itself says whether the answer is streamed. */
  readonly streams: boolean | undefined
  readonly fields: PeekFields
  /** The parameter of the path that names the model. */
  readonly modelParameter: string
  readonly job: WireJob
  /** Requests may refer to earlier ones, which the gateway may have to look up. */
  readonly isStateful: boolean
}

export function createEndpoint(
  wire: WireDefinition,
  { streams, job = 'exchange' }: Partial<Pick<WireRoute, 'streams' | 'job'>>,
): Endpoint {
  const { model, stream } = wire.service.http.peek
  return {
    wire,
    streams,
    job,
    fields: {
      model: 'field' in model ? model.field : undefined,
      stream: stream === 'route' ? undefined : stream.field,
      thread: wire.service.http.threadField,
    },
    modelParameter: 'parameter' in model ? model.parameter : '',
    isStateful: isStateful(wire),
  }
}

export interface RoutedRequest {
  readonly context: RequestContext
  readonly endpoint: Endpoint
  readonly model: string
  readonly destination: Destination
  readonly streamed: boolean
  readonly attempt?: Attempt | undefined
  /** The upstream has refused a summary, so that there is to be none for it to make or to read. */
  readonly compactsHere?: boolean | undefined
}

export function missingModel({ fields }: Pick<Endpoint, 'fields'>): GatewayError {
  const { model = 'model' } = fields
  return new GatewayError('invalid_request', `The request names no model. Give its name as "${model}".`, {
    param: model,
    code: 'missing_model',
  })
}

/**
 * Where client and upstream speak one wire and nothing is to be changed, a request need not be parsed: nothing of it is
 * lost, and what is wrong with it is for the upstream to report.
 */
export function canPassRequest({ context, endpoint, model, destination, attempt }: RoutedRequest): boolean {
  const { upstream } = destination
  return (
    // Who gave the answer must be known to whoever continues it.
    !(endpoint.isStateful && attempt !== undefined) &&
    upstream.wire === endpoint.wire &&
    upstream.changesNothing &&
    // A change of the upstream within a conversation must be seen.
    !context.gateway.sharedWires.has(endpoint.wire) &&
    !upstream.keepsReasoning(destination.model) &&
    destination.model === model &&
    !(endpoint.isStateful && (upstream.needsState || context.request.kept !== undefined)) &&
    context.gateway.tools.length === 0 &&
    gatedOf({ context, endpoint, destination }).all.length === 0 &&
    endpoint.job !== 'compact' &&
    !wantsReport(context.request.headers)
  )
}

/** Whether the client wants a shorter conversation that the upstream cannot make. */
export function makesWindow({
  endpoint,
  destination: { upstream },
}: Pick<RoutedRequest, 'endpoint' | 'destination'>): boolean {
  return endpoint.job === 'compact' && (upstream.wire !== endpoint.wire || !upstream.compacts)
}

/** A shorter conversation is no answer that could be continued, so nothing of it is stored. */
export function stateBody(body: JsonObject, { job }: Pick<Endpoint, 'job'>): JsonObject {
  return job === 'compact' ? { ...body, store: false } : body
}

interface GatedFields {
  readonly all: readonly string[]
  /** Left out of the client's request. */
  readonly early: readonly string[]
  /** Left out of the upstream's request: they stand in its history, or are read here for what they ask. */
  readonly late: readonly string[]
}

const noGatedFields: GatedFields = { all: [], early: [], late: [] }
const compactionFields: ReadonlySet<string> = new Set(['compaction', 'context_management'])

/** Fields that the upstream of the client's own wire must not be sent, because it does not know their flags. */
export function gatedOf({
  context,
  endpoint,
  destination,
}: Pick<RoutedRequest, 'context' | 'endpoint' | 'destination'>): GatedFields {
  const { upstream } = destination
  if (upstream.wire !== endpoint.wire) return noGatedFields
  const all = gatedFields(upstream, endpoint.wire, context.request.headers)
  if (all.length === 0) return noGatedFields
  const isLate = (field: string): boolean =>
    isInHistory(field) || (!upstream.compacts && compactionFields.has(field))
  return { all, early: all.filter(field => !isLate(field)), late: all.filter(isLate) }
}

/** Where a model is. Observers know what was asked for, also where no upstream has it. */
export function routeNamed(context: RequestContext, { wire }: Endpoint, model: string): Destination {
  const { facts } = context.observation
  facts.wire = wire.name
  facts.model = model.slice(0, 200)
  return routeFor(context, model)
}

/** Before anything can fail, so that observers know where the request was going. */
export function noteDestination({ context, endpoint, model, destination, streamed }: RoutedRequest): void {
  const { facts } = context.observation
  noteUpstream(context, endpoint.wire, destination.upstream)
  facts.model = model
  facts.upstreamModel = destination.model
  facts.streamed = streamed
}

/** The same for a request that is for no model. */
export function noteUpstream(
  { limit, observation: { facts } }: RequestContext,
  wire: WireDefinition,
  upstream: ServedUpstream,
): void {
  limit.set(upstream.timeouts.totalMs)
  facts.wire = wire.name
  facts.upstream = upstream.name
  facts.upstreamWire = upstream.wire.name
  facts.provider = upstream.wire.service.provider
}

interface RunParts
  extends Pick<ExchangeRun, 'exchange' | 'body' | 'passes' | 'compaction' | 'watched' | 'window'> {
  readonly state?: ExchangeRun['state']
  readonly responseId?: string
  readonly isLookup?: boolean
  readonly nextRequest?: ExchangeRun['nextRequest']
}

export function openRun(
  { context, endpoint, destination, streamed, attempt }: RoutedRequest,
  parts: RunParts,
): ExchangeRun {
  const { clock, store } = context.gateway
  return {
    context,
    wire: endpoint.wire,
    upstream: destination.upstream,
    upstreamModel: destination.model,
    exchange: parts.exchange,
    body: parts.body,
    passes: parts.passes,
    streamed,
    isShared: attempt !== undefined,
    mayFallBack: attempt?.next !== undefined,
    next: attempt?.next,
    state: parts.state,
    heldIds: heldIdsFor(context, endpoint.wire, destination.upstream),
    isLookup: parts.isLookup ?? false,
    responseId: parts.responseId ?? '',
    createdAt: clock.date(),
    store,
    nextRequest: parts.nextRequest,
    diagnostics: [],
    stopwatch: context.stopwatch,
    // A summary that is made here is an ordinary answer to the upstream.
    job: parts.window === undefined ? endpoint.job : 'exchange',
    compaction: parts.compaction,
    watched: parts.watched,
    window: parts.window,
  }
}

/** Sends it, unless somebody else is to. */
export async function runReady(
  { attempt }: Pick<RoutedRequest, 'attempt'>,
  { run, body }: ReadyRun,
): Promise<void> {
  if (attempt?.onReady === undefined) await runExchange(run, body)
  else attempt.onReady({ run, body })
}

async function runExchange(run: ExchangeRun, upstreamBody: string | Uint8Array): Promise<void> {
  try {
    if (run.context.request.isWarmUp === true) await answerWarmUp(run)
    else if (run.body.background === true && run.state !== undefined) await startBackground(run, upstreamBody)
    else if (run.streamed) await answerStreamed(run, onLong => requestFirst(run, upstreamBody, onLong))
    else await answerWhole(run, () => requestFirst(run, upstreamBody))
  } finally {
    noteEnd(run)
  }
}

export function noteEnd({ context, diagnostics, stopwatch }: ExchangeRun): void {
  const { facts } = context.observation
  facts.losses = lossesOf(diagnostics)
  facts.notes = notesOf(diagnostics)
  facts.totalMs = context.gateway.clock.now() - facts.startedAt
  facts.overheadMs = Math.max(0, facts.totalMs - stopwatch.waitedMs)
}
