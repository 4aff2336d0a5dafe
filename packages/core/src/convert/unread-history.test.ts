/** A history that is not a list cannot be decoded: it is reported once, and kept on its own wire. */
import { expect, test } from 'vitest'
import { createExchange } from '../create-exchange.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'

const wires = ['chat', 'responses', 'messages'] as const
const keyOf = (wire: Wire): string => (wire === 'responses' ? 'input' : 'messages')
const pairs = wires.flatMap(from => wires.map(to => [from, to] as const))

test.each(pairs)('A history that is not a list is reported once from %s to %s.', (from, to) => {
  const key = keyOf(from)
  const body = { model: 'm', max_tokens: 9, [key]: { role: 'user', content: 'hello' } }
  const { value, diagnostics } = createExchange({ from, to }).request(body)
  const codes = diagnostics.filter(({ path }) => path[0] === key).map(({ code }) => code)
  expect(codes).toEqual(['not_a_list'])
  if (from === to) expect(value[key]).toEqual(body[key])
})
