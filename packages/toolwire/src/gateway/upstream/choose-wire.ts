/**
 * The wire to ask an upstream on that speaks several: the client's own, unless the model takes tools only on another; then
 * those that the upstream prefers. A wire on which the model refuses what is asked for comes last.
 */
import type { WireDefinition } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import type { Destination } from './route-model.ts'
import type { ServedUpstream } from './served.ts'

/** Whether the choice depends on more than the client's wire and the model. */
export function dependsOnRequest({ upstream, model }: Destination, client: WireDefinition): boolean {
  const { speaks } = upstream
  return speaks.length > 1 && inOrder(speaks, client)[0]?.profileOf(model).functions !== 'always'
}

/** All that could be asked, the best first. `body`: what the client sent, where the choice depends on it. */
export function destinationsFor(
  { upstream, model }: Destination,
  client: WireDefinition,
  body: JsonObject | undefined,
): readonly [Destination, ...Destination[]] {
  const { speaks } = upstream
  if (speaks.length === 1) return [{ upstream, model }]
  const ordered = inOrder(speaks, client)
  const needs = body && needsOf(body, client)
  const fits = (face: ServedUpstream): boolean => {
    const takes = face.profileOf(model).functions
    if (needs === undefined || !needs.functions || takes === 'always') return true
    return takes === 'without reasoning' && !needs.reasoning
  }
  const [first = upstream, ...others] = [...ordered.filter(fits), ...ordered.filter(face => !fits(face))]
  return [{ upstream: first, model }, ...others.map(face => ({ upstream: face, model }))]
}

function inOrder(speaks: readonly ServedUpstream[], client: WireDefinition): readonly ServedUpstream[] {
  const own = speaks.filter(({ wire }) => wire === client)
  return own.length === 0 ? speaks : [...own, ...speaks.filter(({ wire }) => wire !== client)]
}

interface Needs {
  readonly functions: boolean
  readonly reasoning: boolean
}

function needsOf(body: JsonObject, { conversation }: WireDefinition): Needs {
  const { tools, settings } = conversation.decodeRequest(body, () => undefined)
  return {
    functions: Boolean(tools.tools?.length || tools.additionalTools?.length),
    reasoning: settings.effort?.value !== 'none',
  }
}
