import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isExact } from './exact-number.ts'

describe('isExact', () => {
  it.each(['0', '-0', '0.0', '1', '1.0', '-1.50', '0.1', '1e2', '1E+2', '100e-2', '1e21', '1e308', '5e-324'])(
    'takes %s',
    literal => expect(isExact(literal)).toBe(true),
  )

  it.each(['9007199254740991', '9007199254740992', '-9007199254740991', '0e999999', '0.30000000000000004'])(
    'takes %s',
    literal => expect(isExact(literal)).toBe(true),
  )

  it.each([
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
    '0.1000000000000000055511151231257827',
    '3.14159265358979323846',
    '1e309',
    '-1e400',
    '1e-400',
    '1e99999999999999999999',
  ])('refuses %s', literal => expect(isExact(literal)).toBe(false))

  it('takes every number as JSON.stringify writes it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value =>
        isExact(JSON.stringify(value)),
      ),
    )
  })

  it('agrees with big integers about integers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 69n), max: 2n ** 69n }), value => {
        expect(isExact(String(value))).toBe(BigInt(String(Number(value))) === value)
      }),
    )
  })

  it('does not linger over zeros', () => {
    const zeros = '0'.repeat(200_000)
    expect(isExact(`0.${zeros}1${zeros}`)).toBe(false)
    expect(isExact(`1.${zeros}`)).toBe(true)
  })
})
