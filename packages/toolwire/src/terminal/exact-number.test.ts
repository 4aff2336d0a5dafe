import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isExact } from './exact-number.ts'

describe('isExact', () => {
  test.each([
    '0',
    '-0',
    '0.0',
    '1',
    '1.0',
    '-1.50',
    '0.1',
    '1e2',
    '1E+2',
    '100e-2',
    '1e21',
    '1e308',
    '5e-324',
  ])('The integer %s is exact.', literal => expect(isExact(literal)).toBe(true))

  test.each(['9007199254740991', '9007199254740992', '-9007199254740991', '0e999999', '0.30000000000000004'])(
    'The number %s is exact.',
    literal => expect(isExact(literal)).toBe(true),
  )

  test.each([
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    '0.1000000000000000055511151231257827',
    '3.14159265358979323846',
    '1e309',
    '-1e400',
    '1e-400',
    '1e99999999999999999999',
  ])('The number %s is not exact.', literal => expect(isExact(literal)).toBe(false))

  test('Every number is exact as JSON.stringify writes it.', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value =>
        isExact(JSON.stringify(value)),
      ),
    )
  })

  test('Integers are exact when BigInt agrees.', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 69n), max: 2n ** 69n }), value => {
        expect(isExact(String(value))).toBe(BigInt(String(Number(value))) === value)
      }),
    )
  })

  test('Many zeros take no long time.', () => {
    const zeros = '0'.repeat(200_000)
    expect(isExact(`0.${zeros}1${zeros}`)).toBe(false)
    expect(isExact(`1.${zeros}`)).toBe(true)
  })
})
