import fc from 'fast-check'
import { expect, test } from 'vitest'
import { peekRequest } from './peek-request.ts'

const fields = { model: 'model', stream: 'stream' }

const peek = (text: string, maxDepth = 512, nodes = 1e6): ReturnType<typeof peekRequest> =>
  peekRequest(Buffer.from(text), { depth: maxDepth, nodes }, fields)

test('A peek finds the fields of the outermost object only.', () => {
  const body = {
    messages: [{ role: 'user', content: '"model": "inner", {"stream": true' }],
    metadata: { model: 'inner', stream: true },
    model: 'outer',
    tools: [[[{ model: 'inner' }]]],
  }
  expect(peek(JSON.stringify(body))).toMatchObject({ model: 'outer', streamed: false })
  expect(peek(JSON.stringify({ ...body, stream: true }, null, '\t'))).toMatchObject({ streamed: true })
})

test('A peek finds what the parser finds, or nothing.', () => {
  const body = fc.dictionary(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('model', 'stream', 'mod\\el')),
    fc.oneof(fc.jsonValue(), fc.boolean(), fc.string()),
  )
  fc.assert(
    fc.property(body, fc.constantFrom(undefined, 1, '\r\n'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const seen = peek(text)
      const { model, stream } = JSON.parse(text) as { model?: unknown; stream?: unknown }
      if (seen !== undefined) {
        expect(seen.model).toBe(model)
        expect(seen.streamed).toBe(stream === true)
        expect(JSON.parse(seen.text ?? text)).toEqual(JSON.parse(text))
      }
    }),
    { numRuns: 500 },
  )
})

test('A peek reads every plain request.', () => {
  const content = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(content, fc.boolean(), (text, stream) => {
      const seen = peek(JSON.stringify({ input: text, model: 'gpt-5.2:latest', stream }))
      expect(seen).toMatchObject({ model: 'gpt-5.2:latest', streamed: stream })
    }),
  )
})

test.each([
  ['a key that is escaped', '{"mod\\u0065l":"a","model":"b"}'],
  ['a key that comes twice', '{"model":"a","model":"b"}'],
  ['a stream that comes twice', '{"model":"a","stream":true,"stream":false}'],
  ['an escaped model', '{"model":"a\\n"}'],
  ['a model beyond ASCII', '{"model":"ä"}'],
  ['a model that is no text', '{"model":1}'],
  ['an empty model', '{"model":""}'],
  ['no model', '{"stream":true}'],
  ['a stream that is neither', '{"model":"a","stream":1}'],
  ['a list', '[{"model":"a"}]'],
  ['text after the end', '{"model":"a"} x'],
  ['a missing end', '{"model":"a","messages":[{"a":1}'],
  ['a text without end', '{"model":"a","b":"'],
  ['a missing colon', '{"model" "a"}'],
  ['a comma too many', '{"model":"a",}'],
  ['a bare word', '{model:"a"}'],
  ['nothing', ''],
])('A peek leaves %s to the parser.', (_, text) => {
  expect(peek(text)).toBeUndefined()
})

test('A peek leaves what is nested too deep to the parser.', () => {
  const nested = (levels: number): string =>
    `{"model":"a","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  expect(peek(nested(8), 8)).toBeDefined()
  expect(peek(nested(9), 8)).toBeUndefined()
})

test('A peek looks for the fields that a wire names, and for no model where the path names it.', () => {
  const text = '{"model":1,"to":"a","live":true}'
  expect(
    peekRequest(Buffer.from(text), { depth: 9, nodes: 99 }, { model: 'to', stream: 'live' }),
  ).toMatchObject({
    model: 'a',
    streamed: true,
  })
  expect(
    peekRequest(Buffer.from(text), { depth: 9, nodes: 99 }, { model: undefined, stream: undefined }),
  ).toMatchObject({
    model: undefined,
    streamed: false,
  })
})
