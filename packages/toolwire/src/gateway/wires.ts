/** The wires that a gateway speaks: the built-in ones, and those that its options add. */
import type { WireDefinition } from '@toolwire/core'
import { builtInWires } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import { show } from '@toolwire/core/wires'

export type WiresByName = ReadonlyMap<string, WireDefinition>

export function registerWires(more: readonly WireDefinition[] = []): WiresByName {
  const wires = new Map<string, WireDefinition>(Object.entries(builtInWires))
  if (!Array.isArray(more)) throw new TypeError(`"wires" must be a list of wires; got ${show(more)}.`)
  for (const [index, wire] of more.entries()) {
    checkWire(wire, index)
    const known = wires.get(wire.name)
    if (known !== undefined && known !== wire) throw new TypeError(`Two wires are named "${wire.name}".`)
    wires.set(wire.name, wire)
  }
  return wires
}

function checkWire(wire: unknown, index: number): void {
  if (isObject(wire) && isObject(wire.service) && isObject(wire.conversation)) return
  throw new TypeError(`wires[${index}] must be a wire made with defineWire; got ${show(wire)}.`)
}

/** `"chat", "responses" or "messages"`. */
export function listNames(wires: WiresByName): string {
  const names = [...wires.keys()].map(name => JSON.stringify(name))
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}
