import { expect, test } from 'vitest'
import { outerMembers } from './outer-members.ts'

const find = (body: object | string): Record<string, string> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return Object.fromEntries(outerMembers(Buffer.from(text), ['a', 'b']))
}
const long = 'é"\\'.repeat(400_000)

test('Only members of the outermost object are found, wherever they stand.', () => {
  expect(find({ tools: [{ a: 'no' }], text: '"a":"no"', a: 'yes', more: { b: 'no' } })).toEqual({
    a: '"yes"',
  })
  expect(find({ tools: [{ a: 'no', b: 'no' }] })).toEqual({})
  expect(find('{ "a" : { "id" : "x" } , "b":1}')).toEqual({ a: '{ "id" : "x" }', b: '1' })
  expect(find('{"a":1,"a":2}')).toEqual({ a: '2' })
  expect(find({ c: 1 })).toEqual({})
  expect(find('[{"a":1}]')).toEqual({})
})

test('In a body that is too long to be scanned, they are found at both ends, and nothing nested is taken for one.', () => {
  expect(find({ a: 1, long })).toMatchObject({ a: '1' })
  expect(find({ long, a: 1, tools: [{ a: 2 }] })).toEqual({ a: '1' })
  expect(find({ long, tools: [{ a: 2 }] })).toEqual({})
  expect(find({ a: 1, long, tools: [{ a: 2 }], b: 3 })).toEqual({ a: '1', b: '3' })
})

test('Between long texts, a member is found by its first mention.', () => {
  expect(find({ long, a: 1, more: long }).a).toMatch(/^1,/)
})
