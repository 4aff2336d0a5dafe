/**
 * The wire to ask an upstream on that speaks several: the nearest to the client's own that can carry the request. A wire on
 * which the model refuses what is asked for comes last, then one that loses tools; the upstream's order decides the rest.
 */
import type { WireDefinition } from '@toolwire/core'
import { convertToolParams } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import { hosts } from '@toolwire/core/presets'
import type { Destination } from './route-model.ts'
import type { ServedUpstream } from './served.ts'

/** Whether the choice depends on more than the client's wire and the model. */
export function dependsOnRequest({ upstream, model }: Destination, client: WireDefinition): boolean {
  const { speaks } = upstream
  if (speaks.length === 1) return false
  const own = speaks.find(({ wire }) => wire === client)
  return own === undefined || own.profileOf(model).functions !== 'always'
}

/** All that could be asked, the best first. `body`: what the client sent, where the choice depends on it. */
export function destinationsFor(
  found: Destination,
  client: WireDefinition,
  body: JsonObject | undefined,
): readonly [Destination, ...Destination[]] {
  const { upstream, model } = found
  const { speaks } = upstream
  if (speaks.length === 1) return [found]
  const refuses = body === undefined ? () => false : refusalsOf(body, client, found)
  const lossesOn = body === undefined ? () => 0 : toolLossesOf(body, client, model)
  const ranked = speaks
    .map(face => ({
      face,
      rank: [Number(refuses(face)), lossesOn(face), distance(client, face.wire)] as const,
    }))
    .sort(({ rank: a }, { rank: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  const [first = found, ...others] = ranked.map(({ face }) => ({ upstream: face, model }))
  return [first, ...others]
}

/** Wires that one host has defined say most things alike. */
function distance(client: WireDefinition, { name }: WireDefinition): number {
  if (client.name === name) return 0
  return hosts.some(({ defines }) => defines?.includes(client.name) && defines.includes(name)) ? 1 : 2
}

/** Where the model takes no functions, or none beside reasoning. The request is read only if there is such a wire. */
function refusalsOf(
  body: JsonObject,
  { conversation }: WireDefinition,
  { upstream, model }: Destination,
): (face: ServedUpstream) => boolean {
  if (upstream.speaks.every(face => face.profileOf(model).functions === 'always')) return () => false
  const { tools, settings } = conversation.decodeRequest(body, () => undefined)
  const hasFunctions = Boolean(tools.tools?.length || tools.additionalTools?.length)
  const reasons = settings.effort?.value !== 'none'
  return face => {
    const takes = face.profileOf(model).functions
    return hasFunctions && takes !== 'always' && (takes !== 'without reasoning' || reasons)
  }
}

/** How many losses the tools have on a wire. Functions have a form on every wire, so they are not converted for this. */
function toolLossesOf(
  body: JsonObject,
  client: WireDefinition,
  model: string,
): (face: ServedUpstream) => number {
  const { tools = [], additionalTools = [] } = client.tools.decodeToolParams(body, () => undefined)
  if ([...tools, ...additionalTools].every(({ kind }) => kind === 'function')) return () => 0
  return ({ wire, exchangeOptions }) => {
    if (wire === client) return 0
    const { strict, hostedTools, unknownTools, misplacedStrict, profile } = exchangeOptions.other
    const { diagnostics } = convertToolParams(body, {
      from: client,
      to: wire,
      model,
      ...(strict !== undefined && { strict }),
      ...(hostedTools !== undefined && { hostedTools }),
      ...(unknownTools !== undefined && { unknownTools }),
      ...(misplacedStrict !== undefined && { misplacedStrict }),
      ...(profile !== undefined && { profile }),
    })
    return diagnostics.filter(({ severity }) => severity !== 'info').length
  }
}
