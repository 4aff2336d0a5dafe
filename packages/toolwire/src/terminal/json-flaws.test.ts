import { describe, expect, test } from 'vitest'
import { findFlaws } from './json-flaws.ts'

const flawsOf = (text: string): unknown[] =>
  findFlaws(text).map(({ code, path, range }) => [
    code,
    path,
    text.slice(range.offset, range.offset + range.length),
  ])

describe('findFlaws', () => {
  test('A sound text has no flaws.', () => {
    expect(flawsOf('{"a":[1,1.0,1e3,{"a":null}],"b":{"a":"9223372036854775807"}}')).toEqual([])
  })

  test('Numbers that parsing changes are found.', () => {
    expect(flawsOf('[0,{"max":9223372036854775807,"x":[1e999]}]')).toEqual([
      ['number_imprecise', [1, 'max'], '9223372036854775807'],
      ['number_imprecise', [1, 'x', 0], '1e999'],
    ])
    const [flaw] = findFlaws('[9223372036854775807]')
    expect(flaw?.message).toContain('9223372036854775807 cannot be kept; it is read as 9223372036854776000')
  })

  test('Keys that occur twice in one object are found, in any spelling.', () => {
    expect(flawsOf('{"a":1,"b":{"a":1},"\\u0061":2,"__proto__":1,"__proto__":2}')).toEqual([
      ['duplicate_key', ['a'], '"\\u0061"'],
      ['duplicate_key', ['__proto__'], '"__proto__"'],
    ])
  })

  test('Flaws inside of lost values are found.', () => {
    expect(flawsOf('{"a":[1e999],"a":{"b":1,"b":2,"b":3}}')).toEqual([
      ['number_imprecise', ['a', 0], '1e999'],
      ['duplicate_key', ['a'], '"a"'],
      ['duplicate_key', ['a', 'b'], '"b"'],
      ['duplicate_key', ['a', 'b'], '"b"'],
    ])
  })
})
