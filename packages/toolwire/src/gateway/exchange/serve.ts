/** A request of an exchange: from the client's bytes to an exchange that runs. */
import type { Draft } from '@toolwire/core/json'
import { countJsonNodes, jsonExcess } from '@toolwire/core/json'
import type { RequestFacts } from '@toolwire/core/wires'
import { asFarAsKnown, orCompactHere, refuseHeldHistory, watchedOf } from '../compaction/native.ts'
import { planRequest } from '../compaction/plan.ts'
import { userMessages, windowDemand } from '../compaction/window.ts'
import type { RequestContext } from '../context.ts'
import { GatewayError, shuttingDown } from '../errors.ts'
import { asBuffer } from '../http/bytes.ts'
import type { JsonObject } from '../http/json-body.ts'
import { parseJsonBody, parsePeeked, readBytes, weighBody } from '../http/json-body.ts'
import {
  mayBeStoredHere,
  mayBeUncounted,
  stateOf,
  warmUpMark,
  whereStateIs,
} from '../responses-api/request-state.ts'
import type { StatefulRequest } from '../responses-api/state.ts'
import { assembleState, referredIds, toClientPaths } from '../responses-api/state.ts'
import { finderOf, findKeptReasoning } from '../sealing/kept-reasoning.ts'
import { loadServerCalls } from '../server-tools/stored-calls.ts'
import type { Limits } from '../settings.ts'
import { charge } from '../tenants/charge.ts'
import { estimateTokens } from '../tenants/estimate-tokens.ts'
import { membersIn, refuseOtherModels } from '../tenants/other-models.ts'
import { keepsThreads, namesThread, openThread } from '../threads/thread.ts'
import { type ConversationMarks, marksOf } from '../upstream/affinity.ts'
import { dependsOnRequest, destinationsFor } from '../upstream/choose-wire.ts'
import { withoutFields } from '../upstream/flags.ts'
import { outerMembers } from '../upstream/outer-members.ts'
import { runsTools, workersFor } from '../workers/eligible.ts'
import type { LoopLimits } from '../workers/loop-limits.ts'
import { exceeds, loopLimits, refuseForLoop } from '../workers/loop-limits.ts'
import type { FoundState } from '../workers/protocol.ts'
import { onAnyUpstream } from './any-upstream.ts'
import { withoutCallLimit } from './call-limit.ts'
import { checkReferences, heldIdsFor } from './held-ids.ts'
import { noteLosses, RefusedLosses } from './loss-report.ts'
import { mayCompact, mayHoldEnvelope, mayRefer } from './may-refer.ts'
import { peekRequest } from './peek-request.ts'
import type { Endpoint, RoutedRequest } from './routed-request.ts'
import {
  canPassRequest,
  gatedOf,
  makesWindow,
  missingModel,
  noteDestination,
  openRun,
  routeNamed,
  runReady,
  stateBody,
} from './routed-request.ts'
import { openExchange } from './run.ts'
import { serveLarge, serveLongHistory } from './serve-large.ts'

export async function serveExchange(context: RequestContext, endpoint: Endpoint): Promise<void> {
  const { gateway } = context
  const { wire } = endpoint
  if (gateway.draining()) throw shuttingDown()
  const bytes = await readBytes(context)
  const { depth, inlineBytes, inlineNodes } = gateway.limits
  const workers = workersFor(context, wire)
  if (workers !== undefined && bytes.length > inlineBytes) {
    return serveLarge(context, endpoint, bytes, workers)
  }
  const marks = (): ConversationMarks => marksOf(context, bytes)
  const loop = loopLimits(gateway)
  refuseForLoop(bytes.length, loop)
  const nodes = workers === undefined ? loop.nodes : inlineNodes
  const peek = peekRequest(bytes, { depth, nodes }, endpoint.fields)
  if (peek === undefined) {
    if (workers !== undefined && hasManyNodes(bytes, inlineNodes)) {
      return serveLarge(context, endpoint, bytes, workers)
    }
    weighBody(context, bytes.length, countJsonNodes(asBuffer(bytes).toString('latin1')))
    // A name that is written twice, or escaped, may mean something else to the upstream. What was checked is sent.
    const { model, streamed, body } = readRequest(context, endpoint, parseJsonBody(bytes, loop))
    if (model === undefined) throw missingModel(endpoint)
    const found = routeNamed(context, endpoint, model)
    refuseOtherModels(context, membersIn(body))
    await charge(context, found, () => estimateTokens(bytes))
    return onAnyUpstream(context, found, marks, (destination, at, attempt) =>
      convertOnAny({ context: at, endpoint, model, destination, streamed, attempt }, undefined, body),
    )
  }
  const model = peek.model ?? context.params[endpoint.modelParameter] ?? ''
  const read = (at: RequestContext): JsonObject => {
    weighBody(at, bytes.length, peek.nodes)
    return readRequest(at, endpoint, parsePeeked(bytes, peek.text)).body
  }
  const streamed = endpoint.streams ?? peek.streamed
  const request = { bytes, isThreaded: peek.isThreaded, read }
  const found = routeNamed(context, endpoint, model)
  refuseOtherModels(context, names => [...outerMembers(bytes, names).keys()])
  const charged = charge(context, found, () => estimateTokens(bytes))
  if (charged !== undefined) await charged
  return onAnyUpstream(context, found, marks, (destination, at, attempt) =>
    serveOn({ context: at, endpoint, model, destination, streamed, attempt }, request),
  )
}

interface PeekedRequest {
  readonly bytes: Uint8Array
  readonly isThreaded: boolean
  read(context: RequestContext): JsonObject
}

async function serveOn(given: RoutedRequest, { bytes, isThreaded, read }: PeekedRequest): Promise<void> {
  const { context, endpoint, destination: found } = given
  const { gateway } = context
  const { wire } = endpoint
  if (dependsOnRequest(found, wire)) {
    const kept = heldIdsFor(context, wire, found.upstream) === undefined ? bytes : undefined
    return convertOnAny(given, kept, read(context))
  }
  const [destination] = destinationsFor(found, wire, undefined)
  const routed = destination === found ? given : { ...given, destination }
  const heldIds = heldIdsFor(context, wire, destination.upstream)
  const refers =
    (heldIds !== undefined && mayRefer(bytes, heldIds)) ||
    (endpoint.isStateful &&
      mayBeStoredHere(gateway, destination.upstream) &&
      mayRefer(bytes, historyReferences)) ||
    (endpoint.isStateful &&
      mayBeUncounted(context, destination.upstream) &&
      mayRefer(bytes, forBackground)) ||
    (endpoint.isStateful && asBuffer(bytes).includes(warmUpMark))
  const isUnchanged = canPassRequest(routed) && !mayCompact(bytes) && !mayHoldEnvelope(bytes)
  const passes = isUnchanged && !(isThreaded && keepsThreads(context, routed))
  if (refers || !passes) return convertOnAny(routed, refers ? undefined : bytes, read(context))
  noteDestination(routed)
  const exchange = openExchange(context, wire, destination)
  exchange.passthrough(() => orNothing(() => read(context)))
  await runReady(routed, { run: openRun(routed, { exchange, body: {}, passes: true }), body: bytes })
}

/** Of requests that go on from an earlier one. */
const historyReferences = { marks: ['"previous_response_id"', '"conversation"'] }

const forBackground = { marks: ['"background"'] }

/** What passes unread is read only to repeat some of it in an error of the gateway's own, which must not fail for it. */
function orNothing(read: () => JsonObject): JsonObject {
  try {
    return read()
  } catch (error) {
    if (error instanceof GatewayError) return {}
    throw error
  }
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

/** An upstream that speaks several wires is asked on the best one that can carry the request. */
async function convertOnAny(
  routed: RoutedRequest,
  bytes: Uint8Array | undefined,
  given: JsonObject,
): Promise<void> {
  const [first, ...others] = destinationsFor(routed.destination, routed.endpoint.wire, given)
  try {
    return await convert(
      first === routed.destination ? routed : { ...routed, destination: first },
      bytes,
      given,
    )
  } catch (error) {
    if (!(error instanceof RefusedLosses) || others.length === 0) throw error
    for (const destination of others) {
      try {
        return await convert({ ...routed, destination }, undefined, given)
      } catch (again) {
        if (!(again instanceof RefusedLosses)) throw again
      }
    }
    throw error
  }
}

/** `bytes`: those of the client, where they may go to the upstream if nothing has to be changed. */
async function convert(
  routed: RoutedRequest,
  bytes: Uint8Array | undefined,
  given: JsonObject,
): Promise<void> {
  const { context, endpoint, destination } = routed
  noteDestination(routed)
  await orCompactHere(context, async compactsHere => {
    const known = asFarAsKnown({ ...routed, compactsHere })
    const upstream = endpoint.isStateful ? await whereStateIs(context, known, given) : known
    const isSame = upstream === destination.upstream
    const thread = namesThread(routed, given) ? await openThread(context, routed, given) : undefined
    try {
      await convertOpen(
        isSame ? routed : { ...routed, compactsHere, destination: { ...destination, upstream } },
        compactsHere ? undefined : bytes,
        thread?.body ?? given,
        thread?.state,
      )
    } finally {
      await thread?.release()
    }
  })
}

async function convertOpen(
  routed: RoutedRequest,
  bytes: Uint8Array | undefined,
  given: JsonObject,
  thread: StatefulRequest | undefined,
): Promise<void> {
  const { context, endpoint, model, destination, streamed } = routed
  const { gateway, stopwatch } = context
  const { upstream } = destination
  const { wire } = endpoint
  const gated = gatedOf(routed)
  const { body: known, told } = withoutFields(given, gated.early)
  const isWindow = makesWindow(routed)
  const asked = isWindow ? { ...known, store: false } : known
  const body = await stopwatch.wait(checkReferences(asked, wire, context, upstream))
  const found = endpoint.isStateful
    ? await stopwatch.wait(
        stateOf(context, upstream, stateBody(body, endpoint), () => referredIds(body.input)),
      )
    : undefined
  const workers = found && workersFor(context, wire)
  if (found !== undefined && workers !== undefined && isLong(found, gateway.limits)) {
    return serveLongHistory(routed, JSON.stringify(body), found, workers)
  }
  if (found !== undefined && workers === undefined) refuseLongOnLoop(found, loopLimits(gateway))
  const state = thread ?? (found && assembleState(body, found, gateway.newId))
  // If the answer cannot be stored, the model need not be paid for it.
  if (state?.isStored) await stopwatch.wait(gateway.store?.check() ?? Promise.resolve())
  // An upstream that has state knows its answers by ids of its own.
  const isOurs = found !== undefined && upstream.needsState
  const newId = (): string => (isOurs ? gateway.newId('resp_') : thread && gateway.newId('msg_')) ?? ''
  const responseId = routed.attempt?.responseId ?? newId()
  const seal = await gateway.sealKeys.sealFor(context.owner)
  const exchange = openExchange(context, wire, destination, responseId, seal)
  // An answer states whether it can be continued, which only the gateway knows.
  const clientRequest = isOurs ? { ...body, store: found.isStored } : body
  const sent = withoutCallLimit(state?.body ?? body, wire, upstream.wire)
  const calls = gateway.store === undefined ? [] : exchange.callsWithoutReasoning(sent)
  const options: Draft<NonNullable<Parameters<typeof exchange.request>[1]>> = { clientRequest }
  if (calls.length > 0) {
    const kept = await stopwatch.wait(findKeptReasoning(context, upstream.name, calls))
    Object.assign(options, finderOf(kept, upstream.name))
  }
  if (runsTools(gateway)) {
    await stopwatch.wait(loadServerCalls(context, exchange.sentCallIds(sent)))
  }
  if (isWindow) options.demand = windowDemand
  const planned = await planRequest({
    exchange,
    convert: summary =>
      exchange.request(sent, summary === undefined ? options : { ...options, compacted: { summary } }),
    upstreamWire: upstream.wire,
    model: destination.model,
    streamed,
    isOffLoop: false,
    newId: gateway.newId,
  })
  if (planned.demand !== undefined) refuseHeldHistory(planned.demand, body, found, upstream)
  const { body: value, told: late } = withoutFields(planned.value, gated.late)
  const reported = [...planned.diagnostics, ...late]
  const diagnostics = state === undefined ? reported : toClientPaths(reported, state, body)
  const isSame = destination.model === model && state === undefined && late.length === 0
  const passes = isSame && exchange.isPassthrough
  const window = isWindow ? userMessages(sent) : undefined
  const { plan: compaction } = planned
  const watched = watchedOf(routed, exchange.nativeCompaction)
  const parts = { exchange, body, passes, state, responseId, compaction, watched, window }
  const run = openRun(routed, parts)
  noteLosses(run, told, diagnostics)
  const { write } = upstream.wire.service.http
  await runReady(routed, {
    run,
    body:
      (passes && told.length === 0 ? bytes : undefined) ??
      JSON.stringify(write({ model: destination.model, streamed, body: passes ? body : value })),
  })
}

function hasManyNodes(bytes: Uint8Array, most: number): boolean {
  return jsonExcess(asBuffer(bytes).toString('latin1'), Number.POSITIVE_INFINITY, most) !== undefined
}

/** Whether what was stored before is too large for the event loop. */
function isLong(found: FoundState, { inlineBytes, inlineNodes }: Limits): boolean {
  return exceeds(textsIn(found), inlineBytes, inlineNodes)
}

function refuseLongOnLoop(found: FoundState, { bytes, nodes }: LoopLimits): void {
  if (!exceeds(textsIn(found), bytes, nodes)) return
  throw new GatewayError(
    'too_large',
    `No worker thread can convert what this request continues, and for the event loop it is too long. Begin anew, or raise "limits.loopBytes" (${bytes}) and "limits.loopNodes" (${nodes}).`,
    { code: 'history_too_large' },
  )
}

function* textsIn({ history, referred }: FoundState): Generator<string> {
  for (const { json } of history) yield json
  for (const { json } of referred?.values() ?? []) yield json
}
