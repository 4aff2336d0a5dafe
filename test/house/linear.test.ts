/**
 * Converting and linting grow linearly with the number of tools. Counted, not timed: reads of the input,
 * and elements looked at by the array methods that could hide a loop inside a loop.
 */
import { convertToolParams } from '@toolwire/core'
import { lintToolParams } from '@toolwire/core/lint'
import { expect, test } from 'vitest'

const scanning = [
  'includes',
  'indexOf',
  'find',
  'findIndex',
  'some',
  'every',
  'filter',
  'map',
  'flatMap',
  'reduce',
  'slice',
  'concat',
] as const

function countWork(run: () => void): number {
  let work = 0
  const originals = scanning.map(name => [name, Array.prototype[name]] as const)
  for (const [name, original] of originals) {
    const counting = function (this: unknown[], ...args: unknown[]): unknown {
      work += this.length
      return Reflect.apply(original, this, args)
    }
    Object.defineProperty(Array.prototype, name, { value: counting, writable: true, configurable: true })
  }
  try {
    run()
  } finally {
    for (const [name, original] of originals) {
      Object.defineProperty(Array.prototype, name, { value: original, writable: true, configurable: true })
    }
  }
  return work
}

function bodyOf(count: number): object {
  const parameters = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'integer' } },
    required: ['a'],
  }
  const tools = Array.from({ length: count }, (_, i) => {
    const name = `tool.${i}`
    if (i % 3 === 0)
      return { type: 'custom', name, format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } }
    if (i % 3 === 1)
      return {
        type: 'namespace',
        name,
        description: 'd',
        tools: [{ type: 'function', name: 'same', parameters }],
      }
    return { type: 'function', name, parameters, strict: false, x_vendor: i }
  })
  const allowed = tools.filter((_, i) => i % 3 === 2).map(({ name }) => ({ type: 'function', name }))
  return { tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed } }
}

test.each(['chat', 'messages', 'responses'] as const)(
  '10,000 tools convert to %s in time linear in their number',
  to => {
    const work = (count: number): number =>
      countWork(() => convertToolParams(bodyOf(count), { from: 'responses', to }))
    expect(work(10_000) / work(1_000)).toBeLessThan(10.5)
  },
)

test('10,000 tools are linted in time linear in their number', () => {
  const work = (count: number): number =>
    countWork(() => lintToolParams(bodyOf(count), { wire: 'responses' }))
  expect(work(10_000) / work(1_000)).toBeLessThan(10.5)
})
