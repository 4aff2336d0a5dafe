/** Which requests a worker thread can take: those that need nothing but data, since functions do not cross threads. */
import type { ExchangeOptions, ServerTool, WireDefinition } from '@toolwire/core'
import { compact } from '@toolwire/core/json'
import type { GatewayContext, RequestContext } from '../context.ts'
import type { GatewayServerTool } from '../settings.ts'
import type { Destination } from '../upstream/route-model.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import type { WorkerPool } from './pool.ts'
import type { Sealing } from './protocol.ts'

/** `undefined` where the event loop has to do the work itself. */
export function workersFor({ gateway }: RequestContext, wire: WireDefinition): WorkerPool | undefined {
  const { workers, tools, upstreams } = gateway
  if (workers === undefined || !workers.knows(wire) || historyOf(wire) === undefined) return undefined
  const hasTools = runsTools(gateway)
  const canTake = ({ wire: spoken, exchangeOptions }: ServedUpstream): boolean =>
    workers.knows(spoken) && canCross(exchangeOptions) && (!hasTools || writesHistory(spoken))
  return upstreams.every(({ speaks }) => speaks.every(canTake)) &&
    tools.every(tool => canCross(toolData(tool)))
    ? workers
    : undefined
}

/** Whether answers may hold calls that the gateway runs, after which the upstream is asked again. */
export function runsTools({ tools, hosted }: GatewayContext): boolean {
  return tools.length > 0 || hosted.length > 0
}

function historyOf({ service }: WireDefinition): string | undefined {
  return service.http.historyField
}

const writing = new WeakMap<WireDefinition, boolean>()

/** Whether the conversation is a field of what is sent, so that a worker can append to it. */
function writesHistory(wire: WireDefinition): boolean {
  const field = historyOf(wire)
  if (field === undefined) return false
  let known = writing.get(wire)
  if (known === undefined) {
    const history: unknown[] = []
    known =
      wire.service.http.write({ model: 'm', streamed: false, body: { [field]: history } })[field] === history
    writing.set(wire, known)
  }
  return known
}

/** Worked out once for each. */
const crossing = new WeakMap<object, boolean>()

function canCross(value: object): boolean {
  let known = crossing.get(value)
  if (known === undefined) {
    known = isData(value)
    crossing.set(value, known)
  }
  return known
}

function isData(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

const definitions = new WeakMap<GatewayServerTool, ServerTool>()

/** A tool without its handler. The result is the same for the same tool. */
function toolData(tool: GatewayServerTool): ServerTool {
  let made = definitions.get(tool)
  if (made === undefined) {
    const { name, description, parameters, outputSchema, strict, server } = tool
    made = compact({ name, description, parameters, outputSchema, strict, server })
    definitions.set(tool, made)
  }
  return made
}

/** The options of an exchange as far as a worker needs them; ids and the time it has of its own. */
export function dataOptions(
  { gateway }: RequestContext,
  wire: WireDefinition,
  { upstream, model }: Destination,
  answerId: string,
): Partial<ExchangeOptions> {
  const { wire: upstreamWire, exchangeOptions } = upstream
  const options = wire === upstreamWire ? exchangeOptions.same : exchangeOptions.other
  const tools = gateway.tools.map(toolData)
  return { ...options, model, ...(answerId !== '' && { answerId }), ...(tools.length > 0 && { tools }) }
}

export async function sealingFor(
  { gateway, owner }: RequestContext,
  wire: WireDefinition,
  { upstream, model }: Destination,
): Promise<Sealing> {
  const sealsOwnWire = gateway.sharedWires.has(wire) || upstream.keepsReasoning(model)
  return { keys: await gateway.sealKeys.ring(), owner, sealsOwnWire }
}
