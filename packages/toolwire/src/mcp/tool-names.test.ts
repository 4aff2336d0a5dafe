import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uniqueNames } from './tool-names.ts'

const tool = (server: string, name: string) => ({ server, name })

test.each([
  ['Different names stay.', [tool('a', 'x'), tool('b', 'y')], [], ['x', 'y']],
  [
    'Equal names get the prefix of their server.',
    [tool('a', 'x'), tool('b', 'x'), tool('b', 'y')],
    [],
    ['a_x', 'b_x', 'y'],
  ],
  ['A taken name gets the prefix of its server.', [tool('a', 'x')], ['x'], ['a_x']],
  [
    'A prefixed name does not replace an unchanged one.',
    [tool('a', 'x'), tool('b', 'x'), tool('c', 'a_x')],
    [],
    ['a_x_2', 'b_x', 'a_x'],
  ],
  [
    'Prefixed names that are equal get a number.',
    [tool('a', 'b_x'), tool('a_b', 'x')],
    ['b_x', 'x'],
    ['a_b_x', 'a_b_x_2'],
  ],
] as const)('%s', (_, tools, taken, names) => expect(uniqueNames(tools, taken)).toEqual(names))

const word = fc.stringMatching(/^[ab_]{0,3}$/)
const tools = fc.uniqueArray(fc.record({ server: word, name: word }), {
  selector: ({ server, name }) => `${server}/${name}`,
})

test('All names are different, none is taken, and a unique name stays unchanged.', () => {
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
