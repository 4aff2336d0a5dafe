import { describe, expect, test } from 'vitest'
import { lintTools } from './lint-tools.ts'

const chatTool = (name: string, strict: boolean): object => ({
  type: 'function',
  function: { name, strict, parameters: { type: 'object', properties: { a: { type: 'string' } } } },
})

describe('time', () => {
  /** Counts how often the tools are looked into, which is what a clock would measure with noise. */
  const operations = (count: number): number => {
    let looks = 0
    const watched = (value: object): object =>
      new Proxy(value, {
        get(target, key, receiver) {
          looks++
          const member: unknown = Reflect.get(target, key, receiver)
          return typeof member === 'object' && member !== null ? watched(member) : member
        },
        getOwnPropertyDescriptor(target, key) {
          looks++
          return Reflect.getOwnPropertyDescriptor(target, key)
        },
      })
    const tools = Array.from({ length: count }, (_, i) => {
      const tool = chatTool(i % 2 === 0 ? `f${i}` : `odd name ${i}`, i % 3 === 0)
      return watched(tool)
    })
    lintTools(tools, { wire: 'chat', target: 'messages' })
    lintTools(tools, { wire: 'chat' })
    return looks
  }

  test('The time of lint grows linearly with the number of tools.', () => {
    const small = operations(500)
    expect(small).toBeGreaterThan(500)
    expect(operations(5000) / small).toBeLessThan(10.5)
  })
})
