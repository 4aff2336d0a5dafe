/**
 * A request that is too large for the event loop: a worker thread reads and converts it. The exchange for the answer is
 * opened here, from the request without its history, because the way back depends on tools and settings alone (decision 20).
 */
import type { ServerCallRecord } from '@toolwire/core'
import { append } from '@toolwire/core/json'
import { Stopwatch } from '../../platform/clock.ts'
import type { Item } from '../../store/store.ts'
import type { RequestContext } from '../context.ts'
import { nodeBytes, textBytes } from '../http/byte-budget.ts'
import type { JsonObject } from '../http/json-body.ts'
import { stateOf, whereStateIs } from '../responses-api/request-state.ts'
import type { StatefulRequest } from '../responses-api/state.ts'
import { findKeptReasoning } from '../sealing/kept-reasoning.ts'
import { refuseLargeThread } from '../threads/thread.ts'
import { destinationsFor } from '../upstream/choose-wire.ts'
import { withoutFields } from '../upstream/flags.ts'
import { dataOptions, runsTools, sealingFor } from '../workers/eligible.ts'
import { ownBytes } from '../workers/plain-data.ts'
import type { Worker, WorkerPool } from '../workers/pool.ts'
import type { FoundState, ReadJob, ReadRequest } from '../workers/protocol.ts'
import { withoutCallLimit } from './call-limit.ts'
import { foreignPaths, heldIdsFor } from './held-ids.ts'
import { LargeRounds } from './large-rounds.ts'
import { refuseLosses } from './loss-report.ts'
import type { Endpoint, RoutedRequest } from './routed-request.ts'
import {
  canPassRequest,
  gatedOf,
  makesWindow,
  missingModel,
  noteDestination,
  openRun,
  runExchange,
  stateBody,
} from './routed-request.ts'
import { openExchange } from './run.ts'

export async function serveLarge(
  context: RequestContext,
  endpoint: Endpoint,
  bytes: Uint8Array,
  workers: WorkerPool,
): Promise<void> {
  context.memory.take(textBytes(bytes.length), 'request')
  // The worker is free again before the upstream is asked.
  const { run, body } = await workers.with(context.signal, worker =>
    prepare(context, endpoint, bytes, worker),
  )
  await runExchange(run, body)
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
  await runExchange(prepared.run, prepared.body)
}

interface Prepared {
  readonly run: ReturnType<typeof openRun>
  readonly body: Uint8Array
}

async function prepare(
  context: RequestContext,
  endpoint: Endpoint,
  bytes: Uint8Array,
  worker: Worker,
): Promise<Prepared> {
  const { gateway } = context
  const read = await readIn(worker, context, endpoint, bytes)
  const model = read.model ?? context.params[endpoint.modelParameter]
  if (model === undefined || model === '') throw missingModel(endpoint)
  const [chosen] = destinationsFor(gateway.router(model), endpoint.wire, read.head)
  const upstream = endpoint.isStateful
    ? await whereStateIs(context, chosen.upstream, read.head)
    : chosen.upstream
  const destination = { ...chosen, upstream }
  const routed = { context, endpoint, model, destination, streamed: endpoint.streams ?? read.streamed }
  noteDestination(routed)
  refuseLargeThread(context, routed, read.head)
  const isForUpstream = destination.upstream.compacts || !read.mayCompact
  if (!read.isPlain || !isForUpstream || !canPassRequest(routed)) return convertLarge(routed, read, worker)
  const exchange = openExchange(context, endpoint.wire, destination)
  exchange.passthrough(() => read.head)
  const { bytes: unread } = await worker.run('takeBytes', undefined)
  return { run: openRun(routed, { exchange, body: {}, passes: true }), body: unread }
}

export function readIn(
  worker: Worker,
  { params, query, request, gateway }: RequestContext,
  { wire, streams, fields }: Pick<Endpoint, 'wire' | 'streams' | 'fields'>,
  given: Uint8Array,
): Promise<ReadRequest> {
  const bytes = request.ownsBody === true ? ownBytes(given) : new Uint8Array(given)
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
  }
  return worker.run('read', job, [bytes.buffer])
}

async function convertLarge(
  routed: RoutedRequest,
  read: ReadRequest,
  worker: Worker,
  known?: FoundState,
): Promise<Prepared> {
  const { context, endpoint, model, destination, streamed } = routed
  const { gateway } = context
  const { upstream } = destination
  const { head } = read
  // A worker has memory of its own, but all of them share that of the machine.
  context.memory.take(nodeBytes(read.nodes), 'request')
  const stopwatch = new Stopwatch(gateway.clock.now)
  const isChecked = heldIdsFor(context, endpoint.wire, upstream) !== undefined
  const held = isChecked ? await stopwatch.wait(foreignPaths(read.references, context, upstream)) : []
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
  const responseId = isOurs ? gateway.newId('resp_') : ''
  const seal = await gateway.sealKeys.sealFor(context.owner)
  const sealing = await sealingFor(context, endpoint.wire, destination)
  const kept = await stopwatch.wait(findKeptReasoning(context, upstream.name, read.calls))
  const records = runsTools(gateway)
    ? recordsOf(context, await worker.run('sentCallIds', found))
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
    state: found,
    late: gated.late,
    isWindow,
  })
  const { bytes, passes, diagnostics, inputCount, plan: compaction, demand, window } = converted
  const clientRequest: JsonObject = isOurs ? { ...head, store: found.isStored } : head
  const { value: first } = exchange.request(withoutCallLimit(headSent, endpoint.wire, upstream.wire), {
    clientRequest,
  })
  if (demand !== undefined) exchange.answerWith(demand)
  const input: Item[] = []
  while (input.length < inputCount) append(input, await worker.run('takeInput', input.length))
  const state = found && asState(found, input)
  const { write } = upstream.wire.service.http
  const rounds = runsTools(gateway)
    ? new LargeRounds(routed, bytes, write({ model: destination.model, streamed, body: first }))
    : undefined
  const nextRequest = rounds && ((value: JsonObject) => rounds.next(value))
  const parts = { exchange, body: head, passes, stopwatch, state, responseId, nextRequest }
  const run = openRun(routed, { ...parts, compaction, window })
  append(run.diagnostics, told)
  refuseLosses(told, gateway.losses)
  if (!passes) {
    append(run.diagnostics, diagnostics)
    refuseLosses(diagnostics, gateway.losses)
  }
  return { run, body: bytes }
}

/** The request itself was put together in the worker. */
function asState({ referred: _, ...found }: FoundState, input: readonly Item[]): StatefulRequest {
  return { ...found, body: {}, input: () => input, indices: [] }
}

function recordsOf(
  { gateway, owner }: RequestContext,
  callIds: readonly string[],
): ReadonlyMap<string, ServerCallRecord> {
  const found = callIds.flatMap(id => {
    const record = gateway.serverCallMemory.find(owner, id)
    return record === undefined ? [] : [[id, record] as const]
  })
  return new Map(found)
}
