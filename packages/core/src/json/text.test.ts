import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  changesNumbers,
  closingQuote,
  countJsonNodes,
  createJsonMeter,
  escapeJson,
  jsonExcess,
  jsonString,
  mapNumbers,
  parseJson,
  skipSpace,
  valueEnd,
} from './text.ts'

test('jsonString and escapeJson write the same as JSON.stringify, also for lone surrogates.', () => {
  const anyCodes = fc.array(fc.integer({ min: 0, max: 0xffff })).map(codes => String.fromCharCode(...codes))
  fc.assert(
    fc.property(fc.oneof(anyCodes, fc.string({ unit: 'binary' })), text => {
      expect(jsonString(text)).toBe(JSON.stringify(text))
      expect(`"${escapeJson(text)}"`).toBe(JSON.stringify(text))
    }),
  )
})

describe('numbers', () => {
  test('mapNumbers finds every number outside of strings and changes nothing else.', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const found: string[] = []
        expect(
          mapNumbers(text, token => {
            found.push(token)
            return token
          }),
        ).toBe(text)
        const numbers: number[] = []
        JSON.parse(text, (_, value) => {
          if (typeof value === 'number') numbers.push(value)
          return value
        })
        expect(found.map(Number).sort()).toEqual(numbers.sort())
      }),
    )
  })

  test('mapNumbers replaces numbers and leaves strings alone.', () => {
    expect(mapNumbers('{"1":[-2.5e3,"3\\"4",5]}', token => `<${token}>`)).toBe('{"1":[<-2.5e3>,"3\\"4",<5>]}')
    expect(mapNumbers('"never closed 12', () => 'x')).toBe('"never closed 12')
  })

  test('changesNumbers detects numbers that parsing would change, however long the text.', () => {
    expect(changesNumbers('{"a":12345678901234567890}')).toBe(true)
    expect(changesNumbers('{"a":"12345678901234567890"}')).toBe(false)
    expect(changesNumbers('{"a":1234567890123456}')).toBe(false)
    const long = JSON.stringify({ text: '\\"\n1'.repeat(4_000_000), id: 1 })
    expect(changesNumbers(long)).toBe(false)
    expect(changesNumbers(`[${long},12345678901234567891]`)).toBe(true)
  })
})

describe('scanning', () => {
  /** Lists and objects inside one another, counted by a second implementation. */
  function depthOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0
    return 1 + Math.max(0, ...Object.values(value).map(depthOf))
  }

  test('parseJson returns the value of valid JSON and undefined for anything else.', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
    for (const text of ['', '{', 'undefined', "'a'", '{"a":1,}']) expect(parseJson(text)).toBeUndefined()
  })

  test('valueEnd and jsonExcess agree with the parser on where a value ends and how deep it is.', () => {
    const space = fc.constantFrom('', ' ', '\n\t ')
    fc.assert(
      fc.property(fc.jsonValue(), space, (value, blank) => {
        const text = JSON.stringify(value, undefined, blank)
        const depth = depthOf(value)
        expect(valueEnd(`:${text},`, 1, createJsonMeter(depth))).toBe(text.length + 1)
        expect(jsonExcess(text, depth)).toBeUndefined()
        if (depth === 0) return
        expect(valueEnd(text, 0, createJsonMeter(depth - 1))).toBe(-1)
        expect('[{').toContain(text[jsonExcess(text, depth - 1)?.at ?? -1])
      }),
    )
  })

  test('A string or a value without end is not found.', () => {
    expect(closingQuote('"a\\\\\\"b', 1)).toBe(-1)
    expect(closingQuote('"a\\\\"', 1)).toBe(4)
    for (const text of ['', '"a', '[1', '{"a":"]}', ','])
      expect(valueEnd(text, 0, createJsonMeter(9))).toBe(-1)
    expect(jsonExcess('["[[[[', 3)).toBeUndefined()
  })

  /** Lists, objects, and members beyond the first of each, counted by a second implementation. */
  function nodesOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0
    const members = Object.values(value)
    return members.map(nodesOf).reduce((a, b) => a + b, 1 + Math.max(0, members.length - 1))
  }

  test('Lists, objects and members are counted as the parser finds them, and never those in strings.', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value)
        const nodes = nodesOf(value)
        expect(jsonExcess(text, 1000, nodes)).toBeUndefined()
        expect(countJsonNodes(text)).toBe(nodes)
        if (nodes > 0) expect(jsonExcess(text, 1000, nodes - 1)).toMatchObject({ limit: 'nodes' })
      }),
    )
    expect(jsonExcess(JSON.stringify({ text: '{},'.repeat(1000) }), 9, 1)).toBeUndefined()
  })

  test('A meter counts over all values that are scanned with it.', () => {
    const meter = createJsonMeter(9, 5)
    expect(valueEnd('[1,2]', 0, meter)).toBe(5)
    expect(valueEnd('[1,2]', 0, meter)).toBe(5)
    expect(valueEnd('[1,2]', 0, meter)).toBe(-1)
    expect(meter.excess).toEqual({ limit: 'nodes', at: 2 })
  })

  test('skipSpace stops at the first character that is not white space, or at the end.', () => {
    expect(skipSpace(' \t\r\n1', 0)).toBe(4)
    expect(skipSpace('  ', 0)).toBe(2)
    expect(skipSpace('\u00a01', 0)).toBe(0)
  })
})
