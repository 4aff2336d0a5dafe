/** Which part of a request takes how much of the model's window. */
import type { WireDefinition } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import { modelFacts } from '@toolwire/core/presets'
import { countRequest, estimateCounter, type TokenPart } from '@toolwire/core/tokens'

export interface ContextReading {
  readonly side: 'client' | 'upstream'
  readonly total: number
  /** How it was counted. */
  readonly method: string
  readonly parts: readonly TokenPart[]
  /** What was counted, where it is not the one in `request`: with several rounds, the last. */
  readonly body?: JsonObject
  /** The model's window, where it is known. */
  readonly window?: number
}

/** Estimated: a tokenizer takes half a second to load, and the event loop has others to serve. */
export function readContext(
  body: JsonObject,
  {
    wire,
    model,
    side,
  }: {
    readonly wire: WireDefinition
    readonly model: string
    readonly side: ContextReading['side']
  },
): ContextReading {
  const { total, method, parts } = countRequest(body, { wire, counter: estimateCounter, model })
  const window = windowOf(model)
  return {
    side,
    total,
    method,
    parts,
    ...(window !== undefined && { window }),
  }
}

/** The window of the longest beginning of the model's name that is known. */
function windowOf(model: string): number | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1)
  const known = Object.values(modelFacts)
    .flat()
    .flatMap(({ models, facts }) => models.map(each => ({ name: each, window: facts.contextWindow })))
    .filter(fact => fact.window != null && (name === fact.name || name.startsWith(`${fact.name}-`)))
    .sort((a, b) => b.name.length - a.name.length)
  return known[0]?.window ?? undefined
}
