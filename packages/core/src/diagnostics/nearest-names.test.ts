import { describe, expect, it } from 'vitest'
import { nearest } from './nearest.ts'

describe('nearest', () => {
  it.each<[name: string, known: string[], found: string[]]>([
    ['raed', ['read', 'write'], []],
    ['reed', ['read', 'write'], ['read']],
    ['read_fiel', ['read_file', 'read_files', 'write_file'], ['read_file', 'read_files']],
    ['ab', ['xy'], []],
    ['', ['a', 'abc'], ['a']],
    ['aaaa', ['aaab', 'aaac', 'aaad', 'aaae'], ['aaab', 'aaac', 'aaad']],
    ['READ', ['read'], ['read']],
    ['x'.repeat(101), ['x'.repeat(101)], []],
  ])('%s among %j: %j', (name, known, found) => {
    expect(nearest(name, known)).toEqual(found)
  })

  it('puts the nearest first', () => {
    expect(nearest('parametrs', ['parameterss', 'parameters'])).toEqual(['parameters', 'parameterss'])
  })
})
