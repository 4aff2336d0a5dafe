/** The three wires, and every ordered pair of them. */
import type { BuiltInWire as Wire } from '@toolwire/core'

export const wires: readonly Wire[] = ['chat', 'responses', 'messages']
export const pairs: readonly (readonly [from: Wire, to: Wire])[] = wires.flatMap(from =>
  wires.map(to => [from, to] as const),
)
