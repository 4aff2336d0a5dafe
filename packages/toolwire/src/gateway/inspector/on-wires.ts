/** A request or an answer on every wire, and what each of them loses: the same as `toolwire diff`. */
import { createExchange, type Diagnostic, type WireDefinition } from '@toolwire/core'
import { catalog } from '@toolwire/core/diagnostics'
import type { JsonObject } from '@toolwire/core/json'

export interface Compared {
  readonly value: JsonObject
  readonly kind: 'request' | 'answer'
}

interface OnWire {
  readonly value: unknown
  readonly diagnostics: readonly Diagnostic[]
}

export function onEveryWire(
  { value, kind }: Compared,
  source: WireDefinition,
  wires: readonly WireDefinition[],
): object {
  const views = wires.map(wire => ({
    wire: wire.name,
    title: wire.title,
    ...onWire(value, kind, source, wire),
  }))
  const codes = new Set(views.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)))
  const explanations = Object.fromEntries([...codes].map(code => [code, catalog[code]]))
  return { from: source.name, kind, views, explanations }
}

function onWire(value: object, kind: 'request' | 'answer', from: WireDefinition, to: WireDefinition): OnWire {
  if (from === to) return { value, diagnostics: [] }
  if (kind === 'request') return createExchange({ from, to }).request(value)
  let ids = 0
  const newId = (prefix: string): string => `${prefix}${++ids}`
  return createExchange({ from: to, to: from, newId, now: () => 0 }).response(value)
}
