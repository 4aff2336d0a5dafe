import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FieldReader } from './field-reader.ts'

describe('a field reader', () => {
  test('A field reader returns a field only as the type it should have, and leaves the others.', () => {
    const fields = new FieldReader({ a: 'text', b: 1, c: true, d: {}, e: [], f: null, g: 0 })
    expect(fields.string('a')).toBe('text')
    expect(fields.number('a')).toBeUndefined()
    expect(fields.string('b')).toBeUndefined()
    expect(fields.number('b')).toBe(1)
    expect(fields.boolean('c')).toBe(true)
    expect(fields.object('d')).toEqual({})
    expect(fields.object('e')).toBeUndefined()
    expect(fields.list('e')).toEqual([])
    expect(fields.value('f')).toBeUndefined()
    expect(fields.is('g', 1)).toBe(false)
    expect(fields.unread()).toEqual([
      [['f'], null],
      [['g'], 0],
    ])
    expect(fields.is('g', 0)).toBe(true)
    expect(fields.unread(['in', 2])).toEqual([[['in', 2, 'f'], null]])
  })

  test('A field reader returns a field again that was read before.', () => {
    const fields = new FieldReader({ a: 'text' })
    fields.ignore('a')
    expect(fields.string('a')).toBe('text')
    expect(fields.value('a')).toBe('text')
    expect(fields.unread()).toEqual([])
  })

  test('A field reader ignores inherited keys, and reads a key called __proto__ like any other.', () => {
    const heir = new FieldReader(Object.create({ a: 'inherited' }) as object as { a: string })
    expect(heir.string('a')).toBeUndefined()
    const fields = new FieldReader(JSON.parse('{"__proto__":{"a":"x"},"b":"y"}'))
    expect(fields.string('a')).toBeUndefined()
    expect(fields.value('constructor')).toBeUndefined()
    expect(fields.unread()).toEqual([
      [['__proto__'], { a: 'x' }],
      [['b'], 'y'],
    ])
    expect(fields.object('__proto__')).toEqual({ a: 'x' })
    expect(fields.unread()).toEqual([[['b'], 'y']])
  })

  test('A field reader leaves nothing that JSON cannot express.', () => {
    const odd: { [key: string]: unknown } = { none: undefined, run: () => 1 }
    expect(new FieldReader(odd).unread()).toEqual([])
  })

  test('A field reader leaves what was not read, in its order.', () => {
    const sources = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(sources, fc.array(fc.string()), fc.nat({ max: 3 }), (source, others, every) => {
        const taken = new Set([...others, ...Object.keys(source).filter((_, i) => i % 4 <= every)])
        const fields = new FieldReader(source)
        for (const key of taken) fields.ignore(key)
        const left = Object.entries(source).filter(([key]) => !taken.has(key))
        expect(fields.unread(['at'])).toEqual(left.map(([key, value]) => [['at', key], value]))
      }),
    )
  })
})
