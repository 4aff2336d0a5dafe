/** One exchange as people read it, and any body on every wire. */
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { detectWire, type WireDefinition } from '@toolwire/core'
import { countJsonNodes, isObject, measureJson } from '@toolwire/core/json'
import { findBefore } from '../../reading/earlier.ts'
import { readTraced, type Traced } from '../../reading/read-traced.ts'
import { readFacts } from '../../reading/reading.ts'
import type { Trace } from '../../telemetry/traces/trace-document.ts'
import type { GatewayContext, GatewayRoute, RequestContext } from '../context.ts'
import { sendJson, sendText } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { readJson } from '../http/json-body.ts'
import { findTrace, traceOwner } from '../routes/system.ts'
import type { WorkerPool } from '../workers/pool.ts'
import type { CompareJob } from '../workers/protocol.ts'
import { onEveryWire } from './on-wires.ts'

const wiresOf = ({ wires }: GatewayContext): { find(name: string): WireDefinition | undefined } => ({
  find: name => wires.get(name),
})

/** Traces with more values are shown raw. */
const mostNodes = 20_000
/** Reading takes up to 12 µs for each value of a body, and comparing as much on each wire. With more, a worker does it. */
const mostOnLoop = { read: 4_000, compared: 1_500 }
/** Long texts take time too: so many characters as much as one value. A trace alone has at most four megabytes. */
const charactersPerNode = 250

/** The values in the events of a stream are only passed over: so many take the time of one. */
const streamedPerNode = 16

/** How many values the bodies of a trace have or take the time of, up to the most that are read. */
function nodesOf({ views }: Trace): number {
  let nodes = 0
  for (const { parts } of Object.values(views)) {
    for (const { text } of parts) {
      const perNode = /^\s*[[{]/.test(text) ? 1 : streamedPerNode
      const { counted } = measureJson(text, Number.POSITIVE_INFINITY, mostNodes * perNode)
      nodes += counted / perNode + text.length / charactersPerNode
      if (nodes > mostNodes) return nodes
    }
  }
  return nodes
}

/** `undefined` where the event loop has to do it. */
function workersOf({ workers, wires }: GatewayContext): WorkerPool | undefined {
  return [...wires.values()].every(wire => workers?.knows(wire)) ? workers : undefined
}

async function reading(context: RequestContext): Promise<void> {
  const { gateway } = context
  const trace = (await findTrace(context)) as Trace
  let nodes = nodesOf(trace)
  // Each of those before takes its part of what may be read.
  const find = async (id: string): Promise<Trace | undefined> => {
    await letOthersRun()
    const found = (await gateway.traces?.get(id, traceOwner(context))) as Trace | undefined
    nodes += found === undefined ? 0 : nodesOf(found)
    return nodes <= mostNodes ? found : undefined
  }
  const before = nodes <= mostNodes ? await findBefore(trace, find) : { chain: [], missing: undefined }
  await sendReading(context, { trace, before }, nodes)
}

async function sendReading(context: RequestContext, traced: Traced, nodes: number): Promise<void> {
  const { gateway, signal } = context
  const isRead = nodesOf(traced.trace) <= mostNodes
  const workers = isRead && nodes > mostOnLoop.read ? workersOf(gateway) : undefined
  if (workers === undefined) {
    const { trace } = traced
    const isRaw = nodesOf(trace) > (gateway.workers === undefined ? mostNodes : mostOnLoop.read)
    const wires = wiresOf(gateway)
    sendJson(context, 200, { trace, reading: isRaw ? readFacts(trace, wires) : readTraced(traced, wires) })
    return
  }
  const { bytes } = await workers.with(signal, worker => worker.run('readTrace', traced))
  sendText(context, 200, bytes)
}

/** For documents that somebody imports: they may come from another gateway. */
async function readDocument(context: RequestContext): Promise<void> {
  const { trace } = await readJson(context)
  if (!isTrace(trace)) {
    throw new GatewayError('invalid_request', 'Send {"trace": …} as GET /toolwire/traces/{id} returns it.', {
      param: 'trace',
    })
  }
  const nodes = nodesOf(trace)
  if (nodes > mostNodes) {
    const message = `The bodies of the trace have more than ${mostNodes} values. Only smaller ones can be read here.`
    throw new GatewayError('too_large', message, { param: 'trace', code: 'body_too_many_nodes' })
  }
  await sendReading(context, { trace }, nodes)
}

function isTrace(value: unknown): value is Trace {
  return (
    isObject(value) &&
    isObject(value.summary) &&
    isObject(value.views) &&
    Array.isArray(value.losses) &&
    value.losses.every(isObject) &&
    Object.values(value.views).every(
      view => isObject(view) && Array.isArray(view.parts) && view.parts.every(isPart),
    )
  )
}

function isPart(value: unknown): boolean {
  return isObject(value) && typeof value.text === 'string'
}

/** The same as `toolwire diff`: a request or an answer on every wire, and what each of them loses. */
async function diff(context: RequestContext): Promise<void> {
  const { gateway } = context
  const { value, kind = 'request', from } = await readJson(context)
  if (!isObject(value) || (kind !== 'request' && kind !== 'answer')) {
    throw new GatewayError('invalid_request', 'Send {"value": {…}, "kind": "request" or "answer"}.', {
      param: 'value',
    })
  }
  const all = [...gateway.wires.values()]
  const name = typeof from === 'string' ? from : detectWire(value, { kind, wires: all })
  const source = gateway.wires.get(name ?? '')
  if (source === undefined) {
    throw new GatewayError('invalid_request', 'It is not clear which wire this is of. Name it in "from".', {
      param: 'from',
    })
  }
  const workers = countJsonNodes(JSON.stringify(value)) > mostOnLoop.compared ? workersOf(gateway) : undefined
  if (workers === undefined) return sendJson(context, 200, onEveryWire({ value, kind }, source, all))
  const job: CompareJob = { value, kind, from: source.name, wires: all.map(wire => wire.name) }
  const { bytes } = await workers.with(context.signal, worker => worker.run('compareWires', job))
  sendText(context, 200, bytes)
}

export const readingRoutes: readonly GatewayRoute[] = [
  {
    name: 'reading',
    method: 'GET',
    path: '/toolwire/traces/{id}/reading',
    operators: 'more',
    handle: reading,
  },
  { name: 'read', method: 'POST', path: '/toolwire/read', operators: 'also', handle: readDocument },
  { name: 'diff', method: 'POST', path: '/toolwire/diff', operators: 'also', handle: diff },
]
