import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uniqueNames } from './tool-names.ts'

const tool = (server: string, name: string) => ({ server, name })

test.each([
  ['different names stay', [tool('a', 'x'), tool('b', 'y')], [], ['x', 'y']],
  [
    'the same name gets its server',
    [tool('a', 'x'), tool('b', 'x'), tool('b', 'y')],
    [],
    ['a_x', 'b_x', 'y'],
  ],
  ['a name that is taken gets its server', [tool('a', 'x')], ['x'], ['a_x']],
  [
    'a name that is kept is not taken by one put together',
    [tool('a', 'x'), tool('b', 'x'), tool('c', 'a_x')],
    [],
    ['a_x_2', 'b_x', 'a_x'],
  ],
  ['names put together may meet', [tool('a', 'b_x'), tool('a_b', 'x')], ['b_x', 'x'], ['a_b_x', 'a_b_x_2']],
] as const)('%s', (_, tools, taken, names) => expect(uniqueNames(tools, taken)).toEqual(names))

const word = fc.stringMatching(/^[ab_]{0,3}$/)
const tools = fc.uniqueArray(fc.record({ server: word, name: word }), {
  selector: ({ server, name }) => `${server}/${name}`,
})

test('names are all different, none is taken, and whoever is alone keeps its own', () => {
  fc.assert(
    fc.property(tools, fc.array(word), (list, taken) => {
      const names = uniqueNames(list, taken)
      expect(new Set([...names, ...taken]).size).toBe(list.length + new Set(taken).size)
      for (const [i, { name }] of list.entries()) {
        const alone = list.filter(other => other.name === name).length === 1 && !taken.includes(name)
        expect(names[i] === name).toBe(alone)
      }
    }),
  )
})
