import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallableMap } from './callable-map.ts'

const word = fc.constantFrom('', 'a', 'ab', 'b', ' ', '/', '1', '1/a', '2/ab', '__proto__')
const tool = fc.tuple(
  fc.constantFrom('function', 'custom', 'hosted'),
  word,
  fc.option(word, { nil: undefined }),
)

test('A tool is found under its own kind, name and namespace, and under no others.', () => {
  fc.assert(
    fc.property(fc.array(tool, { maxLength: 30 }), tool, (tools, wanted) => {
      const map = new CallableMap<string>()
      const plain = new Map<string, string>()
      for (const [i, [kind, name, namespace]] of tools.entries()) {
        const key = JSON.stringify([kind, name, namespace])
        if (i % 2 === 0) map.set(`${i}`, kind, name, namespace)
        else map.setFirst(`${i}`, kind, name, namespace)
        if (i % 2 === 0 || !plain.has(key)) plain.set(key, `${i}`)
      }
      expect(map.get(...wanted)).toBe(plain.get(JSON.stringify(wanted)))
    }),
  )
})
