/** `POST` on one of the three wires: from the client's bytes to an exchange that is ready to run. */
import type { Profile, Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { answerStreamed } from './answer-streamed.ts'
import { answerWhole } from './answer-whole.ts'
import { startBackground } from './background.ts'
import { inCallersPlaces } from './caller-places.ts'
import type { Visit } from './core.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { createStopwatch, masked } from './exchange-run.ts'
import { GatewayError, shuttingDown } from './gateway-error.ts'
import type { JsonObject } from './json-body.ts'
import { parseJsonBody } from './json-body.ts'
import { lossesOf, refuseLosses } from './loss-report.ts'
import { resolveState } from './responses-state.ts'
import type { Upstream } from './settings.ts'
import { defaultTimeouts } from './settings.ts'
import { unlessAborted } from './unless-aborted.ts'

export async function serveExchange(visit: Visit, wire: Wire): Promise<void> {
  const { core, observation } = visit
  if (core.draining()) throw shuttingDown()
  const { bytes, body } = await readJson(visit)
  const run = await prepare(visit, wire, body)
  const { state } = run
  // An answer says whether it can be continued, and only the gateway knows.
  const asked = state === undefined ? body : { ...body, store: state.keeps }
  const { value, diagnostics: found } = run.exchange.request(withoutOwnLimit(run), { asked })
  const diagnostics = state === undefined ? found : inCallersPlaces(found, state, body.input)
  const passes = run.exchange.isUntouched && run.upstreamModel === body.model && run.state?.body === undefined
  // Of what passes as it is nothing is lost, and what is wrong with it is for the upstream to say.
  if (!passes) {
    run.diagnostics.push(...diagnostics)
    refuseLosses(diagnostics, core.losses)
  }
  const upstreamBody = passes ? bytes : JSON.stringify({ ...value, model: run.upstreamModel })
  try {
    if (body.background === true && run.state !== undefined) await startBackground(run, upstreamBody)
    else if (run.streamed) await answerStreamed(run, upstreamBody)
    else await answerWhole(run, upstreamBody)
  } finally {
    const { facts } = observation
    facts.losses = lossesOf(run.diagnostics)
    facts.totalMs = core.clock.now() - facts.startedAt
    facts.overheadMs = Math.max(0, facts.totalMs - run.stopwatch.waitedMs)
  }
}

export async function readJson({
  core,
  request,
  observation,
  signal,
}: Visit): Promise<{ bytes: Uint8Array; body: JsonObject }> {
  const type = request.headers['content-type'] ?? ''
  // Pages can send forms and plain text anywhere without being asked; JSON they cannot.
  if (!/^\s*application\/([\w.+-]+\+)?json\b/i.test(type)) {
    throw new GatewayError('invalid_request', 'Send the body as "content-type: application/json".', {
      code: 'unsupported_media_type',
      status: 415,
    })
  }
  const started = core.clock.now()
  const bytes = await unlessAborted(signal, request.body(core.limits.bodyBytes))
  // Time begins when the request is there: how long a client takes to send it is its own affair.
  observation.facts.startedAt += core.clock.now() - started
  if (observation.wantsViews) {
    observation.viewHead('client-request', {
      line: `${request.method} ${request.target}`,
      headers: masked(request.headers),
    })
    observation.view('client-request', bytes)
  }
  return { bytes, body: parseJsonBody(bytes, core.limits.depth) }
}

async function prepare(visit: Visit, wire: Wire, body: JsonObject): Promise<ExchangeRun> {
  const { core, observation, owner } = visit
  if (typeof body.model !== 'string' || body.model === '') {
    throw new GatewayError('invalid_request', 'The request names no model. Give its name as "model".', {
      param: 'model',
      code: 'missing_model',
    })
  }
  const { upstream, model } = core.router(body.model)
  const timeouts = { ...defaultTimeouts, ...upstream.timeouts }
  visit.limitTo(timeouts.totalMs)
  const streamed = body.stream === true
  Object.assign(observation.facts, {
    wire,
    model: body.model,
    upstream: upstream.name,
    upstreamWire: upstream.wire,
    upstreamModel: model,
    streamed,
  })
  const stopwatch = createStopwatch(core.clock.now)
  const state =
    wire === 'responses' && keepsState(upstream)
      ? await stopwatch.wait(resolveState(body, { owner, store: core.store, newId: core.newId }))
      : undefined
  // Better to know now that the answer cannot be kept than when the model has been paid for it.
  if (state?.keeps) await stopwatch.wait(core.store?.check() ?? Promise.resolve())
  const responseId = core.newId('resp_')
  const { strict, hostedTools, unknownTools, misplacedStrict, pairing, profile } = upstream
  const exchange = createExchange({
    from: wire,
    to: upstream.wire,
    newId: core.newId,
    now: () => Math.floor(core.clock.date() / 1000),
    limits: { event: core.limits.eventLength, stream: core.limits.streamLength },
    ...(strict !== undefined && { strict }),
    ...(hostedTools !== undefined && { hostedTools }),
    ...(unknownTools !== undefined && { unknownTools }),
    ...(misplacedStrict !== undefined && { misplacedStrict }),
    ...(pairing !== undefined && { pairing }),
    profile: { ...assumed(wire, upstream), ...profile },
    // An upstream's ids may repeat or be guessed; what is kept here needs better ones.
    ...(state !== undefined && { answerId: responseId }),
    ...(core.tools.length > 0 && { tools: core.tools }),
    ...((core.tools.length > 0 || core.hosted.length > 0) && {
      recall: callId => core.hidden.recall(owner, callId),
    }),
  })
  return {
    visit,
    wire,
    upstream,
    upstreamModel: model,
    timeouts,
    exchange,
    body,
    streamed,
    state,
    responseId,
    createdAt: core.clock.date(),
    diagnostics: [],
    stopwatch,
  }
}

/** How many of its own tools the gateway runs it limits itself, and no other wire has tools that the server runs so. */
function withoutOwnLimit({ state, body, wire, upstream }: ExchangeRun): JsonObject {
  const { max_tool_calls: limit, ...rest } = state?.body ?? body
  return limit === undefined || upstream.wire === wire ? (state?.body ?? body) : rest
}

/** Most servers of the Chat wire know no subset of the tools, so they are shown only what may be called. */
function assumed(wire: Wire, upstream: Upstream): Partial<Profile> {
  return wire !== upstream.wire && upstream.wire === 'chat' ? { allowedTools: false } : {}
}

/** A server of the Responses wire usually remembers for itself; no other does. */
function keepsState({ state, wire }: Upstream): boolean {
  return (state ?? (wire === 'responses' ? 'upstream' : 'gateway')) === 'gateway'
}
