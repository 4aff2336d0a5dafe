import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeTool, encodeTool } from '../tools/tools.ts'
import { echoRequest } from './envelope.ts'

/** The long way: the tool is read and written again, and what it does not say is said to be nothing, and not strict. */
function throughTheModel(tool: unknown): unknown {
  const written = encodeTool(
    decodeTool({ type: 'function', ...(tool as object) }, [], () => {}),
    () => {},
  )
  const isFunction = (written as { type?: unknown } | null)?.type === 'function'
  if (!isFunction) return written
  const stated = (written as { strict?: unknown }).strict === true
  return Object.assign({ description: null, parameters: null, strict: null }, written, { strict: stated })
}

test('An answer of Responses repeats a function as it would be read and written, with its keys in the same order.', () => {
  const odd = fc.constantFrom<unknown>(
    null,
    '',
    'x',
    5,
    true,
    false,
    [],
    {},
    { type: 'object', strict: true },
  )
  const tool = fc.record(
    {
      type: fc.constantFrom('function', 'custom', null),
      name: fc.constantFrom('f', '', null),
      description: odd,
      parameters: odd,
      strict: odd,
      input_schema: odd,
      function: odd,
      more: odd,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(tool, given => {
      const { tools } = echoRequest({ request: { tools: [given] } })
      expect(JSON.stringify(tools)).toBe(JSON.stringify([throughTheModel(given)]))
    }),
  )
})
