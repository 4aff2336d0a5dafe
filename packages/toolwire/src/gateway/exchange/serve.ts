/** A request of an exchange: from the client's bytes to an exchange that runs. */
import type { WireDefinition } from '@toolwire/core'
import type { RequestFacts, WireRoute } from '@toolwire/core/wires'
import { Stopwatch } from '../../platform/clock.ts'
import type { RequestContext } from '../context.ts'
import { GatewayError, shuttingDown } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import { parseJsonBody, parsePeeked, readBytes, weighBody } from '../http/json-body.ts'
import { startBackground } from '../responses-api/background.ts'
import { isStateful, resolveState, toClientPaths } from '../responses-api/state.ts'
import { historyOf } from '../responses-api/weighed-store.ts'
import type { Destination } from '../upstream/route-model.ts'
import { checkReferences, heldIdsFor, mayRefer } from './held-ids.ts'
import { lossesOf, refuseLosses, wantsReport } from './loss-report.ts'
import type { PeekFields } from './peek-request.ts'
import { peekRequest } from './peek-request.ts'
import type { ExchangeRun } from './run.ts'
import { openExchange } from './run.ts'
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
  /** Requests may refer to earlier ones, which the gateway may have to look up. */
  readonly isStateful: boolean
}

export function createEndpoint(wire: WireDefinition, { streams }: WireRoute): Endpoint {
  const { model, stream } = wire.service.http.peek
  return {
    wire,
    streams,
    fields: {
      model: 'field' in model ? model.field : undefined,
      stream: stream === 'route' ? undefined : stream.field,
    },
    modelParameter: 'parameter' in model ? model.parameter : '',
    isStateful: isStateful(wire),
  }
}

export async function serveExchange(context: RequestContext, endpoint: Endpoint): Promise<void> {
  const { gateway } = context
  const { wire } = endpoint
  if (gateway.draining()) throw shuttingDown()
  const bytes = await readBytes(context)
  const peek = peekRequest(bytes, gateway.limits.depth, endpoint.fields)
  if (peek === undefined) {
    weighBody(context, bytes)
    // A name that is written twice, or escaped, may mean something else to the upstream. What was checked is sent.
    const { model, streamed, body } = readRequest(
      context,
      endpoint,
      parseJsonBody(bytes, gateway.limits.depth),
    )
    if (model === undefined) throw missingModel(endpoint)
    const destination = gateway.router(model)
    return convert({ context, endpoint, model, destination, streamed }, undefined, body)
  }
  const model = peek.model ?? context.params[endpoint.modelParameter] ?? ''
  const destination = gateway.router(model)
  const routed = { context, endpoint, model, destination, streamed: endpoint.streams ?? peek.streamed }
  const read = (): JsonObject => {
    weighBody(context, bytes, peek.text)
    return readRequest(context, endpoint, parsePeeked(bytes, peek.text)).body
  }
  const heldIds = heldIdsFor(context, wire, destination.upstream)
  const refers = heldIds !== undefined && mayRefer(bytes, heldIds)
  if (refers || !canPassRequest(routed)) return convert(routed, refers ? undefined : bytes, read())
  noteDestination(routed)
  const exchange = openExchange(context, wire, destination.upstream)
  exchange.passthrough(() => orNothing(read))
  await runExchange(openRun(routed, { exchange, body: {}, passes: true }), bytes)
}

/** What passes unread is read only to repeat some of it in an error of the gateway's own, which must not fail for it. */
function orNothing(read: () => JsonObject): JsonObject {
  try {
    return read()
  } catch (error) {
    if (error instanceof GatewayError) return {}
    throw error
  }
}

interface RoutedRequest {
  readonly context: RequestContext
  readonly endpoint: Endpoint
  readonly model: string
  readonly destination: Destination
  readonly streamed: boolean
}

export function readRequest(
  { params, query, request }: RequestContext,
  { wire, streams }: Pick<Endpoint, 'wire' | 'streams'>,
  body: JsonObject,
): RequestFacts {
  return wire.service.http.read({
    body,
    params,
    query: query.size === 0 ? {} : Object.fromEntries(query),
    headers: request.headers,
    streams,
  })
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
function canPassRequest({ context, endpoint, model, destination }: RoutedRequest): boolean {
  const { upstream } = destination
  return (
    upstream.wire === endpoint.wire &&
    upstream.changesNothing &&
    destination.model === model &&
    !(endpoint.isStateful && upstream.needsState) &&
    context.gateway.tools.length === 0 &&
    !wantsReport(context.request.headers)
  )
}

/** `bytes`: those of the client, where they may go to the upstream if nothing has to be changed. */
async function convert(
  routed: RoutedRequest,
  bytes: Uint8Array | undefined,
  given: JsonObject,
): Promise<void> {
  const { context, endpoint, model, destination, streamed } = routed
  const { gateway, owner } = context
  const { upstream } = destination
  const { wire } = endpoint
  noteDestination(routed)
  const stopwatch = new Stopwatch(gateway.clock.now)
  const heldIds = heldIdsFor(context, wire, upstream)
  const body =
    heldIds === undefined ? given : await stopwatch.wait(checkReferences(given, heldIds, context, upstream))
  const state =
    endpoint.isStateful && upstream.needsState
      ? await stopwatch.wait(resolveState(body, { owner, store: historyOf(context), newId: gateway.newId }))
      : undefined
  // If the answer cannot be stored, the model need not be paid for it.
  if (state?.isStored) await stopwatch.wait(gateway.store?.check() ?? Promise.resolve())
  const responseId = state === undefined ? '' : gateway.newId('resp_')
  const exchange = openExchange(context, wire, upstream, responseId)
  // An answer states whether it can be continued, which only the gateway knows.
  const clientRequest = state === undefined ? body : { ...body, store: state.isStored }
  const sent = withoutCallLimit(state?.body ?? body, wire, upstream.wire)
  const { value, diagnostics: found } = exchange.request(sent, { clientRequest })
  const diagnostics = state === undefined ? found : toClientPaths(found, state, body.input)
  const passes = destination.model === model && state === undefined && exchange.isPassthrough
  const run = openRun(routed, { exchange, body, passes, stopwatch, state, responseId })
  // Nothing of what passes unchanged is lost, and what is wrong with it is for the upstream to report.
  if (!passes) {
    run.diagnostics.push(...diagnostics)
    refuseLosses(diagnostics, gateway.losses)
  }
  const { write } = upstream.wire.service.http
  await runExchange(
    run,
    (passes ? bytes : undefined) ??
      JSON.stringify(write({ model: destination.model, streamed, body: passes ? body : value })),
  )
}

/** Before anything can fail, so that observers know where the request was going. */
function noteDestination({ context, endpoint, model, destination, streamed }: RoutedRequest): void {
  const { upstream } = destination
  const { facts } = context.observation
  context.limit.set(upstream.timeouts.totalMs)
  facts.wire = endpoint.wire.name
  facts.model = model
  facts.upstream = upstream.name
  facts.upstreamWire = upstream.wire.name
  facts.provider = upstream.wire.service.provider
  facts.upstreamModel = destination.model
  facts.streamed = streamed
}

interface RunParts extends Pick<ExchangeRun, 'exchange' | 'body' | 'passes'> {
  readonly stopwatch?: Stopwatch
  readonly state?: ExchangeRun['state']
  readonly responseId?: string
}

function openRun({ context, endpoint, destination, streamed }: RoutedRequest, parts: RunParts): ExchangeRun {
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
    state: parts.state,
    heldIds: heldIdsFor(context, endpoint.wire, destination.upstream),
    responseId: parts.responseId ?? '',
    createdAt: clock.date(),
    store,
    diagnostics: [],
    stopwatch: parts.stopwatch ?? new Stopwatch(clock.now),
  }
}

async function runExchange(run: ExchangeRun, upstreamBody: string | Uint8Array): Promise<void> {
  const { gateway, observation } = run.context
  try {
    if (run.body.background === true && run.state !== undefined) await startBackground(run, upstreamBody)
    else if (run.streamed) await answerStreamed(run, upstreamBody)
    else await answerWhole(run, upstreamBody)
  } finally {
    const { facts } = observation
    facts.losses = lossesOf(run.diagnostics)
    facts.totalMs = gateway.clock.now() - facts.startedAt
    facts.overheadMs = Math.max(0, facts.totalMs - run.stopwatch.waitedMs)
  }
}

/** The gateway itself enforces the limit on the tools that it runs; an upstream of another wire runs none. */
function withoutCallLimit(body: JsonObject, wire: WireDefinition, upstreamWire: WireDefinition): JsonObject {
  const field = wire.service.http.serverCallLimit
  if (wire === upstreamWire || field === undefined || body[field] === undefined) return body
  const { [field]: _, ...rest } = body
  return rest
}
