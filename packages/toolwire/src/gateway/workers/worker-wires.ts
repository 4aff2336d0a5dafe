/** The wires that a worker thread knows: the built-in ones, and those of the modules that it was given. */
import type { WireDefinition } from '@toolwire/core'
import { builtInWires } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'

const wires = new Map<string, WireDefinition>(Object.entries(builtInWires))

/** A module exports wires, one by one or in lists, or a configuration that has some. */
export async function importWires(modules: readonly string[]): Promise<void> {
  for (const module of modules) {
    const exported: unknown = await import(module)
    const values = await Promise.all(isObject(exported) ? Object.values(exported) : [])
    for (const value of values.flatMap(wiresIn)) wires.set(value.name, value)
  }
}

function wiresIn(value: unknown): WireDefinition[] {
  if (Array.isArray(value)) return value.flatMap(wiresIn)
  if (!isObject(value)) return []
  if (isObject(value.conversation) && isObject(value.service) && typeof value.name === 'string')
    return [value as unknown as WireDefinition]
  return Array.isArray(value.wires) ? value.wires.flatMap(wiresIn) : []
}

export function findWire(name: string): WireDefinition | undefined {
  return wires.get(name)
}

export function wireNamed(name: string): WireDefinition {
  const wire = findWire(name)
  if (wire === undefined) throw new TypeError(`A worker has no wire named "${name}".`)
  return wire
}
