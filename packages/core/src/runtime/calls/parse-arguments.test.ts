import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanJson } from '../../json/scan-json.ts'
import { type ParsedArguments, parseArguments } from './parse-arguments.ts'
import { repairJson } from './repair-json.ts'

const repaired = (text: string): ParsedArguments => parseArguments(text, { repair: true })

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('parseArguments', () => {
  test.each(['', ' ', '\n\t'])('parseArguments takes %j as no arguments.', text => {
    expect(parseArguments(text)).toEqual({ ok: true, value: {}, repaired: false })
  })

  test('parseArguments returns the object as it was written.', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), value => {
        const text = JSON.stringify(value)
        expect(parseArguments(text)).toEqual({ ok: true, value: JSON.parse(text), repaired: false })
        expect(repaired(text)).toEqual({ ok: true, value: JSON.parse(text), repaired: false })
      }),
    )
  })

  test.each([
    ['[1]', 'a list'],
    ['"text"', 'a text'],
    ['3', '3'],
    ['null', 'null'],
    ['true', 'true'],
  ])('parseArguments refuses %s, which is JSON but not an object.', (text, kind) => {
    expect(parseArguments(text)).toEqual({
      ok: false,
      code: 'invalid_arguments',
      message: `The arguments must be a JSON object; got ${kind}.`,
    })
  })

  test.each([
    ['{"a": 1,}', 8, 'expected a key in double quotes, found "}"'],
    ['{a: 1}', 1, 'expected a key in double quotes, found "a"'],
    ['{"a" 1}', 5, 'expected ":" after the key, found "1"'],
    ['{"a": [1 2]}', 9, 'expected "," or "]", found "2"'],
    ['{"a": 01}', 6, 'expected a value, found "0"'],
    ['{"a": "x\ny"}', 8, 'control character'],
    ['{"a": "\\x"}', 7, 'is not a valid escape in JSON'],
    ['{} {}', 3, 'nothing may follow, found "{"'],
    ['{"a": tru}', 6, 'expected a value, found "t"'],
    ['{"id": 12345678901234567890}', 7, 'the number 12345678901234567890 is too large to be taken exactly'],
    ['{"id": 1e999}', 7, 'too large'],
  ])('parseArguments reports where %j stops being JSON.', (text, position, problem) => {
    const parsed = parseArguments(text)
    expect(parsed).toMatchObject({ ok: false, code: 'invalid_json', position })
    expect(parsed).toHaveProperty(
      'message',
      expect.stringContaining(`At character ${position + 1} of ${text.length}, `),
    )
    expect(parsed).toHaveProperty('message', expect.stringContaining(problem))
  })

  test('The error for truncated text says how many characters arrived.', () => {
    expect(parseArguments('{"a":"b')).toMatchObject({
      code: 'invalid_json',
      position: 7,
      message:
        'The arguments are not JSON that can be read. After its 7 characters, the text ends although a string is not closed. Near: "{\\"a\\":\\"b" Send it whole.',
    })
  })

  test('parseArguments accepts large numbers that are exact.', () => {
    expect(
      parseArguments('{"a":9007199254740992,"b":100000000000000000000,"c":0.12345678901234567890}').ok,
    ).toBe(true)
  })

  test("parseArguments accepts exactly what the platform's JSON parser accepts.", () => {
    const characters = [...'{}[]":,\\ \nntrue01-.eE+u']
    const soup = fc.array(fc.constantFrom(...characters), { maxLength: 14 }).map(list => list.join(''))
    const bruised = fc
      .tuple(fc.jsonValue({ maxDepth: 3 }), fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...characters, ''))
      .map(([value, at, count, by]) => {
        const list = [...JSON.stringify(value)]
        list.splice(at % (list.length + 1), count, by)
        return list.join('')
      })
    fc.assert(
      fc.property(fc.oneof(soup, bruised), text => {
        const problem = scanJson(text, 512)
        if (problem?.problem.includes('too large') !== true) expect(problem === undefined).toBe(parses(text))
      }),
      { numRuns: 3000 },
    )
  })

  test('The scanner reports every prefix of an object as cut off.', () => {
    const text = '{"a": [1.5e-3, true, null, {"b\\u00e9": "x\\n\\"y"}], "c": -0}'
    for (let length = 1; length < text.length; length++) {
      expect(scanJson(text.slice(0, length), 512), text.slice(0, length)).toMatchObject({ cutOff: true })
    }
  })

  test('The keys __proto__ and constructor stay plain keys.', () => {
    const parsed = parseArguments('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
    expect(parsed.ok && Object.keys(parsed.value)).toEqual(['__proto__', 'constructor'])
    expect(parsed.ok && Object.getPrototypeOf(parsed.value)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })

  test('Endless nesting is refused before anything recurses.', () => {
    const deep = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(parseArguments(deep(512)).ok).toBe(true)
    expect(parseArguments(deep(513))).toHaveProperty(
      'message',
      expect.stringContaining('deeper than 512 levels'),
    )
    expect(repaired('['.repeat(1_000_000))).toMatchObject({ ok: false })
  })

  test('A string of ten megabytes is parsed.', () => {
    const parsed = parseArguments(JSON.stringify({ file: 'line\n'.repeat(2_000_000) }))
    expect(parsed.ok && (parsed.value.file as string).length).toBe(10_000_000)
  })

  test('parseArguments refuses a value that is not a string.', () => {
    expect(parseArguments({ a: 1 } as never)).toMatchObject({ ok: false, code: 'invalid_arguments' })
  })
})

describe('repair', () => {
  test.each([
    ['a code fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['a bare fence', '```{"a": 1}```', { a: 1 }],
    ['commas before closing brackets', '{"a": [1, 2, ], "b": {"c": 1,\n},}', { a: [1, 2], b: { c: 1 } }],
    ['raw line breaks and tabs', '{"a": "one\ntwo\tthree\r\n\u0001"}', { a: 'one\ntwo\tthree\r\n\u0001' }],
    ['an object encoded twice', JSON.stringify('{"a": "b"}'), { a: 'b' }],
    ['a bad object encoded twice', JSON.stringify('{"a": True,}'), { a: true }],
    ['the literals of Python', '{"a": True, "b": [False, None]}', { a: true, b: [false, null] }],
  ])('The repair corrects %s.', (_, text, value) => {
    expect(parseArguments(text).ok).toBe(false)
    expect(repaired(text)).toEqual({ ok: true, value, repaired: true })
  })

  test('The repair changes nothing inside strings.', () => {
    const value = { a: 'True, ]} None ,}', b: '```json', True: '\\', c: 'x,\n}' }
    const text = JSON.stringify(value, null, 1).replace(/\n\}$/, ',\n}')
    expect(repaired(text)).toEqual({ ok: true, value, repaired: true })
  })

  test.each([
    '{"a": 1',
    '{"a": "x',
    '{"a":',
    '{"a": 1,',
    '```json\n{"a": [1,',
    '"{\\"a\\": 1"',
    '{"a": Tru',
    '{a: 1}',
    "{'a': 1}",
    '{"a": 1,,}',
    '{,}',
    '{"a": [ , ]}',
  ])('The repair does not guess at %j.', text => {
    expect(repaired(text)).toMatchObject({ ok: false })
  })

  test('The repair never completes truncated text, wherever it was cut.', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.nat(), (value, cut) => {
        const text = JSON.stringify(value)
        const part = text.slice(0, 1 + (cut % (text.length - 1)))
        expect(repaired(part)).toMatchObject({ ok: false })
      }),
    )
  })

  test('The repair changes nothing in valid JSON.', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(repairJson(JSON.stringify(value))).toBe(JSON.stringify(value))
      }),
    )
  })

  test('A repair function is used instead; its result must parse, and its failure is reported.', () => {
    const by = (repair: (text: string) => string): ParsedArguments => parseArguments("{'a': 1}", { repair })
    expect(by(text => text.replaceAll("'", '"'))).toEqual({ ok: true, value: { a: 1 }, repaired: true })
    expect(by(text => text)).toMatchObject({ ok: false, code: 'invalid_json', position: 1 })
    expect(by(() => 5 as never)).toHaveProperty('message', expect.stringContaining('returned 5'))
    expect(
      by(() => {
        throw new Error('too odd')
      }),
    ).toHaveProperty('message', expect.stringContaining('too odd'))
  })
})
