/** Which requests a worker thread can take: those that need nothing but data, since functions do not cross threads. */
import type { ExchangeOptions, WireDefinition } from '@toolwire/core'
import { builtInWires } from '@toolwire/core'
import type { RequestContext } from '../context.ts'
import type { Destination } from '../upstream/route-model.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import type { WorkerPool } from './pool.ts'
import type { Sealing } from './protocol.ts'

/** `undefined` where the event loop has to do the work itself. */
export function workersFor(
  { gateway, request }: RequestContext,
  wire: WireDefinition,
): WorkerPool | undefined {
  const { workers, tools, hosted, upstreams } = gateway
  if (workers === undefined || request.ownsBody !== true || !isKnown(wire)) return undefined
  // Tools of the gateway run between rounds, and each round needs the whole request.
  if (tools.length > 0 || hosted.length > 0) return undefined
  return wire.service.http.historyField !== undefined && upstreams.every(({ speaks }) => speaks.every(isData))
    ? workers
    : undefined
}

const builtIn: readonly WireDefinition[] = Object.values(builtInWires)

function isKnown(wire: WireDefinition): boolean {
  return builtIn.includes(wire)
}

/** Worked out once for each upstream. */
const areData = new WeakMap<ServedUpstream, boolean>()

function isData(upstream: ServedUpstream): boolean {
  const known = areData.get(upstream)
  if (known !== undefined) return known
  const result = isKnown(upstream.wire) && canCross(upstream.exchangeOptions)
  areData.set(upstream, result)
  return result
}

function canCross(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

/** The options of an exchange as far as a worker needs them; ids and the time it has of its own. */
export function dataOptions(
  wire: WireDefinition,
  { upstream, model }: Destination,
  answerId: string,
): Partial<ExchangeOptions> {
  const { wire: upstreamWire, exchangeOptions } = upstream
  const options = wire === upstreamWire ? exchangeOptions.same : exchangeOptions.other
  return { ...options, model, ...(answerId !== '' && { answerId }) }
}

export async function sealingFor(
  { gateway, owner }: RequestContext,
  wire: WireDefinition,
  { upstream, model }: Destination,
): Promise<Sealing> {
  const sealsOwnWire = gateway.sharedWires.has(wire) || upstream.keepsReasoning(model)
  return { keys: await gateway.sealKeys.ring(), owner, sealsOwnWire }
}
