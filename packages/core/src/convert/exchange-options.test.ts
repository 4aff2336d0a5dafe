/** Mistakes in the options of an exchange are thrown with what was meant, and each policy for pairing does its work. */
import { describe, expect, test } from 'vitest'
import { asking, wires } from '../../../../test/conversation/native.ts'
import { createExchange } from '../create-exchange.ts'
import { chat, createExchange as createWith, responses } from '../exchange.ts'
import type { JsonObject } from '../json/object.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'

type Loose = (options?: unknown) => unknown

describe('the options of an exchange', () => {
  test.each([
    [undefined, 'createExchange needs an object with the options "from" and "to"; got nothing.'],
    ['chat', 'createExchange needs an object with the options "from" and "to"; got "chat".'],
    [{ form: 'chat', to: 'chat' }, 'createExchange has no option "form". Did you mean "from"?'],
    [
      { from: 'chat', to: 'chat', paring: 'drop' },
      'createExchange has no option "paring". Did you mean "pairing"?',
    ],
    [{ from: 'chat', to: 'chat', hostedtools: 'drop' }, '"hostedtools". Did you mean "hostedTools"?'],
    [
      { from: 'chat', to: 'chat', temperature: 1 },
      'createExchange has no option "temperature". Known are from, to',
    ],
    [
      { from: 'chat', to: 'chat', pairing: 'synthesise' },
      '"pairing" must be one of error, repair, drop, pass; got "synthesise".',
    ],
    [{ from: 'chat' }, '"to" must be one of chat, responses, messages; got nothing.'],
  ])('The options %j are a TypeError that names the remedy.', (options, message) => {
    expect(() => (createExchange as Loose)(options)).toThrow(TypeError)
    expect(() => (createExchange as Loose)(options)).toThrow(message)
  })

  test('The entry point for definitions checks the same.', () => {
    expect(() => (createWith as Loose)()).toThrow('createExchange needs an object')
    expect(() => (createWith as Loose)({ from: chat, too: responses })).toThrow('Did you mean "to"?')
  })
})

/** A history with a call that has a result, one that has none, and a result that answers no call. */
function broken(wire: Wire): JsonObject {
  const user = { role: 'user', content: 'hi' }
  if (wire === 'responses') {
    const call = { type: 'function_call', name: 'look', arguments: '{}' }
    const output = { type: 'function_call_output', output: 'seen' }
    const input = [user, { ...call, call_id: 'a' }, { ...output, call_id: 'a' }]
    return {
      ...asking(wire, ''),
      input: [...input, { ...call, call_id: 'open' }, { ...output, call_id: 'orphan' }, user],
    }
  }
  if (wire === 'chat') {
    const call = (id: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
    })
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'seen' })
    return {
      ...asking(wire, ''),
      messages: [user, call('a'), result('a'), call('open'), result('orphan'), user],
    }
  }
  const call = (id: string) => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name: 'look', input: {} }],
  })
  const result = (id: string) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: 'seen' }],
  })
  return {
    ...asking(wire, ''),
    messages: [user, call('a'), result('a'), call('open'), result('orphan'), user],
  }
}

describe('pairing', () => {
  const pairs = wires.flatMap(from => wires.flatMap(to => (from === to ? [] : [[from, to] as const])))

  test.each(pairs)(
    'The policy "drop" leaves out what does not pair, from %s to %s, and reports each.',
    (from, to) => {
      const { value, diagnostics } = createExchange({ from, to, pairing: 'drop' }).request(broken(from))
      const text = JSON.stringify(value)
      expect(text).not.toMatch(/"(open|orphan)"/)
      expect(text.match(/"a"/g)).toHaveLength(2)
      const dropped = diagnostics.filter(({ code }) => code === 'unpaired_dropped')
      expect(dropped).toHaveLength(2)
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    },
  )

  test.each(pairs)(
    'The other policies report, complete or pass what does not pair, from %s to %s.',
    (from, to) => {
      const codesOf = (pairing: 'error' | 'repair' | 'pass'): string[] =>
        createExchange({ from, to, pairing })
          .request(broken(from))
          .diagnostics.map(({ code }) => code)
          .filter(code => /result|unpaired/.test(code))
      expect(codesOf('error').sort()).toEqual(['missing_result', 'orphan_result'])
      expect(codesOf('repair')).toEqual(['result_repaired', 'result_repaired'])
      expect(codesOf('pass')).toEqual([])
    },
  )
})
