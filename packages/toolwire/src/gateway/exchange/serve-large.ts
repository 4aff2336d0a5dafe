/**
 * A request that is too large for the event loop: a worker thread reads and converts it. The exchange for the answer is
 * opened here, from the request without its history, because the way back depends on tools and settings alone (decision 20).
 */
import type { ServerCallRecord } from '@toolwire/core'
import type { Item } from '../../store/store.ts'
import { asFarAsKnown, orCompactHere, refuseHeldHistory, watchedOf } from '../compaction/native.ts'
import type { RequestContext } from '../context.ts'
import { nodeBytes, textBytes } from '../http/byte-budget.ts'
import type { JsonObject } from '../http/json-body.ts'
import { continuesWarmUp, stateOf, whereStateIs } from '../responses-api/request-state.ts'
import type { StatefulRequest } from '../responses-api/state.ts'
import { findKeptReasoning } from '../sealing/kept-reasoning.ts'
import { loadServerCalls } from '../server-tools/stored-calls.ts'
import { charge } from '../tenants/charge.ts'
import { membersIn, refuseOtherModels } from '../tenants/other-models.ts'
import { refuseLargeThread } from '../threads/thread.ts'
import { marksIn } from '../upstream/affinity.ts'
import { destinationsFor } from '../upstream/choose-wire.ts'
import { withoutFields } from '../upstream/flags.ts'
import { dataOptions, runsTools, sealingFor } from '../workers/eligible.ts'
import { giveState, takeTexts } from '../workers/give-texts.ts'
import { ownBytes } from '../workers/plain-data.ts'
import type { Worker, WorkerPool } from '../workers/pool.ts'
import type { FoundState, ReadJob, ReadRequest } from '../workers/protocol.ts'
import { onAnyUpstream } from './any-upstream.ts'
import { withoutCallLimit } from './call-limit.ts'
import { foreignPaths, referencesFor } from './held-ids.ts'
import { LargeRounds } from './large-rounds.ts'
import { noteLosses } from './loss-report.ts'
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
import { openExchange, type ReadyRun } from './run.ts'

export async function serveLarge(
  context: RequestContext,
  endpoint: Endpoint,
  bytes: Uint8Array,
  workers: WorkerPool,
): Promise<void> {
  context.memory.take(textBytes(bytes.length), 'request')
  const mayBeShared = context.gateway.upstreams.length > 1
  let left = bytes
  const readBy = async (worker: Worker): Promise<ReadRequest> => {
    const read = await readIn(worker, context, endpoint, left)
    // It may be read again: for one of several upstreams, or after an upstream that refuses to make a summary.
    const isGone = left.length === 0
    if (isGone && (mayBeShared || read.mayCompact)) left = (await worker.run('copyBytes', undefined)).bytes
    return read
  }
  // A worker is free again before the upstream is asked.
  const begun = await workers.with(context.signal, async worker => {
    const read = await readBy(worker)
    const model = read.model ?? context.params[endpoint.modelParameter]
    if (model === undefined || model === '') throw missingModel(endpoint)
    const found = routeNamed(context, endpoint, model)
    refuseOtherModels(context, membersIn(read.head))
    await charge(context, found, () => read.tokens)
    if (found.others !== undefined) return { model, found, marks: marksIn(context, read.head) }
    const ready = await prepare({ context, endpoint, model, destination: found }, read, worker)
    return { model, found, ready }
  })
  const { model, found } = begun
  const serve = (target: Target, prepared?: ReadyRun): Promise<void> =>
    orCompactHere(target.context, async compactsHere => {
      const { signal } = target.context
      const given = { ...target, compactsHere }
      const again = (): Promise<ReadyRun> =>
        workers.with(signal, async worker => prepare(given, await readBy(worker), worker))
      await runReady(target, compactsHere ? await again() : (prepared ?? (await again())))
    })
  if ('ready' in begun) return serve({ context, endpoint, model, destination: found }, begun.ready)
  await onAnyUpstream(
    context,
    found,
    () => begun.marks,
    (destination, at, attempt) => serve({ context: at, endpoint, model, destination, attempt }),
  )
}

/** A request whose history was stored before, and is too large for the event loop. */
export async function serveLongHistory(
  routed: RoutedRequest,
  body: string,
  found: FoundState,
  workers: WorkerPool,
): Promise<void> {
  const { context, endpoint } = routed
  const bytes = new TextEncoder().encode(body)
  const prepared = await workers.with(context.signal, async worker =>
    convertLarge(routed, await readIn(worker, context, endpoint, bytes), worker, found),
  )
  await runReady(routed, prepared)
}

type Target = Omit<RoutedRequest, 'streamed'>

async function prepare(target: Target, read: ReadRequest, worker: Worker): Promise<ReadyRun> {
  const { context, endpoint } = target
  const [chosen] = destinationsFor(target.destination, endpoint.wire, read.head)
  const known = asFarAsKnown({ destination: chosen, compactsHere: target.compactsHere })
  const upstream = endpoint.isStateful ? await whereStateIs(context, known, read.head) : known
  const destination = { ...chosen, upstream }
  const routed = { ...target, destination, streamed: endpoint.streams ?? read.streamed }
  noteDestination(routed)
  refuseLargeThread(context, routed, read.head)
  const refers = endpoint.isStateful && continuesWarmUp(read.head)
  if (!read.isPlain || read.mayCompact || refers || !canPassRequest(routed))
    return convertLarge(routed, read, worker)
  const exchange = openExchange(context, endpoint.wire, destination)
  exchange.passthrough(() => read.head)
  const { bytes: unread } = await worker.run('takeBytes', undefined)
  return { run: openRun(routed, { exchange, body: {}, passes: true }), body: unread }
}

export async function readIn(
  worker: Worker,
  { params, query, request, gateway, observation, tenant }: RequestContext,
  { wire, streams, fields }: Pick<Endpoint, 'wire' | 'streams' | 'fields'>,
  given: Uint8Array,
): Promise<ReadRequest> {
  const bytes = await ownBytes(given, request.ownsBody !== true || observation.wantsViews)
  const { depth, nodes, headNodes } = gateway.limits
  const job: ReadJob = {
    bytes,
    wire: wire.name,
    streams,
    params,
    query: Object.fromEntries(query),
    headers: request.headers,
    limits: { depth, nodes, headNodes },
    fields,
    isMetered: tenant?.isMetered === true,
  }
  return worker.run('read', job, [bytes.buffer])
}

async function convertLarge(
  routed: RoutedRequest,
  read: ReadRequest,
  worker: Worker,
  known?: FoundState,
): Promise<ReadyRun> {
  const { context, endpoint, model, destination, streamed } = routed
  const { gateway, stopwatch } = context
  const { upstream } = destination
  const { head } = read
  // A worker has memory of its own, but all of them share that of the machine.
  context.memory.take(nodeBytes(read.nodes), 'request')
  const relevant = referencesFor(context, endpoint.wire, upstream)
  const held = relevant
    ? await stopwatch.wait(foreignPaths(relevant(read.references), context, upstream))
    : []
  const gated = gatedOf(routed)
  const { body: headSent, told } = withoutFields(head, gated.early)
  const isWindow = makesWindow(routed)
  const foreign = [...held, ...told.map(({ path }) => path)]
  const found =
    known ??
    (endpoint.isStateful
      ? await stopwatch.wait(stateOf(context, upstream, stateBody(head, endpoint), () => read.referred))
      : undefined)
  if (found?.isStored) await stopwatch.wait(gateway.store?.check() ?? Promise.resolve())
  const isOurs = found !== undefined && upstream.needsState
  const responseId = routed.attempt?.responseId ?? (isOurs ? gateway.newId('resp_') : '')
  const seal = await gateway.sealKeys.sealFor(context.owner)
  const sealing = await sealingFor(context, endpoint.wire, destination)
  const kept = await stopwatch.wait(findKeptReasoning(context, upstream.name, read.calls))
  const crossing = await giveState(worker, found)
  const records = runsTools(gateway)
    ? await recordsOf(context, await worker.run('sentCallIds', crossing))
    : new Map<string, never>()
  // Tools of MCP servers come and go; both threads have to have the same.
  const options = dataOptions(context, endpoint.wire, destination, responseId)
  const exchange = openExchange(context, endpoint.wire, destination, responseId, seal)
  const converted = await worker.run('convert', {
    upstreamWire: upstream.wire.name,
    upstream: upstream.name,
    sealing,
    kept,
    records,
    options,
    model: destination.model,
    isRenamed: destination.model !== model,
    isPlain: read.isPlain && told.length === 0,
    foreign,
    streamed,
    state: crossing,
    late: gated.late,
    isWindow,
  })
  const { bytes, passes, diagnostics, hasInput, plan: compaction, demand, native, window } = converted
  if (demand !== undefined) refuseHeldHistory(demand, head, found, upstream)
  const restated = found === undefined ? head : { ...head }
  const clientRequest: JsonObject = isOurs ? { ...head, store: found.isStored } : restated
  const { value: first } = exchange.request(withoutCallLimit(headSent, endpoint.wire, upstream.wire), {
    clientRequest,
  })
  if (demand !== undefined) exchange.answerWith(demand)
  const input = hasInput ? await takeTexts(worker) : []
  const state = found && asState(found, input)
  const { write } = upstream.wire.service.http
  const rounds = runsTools(gateway)
    ? new LargeRounds(routed, bytes, write({ model: destination.model, streamed, body: first }))
    : undefined
  const nextRequest = rounds && ((value: JsonObject) => rounds.next(value))
  const parts = { exchange, body: head, passes, state, responseId, nextRequest }
  const watched = watchedOf(routed, native)
  const run = openRun(routed, { ...parts, compaction, watched, window })
  noteLosses(run, told, diagnostics)
  return { run, body: bytes }
}

/** The request itself was put together in the worker. */
function asState({ referred: _, ...found }: FoundState, input: readonly Item[]): StatefulRequest {
  return { ...found, body: {}, input: () => input, indices: [] }
}

async function recordsOf(
  context: RequestContext,
  callIds: readonly string[],
): Promise<ReadonlyMap<string, ServerCallRecord>> {
  const { gateway, owner } = context
  await loadServerCalls(context, callIds)
  const found = callIds.flatMap(id => {
    const record = gateway.serverCallMemory.find(owner, id)
    return record === undefined ? [] : [[id, record] as const]
  })
  return new Map(found)
}
