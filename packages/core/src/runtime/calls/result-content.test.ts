import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTestHost } from '../../testing/test-host.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import { detectMediaType, toBase64 } from './bytes.ts'
import type { CallOutcome } from './outcome.ts'
import { cutText, resultContent } from './result-content.ts'
import { jsonText } from './result-text.ts'
import { runCallsWith } from './run-calls.ts'
import { toolResult } from './tool-result.ts'

const limit = 100_000
const text = (value: unknown): unknown => {
  const result = resultContent(value, limit)
  if (!('content' in result)) return result
  return result.content.map(part => (part.kind === 'text' ? part.text : part)).join('|')
}
const parts = (value: unknown): unknown => {
  const result = resultContent(value, limit)
  return 'content' in result ? result.content : result
}

async function outcomeOf(tool: ToolSpec): Promise<CallOutcome | undefined> {
  const calls = [{ id: '1', name: tool.name, arguments: '{}' }]
  return (await runCallsWith(createTestHost(), calls, { tools: [tool] }))[0]
}

const cyclic: Record<string, unknown> = { name: 'a' }
cyclic.self = cyclic
cyclic.list = [cyclic]
const shared = { s: 1 }

describe('values as text', () => {
  test.each([
    ['a text', 'plain', 'plain'],
    ['an empty text', '', '(no output)'],
    ['nothing', undefined, '(no output)'],
    ['null', null, 'null'],
    ['a number', 1.5, '1.5'],
    ['NaN', { a: Number.NaN, b: -Infinity }, '{"a":"NaN","b":"-Infinity"}'],
    ['a bigint', 123456789012345678901234567890n, '123456789012345678901234567890'],
    ['bigints inside', { n: 12345678901234567890n }, '{"n":12345678901234567890}'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['an invalid date', [new Date(Number.NaN)], '["Invalid Date"]'],
    [
      'a map',
      new Map<string, unknown>([
        ['a', 1],
        ['__proto__', 2],
      ]),
      '{"a":1,"__proto__":2}',
    ],
    ['a map with other keys', new Map<unknown, unknown>([[1, 'x']]), '[[1,"x"]]'],
    ['a set', new Set([1, 'b']), '[1,"b"]'],
    ['a cycle', cyclic, '{"name":"a","self":"[circular]","list":["[circular]"]}'],
    ['one object twice', [shared, shared], '[{"s":1},{"s":1}]'],
    [
      'functions and symbols',
      { f: text, g: () => 1, s: Symbol('x') },
      '{"f":"[function text]","g":"[function g]","s":"[Symbol(x)]"}',
    ],
    ['holes', [1, undefined, 2], '[1,null,2]'],
    ['absent members', { a: undefined, b: 1 }, '{"b":1}'],
    ['toJSON', { toJSON: () => ({ x: 1 }) }, '{"x":1}'],
    ['an error inside', { why: new RangeError('no') }, '{"why":{"name":"RangeError","message":"no"}}'],
    ['bytes inside', { b: new Uint8Array(3) }, '{"b":"[binary data: 3 bytes]"}'],
    ['wider numbers', new Float64Array([1.5, 2]), '[1.5,2]'],
    ['unknown bytes', new Uint8Array([1, 2, 3]), '[binary data: 3 bytes]'],
    ['a buffer', new ArrayBuffer(7), '[binary data: 7 bytes]'],
    ['boxed values', [Object(1), Object('a'), Object(true)], '[1,"a",true]'],
    ['a list named content', { content: [] }, '{"content":[]}'],
    ['an opaque object', [Promise.resolve(1), /x/], '["[Promise]","[RegExp]"]'],
    ['a class with a name of its own', new (class extends Map<string, number> {})([['a', 1]]), '{"a":1}'],
  ])('A returned value is written as text: %s.', (_, value, expected) => {
    expect(text(value)).toBe(expected)
  })

  test('JSON values are written as JSON.stringify writes them.', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(jsonText(value).text).toBe(JSON.stringify(value))
      }),
    )
  })

  test('Deep, endless and exploding structures are cut.', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(jsonText(deep)).toMatchObject({
      cut: true,
      text: expect.stringContaining('"[left out: nested too deep]"'),
    })
    class Bomb {
      toJSON(): unknown {
        return { next: new Bomb() }
      }
    }
    expect(jsonText(new Bomb()).cut).toBe(true)
    let wide: unknown = 1
    for (let level = 0; level < 40; level++) wide = [wide, wide]
    const exploded = jsonText(wide)
    expect(exploded.cut).toBe(true)
    expect(() => JSON.parse(exploded.text)).not.toThrow()
  })

  test('A getter or toJSON that throws, or an unread stream, fails with a clear message.', () => {
    const getter = {
      get a(): never {
        throw new Error('no access')
      },
    }
    const bomb = {
      toJSON(): never {
        throw new Error('boom')
      },
    }
    expect(resultContent(getter, limit)).toMatchObject({
      code: 'invalid_result',
      message: expect.stringContaining('no access'),
    })
    expect(resultContent([bomb], limit)).toMatchObject({
      code: 'invalid_result',
      message: expect.stringContaining('boom'),
    })
    async function* later(): AsyncGenerator<number> {
      yield 1
    }
    for (const unread of [later(), new Response('text'), new Blob(['text']), new ReadableStream()])
      expect(resultContent(unread, limit)).toMatchObject({
        code: 'invalid_result',
        message: expect.stringContaining('stream'),
      })
  })
})

describe('size', () => {
  test('Ten megabytes are cut in the middle, and the mark says how much is missing.', async () => {
    const big = `first${'x'.repeat(10_000_000)}last`
    const tool = defineTool({ name: 'big', handler: () => big })
    const outcome = await outcomeOf(tool)
    const [part] = outcome?.content ?? []
    const shown = part?.kind === 'text' ? part.text : ''
    expect(outcome).toMatchObject({ status: 'ok', cut: true })
    expect(shown.length).toBeLessThanOrEqual(100_000)
    expect(shown).toMatch(/^firstx+\[… \d+ of 10000009 characters left out …\]x+last$/)
  })

  test('A cut text counts exactly what is missing, never splits a character, and stays within the limit.', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 100, maxLength: 400 }),
        fc.integer({ min: 60, max: 99 }),
        (long, size) => {
          const cut = cutText(long, size)
          const [whole, missing] = /\[… (\d+) of \d+ characters left out …\]/.exec(cut) ?? []
          expect(cut.length).toBeLessThanOrEqual(size)
          expect(cut.length - (whole ?? '').length + Number(missing)).toBe(long.length)
          // Half of a surrogate pair cannot be encoded.
          expect(() => encodeURIComponent(cut)).not.toThrow()
        },
      ),
    )
  })

  test('The limit covers the texts of all parts together.', () => {
    const content = [...'abcde'].map(letter => ({ type: 'text' as const, text: letter.repeat(100) }))
    const result = resultContent(toolResult({ content }), 250)
    const shown =
      'content' in result ? result.content.map(part => (part.kind === 'text' ? part.text : '')) : []
    expect(shown.slice(0, 2)).toEqual(['a'.repeat(100), 'b'.repeat(100)])
    expect(shown[2]).toMatch(/^c*\[… \d+ of 100 characters left out …\]c*$/)
    expect(shown.slice(3)).toEqual(['[… 200 of 200 characters left out …]'])
  })
})

describe('bytes', () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0])
  const latin = (letters: string): Uint8Array => Uint8Array.from(letters, letter => letter.charCodeAt(0))

  test.each([
    ['image/png', png],
    ['image/jpeg', latin('\xff\xd8\xff\xe0')],
    ['image/gif', latin('GIF89a..')],
    ['image/webp', latin('RIFF....WEBPVP8 ')],
    ['application/pdf', latin('%PDF-1.7')],
    [undefined, latin('RIFF....WAVE')],
    [undefined, new Uint8Array(0)],
  ])('The first bytes give the media type %s.', (mediaType, bytes) => {
    expect(detectMediaType(bytes)).toBe(mediaType)
  })

  test('Images become image parts and documents become files.', () => {
    const data = Buffer.from(png).toString('base64')
    expect(parts(Buffer.from(png))).toEqual([
      { kind: 'image', source: { type: 'data', mediaType: 'image/png', data }, path: [] },
    ])
    expect(parts(latin('%PDF-1.7').buffer)).toMatchObject([
      { kind: 'file', source: { mediaType: 'application/pdf', data: 'JVBERi0xLjc=' } },
    ])
  })

  test('Base64 is written as the platform writes it.', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000, size: 'max' }), bytes => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
      }),
      { numRuns: 50 },
    )
  })
})

describe('toolResult', () => {
  test('toolResult returns exactly the parts that were passed.', () => {
    const result = toolResult({
      content: [
        { type: 'text', text: 'see' },
        { type: 'image', url: 'https://example.com/a.png' },
        { type: 'image', url: 'data:image/png;base64,AAAA' },
        { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
      ],
    })
    expect(parts(result)).toEqual([
      { kind: 'text', text: 'see', path: [] },
      { kind: 'image', source: { type: 'url', url: 'https://example.com/a.png' }, path: [] },
      { kind: 'image', source: { type: 'data', mediaType: 'image/png', data: 'AAAA' }, path: [] },
      {
        kind: 'file',
        source: { type: 'data', mediaType: 'application/pdf', data: 'JVBERi0=' },
        filename: 'a.pdf',
        path: [],
      },
    ])
    expect(parts(toolResult({ content: [] }))).toEqual([{ kind: 'text', text: '(no output)', path: [] }])
  })

  test('A tool can describe its own failure with toolResult.', async () => {
    const tool = defineTool({
      name: 'sorry',
      handler: () => toolResult({ content: 'No seats left', isError: true }),
    })
    expect(await outcomeOf(tool)).toMatchObject({
      status: 'failed',
      isError: true,
      content: [{ kind: 'text', text: 'No seats left' }],
      error: { code: 'execution_error', message: 'No seats left' },
    })
  })

  test.each([
    [[{ type: 'image', data: 'AAAA' }], '"content[0].mediaType" is needed'],
    [[{ type: 'text', text: 'a' }, { type: 'image' }], '"content[1]" must have "data"'],
    [[{ type: 'video' }], '"content[0].type" must be'],
    [[{ type: 'text' }], '"content[0].text" must be a text; got nothing.'],
    [[null], '"content[0]" must be an object'],
    [{}, '"content" must be a text or a list of parts'],
  ])('toolResult refuses %j.', (content, message) => {
    expect(() => toolResult({ content: content as never })).toThrow(message)
  })
})

describe('MCP results', () => {
  test('Blocks of an MCP result become parts; unknown blocks become their JSON.', () => {
    const link = { type: 'resource_link', uri: 'file:///a', name: 'a' }
    const result = {
      content: [
        { type: 'text', text: 'hello' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'BBBB', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
        { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'CCCC' } },
        link,
      ],
      structuredContent: { a: 1 },
    }
    expect(parts(result)).toEqual([
      { kind: 'text', text: 'hello', path: [] },
      { kind: 'image', source: { type: 'data', mediaType: 'image/png', data: 'AAAA' }, path: [] },
      { kind: 'file', source: { type: 'data', mediaType: 'audio/wav', data: 'BBBB' }, path: [] },
      { kind: 'text', text: 'file:///a.txt\n\ninside', path: [] },
      {
        kind: 'file',
        source: { type: 'data', mediaType: 'application/octet-stream', data: 'CCCC' },
        filename: 'file:///a.bin',
        path: [],
      },
      { kind: 'text', text: JSON.stringify(link), path: [] },
    ])
    expect(text({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}')
  })

  test('An MCP result keeps its error mark.', async () => {
    const tool = defineTool({
      name: 'mcp',
      handler: () => ({ content: [{ type: 'text', text: 'not found' }], isError: true }),
    })
    expect(await outcomeOf(tool)).toMatchObject({
      status: 'failed',
      content: [{ kind: 'text', text: 'not found' }],
    })
  })

  test('An object that only resembles an MCP result is treated as an ordinary result.', () => {
    const page = { content: [{ type: 'text', text: 'a' }], title: 'b' }
    expect(text(page)).toBe(JSON.stringify(page))
  })
})

describe('output schemas', () => {
  const outputSchema = {
    type: 'object',
    properties: { at: { type: 'string' } },
    required: ['at'],
    additionalProperties: false,
  } as const
  const withSchema = (handler: () => unknown): Promise<CallOutcome | undefined> =>
    outcomeOf({ ...defineTool({ name: 'out', outputSchema }), handler })

  test('An output schema is checked against the result as the model receives it.', async () => {
    expect(await withSchema(() => ({ at: new Date(0), gone: undefined }))).toMatchObject({ status: 'ok' })
    expect(await withSchema(() => ({ content: [], structuredContent: { at: 'x' } }))).toMatchObject({
      status: 'ok',
    })
    const bad = await withSchema(() => ({ at: 1 }))
    expect(bad).toMatchObject({ status: 'failed', error: { code: 'invalid_result' } })
    expect(bad?.error?.message).toContain('\n- /at ')
    expect(bad).not.toHaveProperty('value')
    expect(await withSchema(() => undefined)).toMatchObject({ error: { code: 'invalid_result' } })
  })

  test('An output schema of a schema library may transform the result.', async () => {
    const tool: ToolSpec = {
      ...defineTool({ name: 'out', handler: () => ({ n: 1 }) }),
      validateResult: async value => ({ value: { ...(value as object), checked: true } }),
    }
    const outcome = await outcomeOf(tool)
    expect(outcome).toMatchObject({
      value: { n: 1, checked: true },
      content: [{ text: '{"n":1,"checked":true}' }],
    })
    const refuses: ToolSpec = {
      ...tool,
      validateResult: () => ({ issues: [{ message: 'odd', path: ['n'] }] }),
    }
    expect((await outcomeOf(refuses))?.error).toMatchObject({
      code: 'invalid_result',
      message: expect.stringContaining('\n- /n: odd'),
    })
  })

  test('A returned error is a failure, like a thrown one.', async () => {
    const tool = defineTool({ name: 'back', handler: () => new Error('returned') })
    expect(await outcomeOf(tool)).toMatchObject({
      status: 'failed',
      error: { code: 'execution_error', message: 'returned' },
    })
  })
})
