/** One exchange as people read it, and any body on every wire. */
import { createExchange, type Diagnostic, detectWire, type WireDefinition } from '@toolwire/core'
import { catalog } from '@toolwire/core/diagnostics'
import { isObject, measureJson } from '@toolwire/core/json'
import { type Reading, readExchange } from '../../reading/reading.ts'
import type { Trace } from '../../telemetry/trace-document.ts'
import type { GatewayContext, GatewayRoute, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { readJson } from '../http/json-body.ts'
import { findTrace } from '../routes/system.ts'

const wiresOf = ({ wires }: GatewayContext): { find(name: string): WireDefinition | undefined } => ({
  find: name => wires.get(name),
})

/** Reading takes the event loop, for every value of a body; traces with more of them are shown raw. */
const mostNodes = 20_000

function isReadable({ views }: Trace): boolean {
  let nodes = 0
  for (const { parts } of Object.values(views)) {
    for (const { text } of parts) nodes += measureJson(text, Number.POSITIVE_INFINITY, mostNodes).counted
  }
  return nodes <= mostNodes
}

async function reading(context: RequestContext): Promise<void> {
  const trace = findTrace(context) as Trace
  const read = isReadable(trace) ? trace : { ...trace, views: {} }
  sendJson(context, 200, { trace, reading: readExchange(read, wiresOf(context.gateway)) })
}

/** For documents that somebody imports: they may come from another gateway. */
async function readDocument(context: RequestContext): Promise<void> {
  const { trace } = await readJson(context)
  if (!isTrace(trace)) {
    throw new GatewayError('invalid_request', 'Send {"trace": …} as GET /toolwire/traces/{id} returns it.', {
      param: 'trace',
    })
  }
  if (!isReadable(trace)) {
    const message = `The bodies of the trace have more than ${mostNodes} values. Only smaller ones can be read here.`
    throw new GatewayError('too_large', message, { param: 'trace', code: 'body_too_many_nodes' })
  }
  const read: Reading = readExchange(trace, wiresOf(context.gateway))
  sendJson(context, 200, { trace, reading: read })
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

interface OnWire {
  readonly value: unknown
  readonly diagnostics: readonly Diagnostic[]
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
  const views = all.map(wire => ({
    wire: wire.name,
    title: wire.title,
    ...onWire(value, kind, source, wire),
  }))
  const codes = new Set(views.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)))
  const explanations = Object.fromEntries([...codes].map(code => [code, catalog[code]]))
  sendJson(context, 200, { from: source.name, kind, views, explanations })
}

function onWire(value: object, kind: 'request' | 'answer', from: WireDefinition, to: WireDefinition): OnWire {
  if (from === to) return { value, diagnostics: [] }
  if (kind === 'request') return createExchange({ from, to }).request(value)
  let ids = 0
  const newId = (prefix: string): string => `${prefix}${++ids}`
  return createExchange({ from: to, to: from, newId, now: () => 0 }).response(value)
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
