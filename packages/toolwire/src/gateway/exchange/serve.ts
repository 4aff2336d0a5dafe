/** `POST` on one of the three wires: from the client's bytes to an exchange that is ready to run. */
import type { Exchange, BuiltInWire as Wire } from '@toolwire/core'
import type { RequestContext } from '../context.ts'
import { GatewayError, shuttingDown } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import { parseGlanced, parseJsonBody } from '../http/json-body.ts'
import { readBytes } from '../http/read-body.ts'
import { startBackground } from '../responses-api/background.ts'
import type { StatefulRequest } from '../responses-api/state.ts'
import { resolveState } from '../responses-api/state.ts'
import type { Upstream } from '../settings.ts'
import type { Destination } from '../upstream/route-model.ts'
import { toClientPaths } from './client-paths.ts'
import { lossesOf, refuseLosses, wantsReport } from './loss-report.ts'
import { openExchange } from './open.ts'
import type { RequestPeek } from './peek-request.ts'
import { peekRequest } from './peek-request.ts'
import type { ExchangeRun } from './run.ts'
import { Stopwatch } from './run.ts'
import { answerStreamed } from './streamed.ts'
import { answerWhole } from './whole.ts'

export async function serveExchange(context: RequestContext, wire: Wire): Promise<void> {
  const { gateway } = context
  if (gateway.draining()) throw shuttingDown()
  const bytes = await readBytes(context)
  const peek = peekRequest(bytes, gateway.limits.depth)
  if (peek === undefined) return convert(context, wire, bytes, parseJsonBody(bytes, gateway.limits.depth))
  const { text, model, streamed } = peek
  const read = (): JsonObject => parseGlanced(bytes, text)
  const destination = gateway.router(model)
  if (!canPassRequest(context, wire, peek, destination)) return convert(context, wire, bytes, read())
  const routed = { context, wire, model, destination, streamed }
  noteDestination(routed)
  const run = openRun(routed, { exchange: openExchange(routed), body: {}, passes: true })
  run.exchange.passthrough(read)
  await answer(run, bytes)
}

/**
 * Where client and upstream speak one wire and nothing is to be changed, a request need not be read: nothing of it is
 * lost, and what is wrong with it is for the upstream to say.
 */
function canPassRequest(
  { gateway, request }: RequestContext,
  wire: Wire,
  { model }: RequestPeek,
  { upstream, model: upstreamModel }: Destination,
): boolean {
  return (
    upstream.wire === wire &&
    upstream.changesNothing &&
    upstreamModel === model &&
    !(wire === 'responses' && keepsState(upstream)) &&
    gateway.tools.length === 0 &&
    !wantsReport(request.headers)
  )
}

async function convert(
  context: RequestContext,
  wire: Wire,
  bytes: Uint8Array,
  body: JsonObject,
): Promise<void> {
  const { gateway, owner } = context
  const { model } = body
  if (typeof model !== 'string' || model === '') {
    throw new GatewayError('invalid_request', 'The request names no model. Give its name as "model".', {
      param: 'model',
      code: 'missing_model',
    })
  }
  const destination = gateway.router(model)
  const { upstream } = destination
  const routed = { context, wire, model, destination, streamed: body.stream === true }
  noteDestination(routed)
  const stopwatch = new Stopwatch(gateway.clock.now)
  const state =
    wire === 'responses' && keepsState(upstream)
      ? await stopwatch.wait(resolveState(body, { owner, store: gateway.store, newId: gateway.newId }))
      : undefined
  // Better to know now that the answer cannot be kept than when the model has been paid for it.
  if (state?.keeps) await stopwatch.wait(gateway.store?.check() ?? Promise.resolve())
  const responseId = state === undefined ? '' : gateway.newId('resp_')
  const exchange = openExchange(routed, responseId)
  // An answer says whether it can be continued, and only the gateway knows.
  const restated = state === undefined ? body : { ...body, store: state.keeps }
  const sent = withoutOwnLimit(state?.body ?? body, upstream.wire === wire)
  const { value, diagnostics: found } = exchange.request(sent, { clientRequest: restated })
  const diagnostics = state === undefined ? found : toClientPaths(found, state, body.input)
  const passes = destination.model === model && state === undefined && exchange.isPassthrough
  const run = openRun(routed, { exchange, body, passes, stopwatch, state, responseId })
  // Of what passes as it is nothing is lost, and what is wrong with it is for the upstream to say.
  if (!passes) {
    run.diagnostics.push(...diagnostics)
    refuseLosses(diagnostics, gateway.losses)
  }
  await answer(run, passes ? bytes : JSON.stringify({ ...value, model: destination.model }))
}

interface RoutedRequest {
  readonly context: RequestContext
  readonly wire: Wire
  readonly model: string
  readonly destination: Destination
  readonly streamed: boolean
}

interface RunParts {
  readonly exchange: Exchange
  readonly body: JsonObject
  readonly passes: boolean
  readonly stopwatch?: Stopwatch
  readonly state?: StatefulRequest | undefined
  readonly responseId?: string
}

/** Before anything can fail: whoever watches is to know where the request was going. */
function noteDestination({ context, wire, model, destination, streamed }: RoutedRequest): void {
  const { upstream } = destination
  const { facts } = context.observation
  context.limit.set(upstream.timeouts.totalMs)
  facts.wire = wire
  facts.model = model
  facts.upstream = upstream.name
  facts.upstreamWire = upstream.wire
  facts.upstreamModel = destination.model
  facts.streamed = streamed
}

function openRun({ context, wire, destination, streamed }: RoutedRequest, parts: RunParts): ExchangeRun {
  const { clock, store } = context.gateway
  return {
    context,
    wire,
    upstream: destination.upstream,
    upstreamModel: destination.model,
    exchange: parts.exchange,
    body: parts.body,
    passes: parts.passes,
    streamed,
    state: parts.state,
    responseId: parts.responseId ?? '',
    createdAt: clock.date(),
    store,
    diagnostics: [],
    stopwatch: parts.stopwatch ?? new Stopwatch(clock.now),
  }
}

async function answer(run: ExchangeRun, upstreamBody: string | Uint8Array): Promise<void> {
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

/** How many of its own tools the gateway runs it limits itself, and no other wire has tools that the server runs so. */
function withoutOwnLimit(body: JsonObject, sameWire: boolean): JsonObject {
  if (sameWire || body.max_tool_calls === undefined) return body
  const { max_tool_calls: _, ...rest } = body
  return rest
}

/** A server of the Responses wire usually remembers for itself; no other does. */
function keepsState({ state, wire }: Upstream): boolean {
  return (state ?? (wire === 'responses' ? 'upstream' : 'gateway')) === 'gateway'
}
