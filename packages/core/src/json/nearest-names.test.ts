import { expect, test } from 'vitest'
import { nearestNames } from './nearest-names.ts'

test.each<[name: string, known: string[], found: string[]]>([
  ['raed', ['read', 'write'], ['read']],
  ['reed', ['read', 'write'], ['read']],
  ['read_fiel', ['read_file', 'read_files', 'write_file'], ['read_file', 'read_files']],
  ['ab', ['xy'], []],
  ['', ['a', 'abc'], ['a']],
  ['aaaa', ['aaab', 'aaac', 'aaad', 'aaae'], ['aaab', 'aaac', 'aaad']],
  ['READ', ['read'], ['read']],
  ['x'.repeat(101), ['x'.repeat(101)], []],
])('The names nearest to "%s" among %j are %j.', (name, known, found) => {
  expect(nearestNames(name, known)).toEqual(found)
})

test('The nearest name comes first.', () => {
  expect(nearestNames('parametrs', ['parameterss', 'parameters'])).toEqual(['parameters', 'parameterss'])
})

test('No more names are returned than were requested.', () => {
  expect(nearestNames('reed', ['read', 'reel'], 1)).toEqual(['read'])
})
