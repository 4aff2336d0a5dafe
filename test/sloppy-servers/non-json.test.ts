/** Values of a program that JSON cannot express: they get a clear error, never a hang or a lost run. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import {
  connectModel,
  convertToolParams,
  convertTools,
  createExchange,
  defineTool,
  encodeTools,
  runConversation,
} from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { asking, native, speaker, wires } from '../conversation/native.ts'

function cycle(): JsonObject {
  const value: Record<string, unknown> = { a: 1 }
  value.inner = { list: [value] }
  return value
}
const hole = (): unknown[] => {
  const list: unknown[] = [1]
  list[2] = 3
  return list
}
const odd: readonly [string, () => unknown, RegExp][] = [
  ['a cycle', cycle, /inner\.list\[0\] contains itself/],
  ['a BigInt', () => ({ n: 10n }), /n is the BigInt "10"/],
  ['a hole', () => ({ list: hole() }), /list\[1\] is a hole in a list/],
]
const pairs = wires.flatMap(from => wires.map(to => [from, to] as const))
const cases = pairs.flatMap(([from, to]) =>
  odd.map(([what, make, message]) => [what, from, to, make, message] as const),
)

/** A call with this value as its arguments. */
function answerWith(wire: Wire, value: unknown): JsonObject {
  const body = structuredClone(native(wire, { calls: [{ id: 'a', name: 'f', input: {} }] })) as {
    choices?: [{ message: { tool_calls: [{ function: Record<string, unknown> }] } }]
    output?: [Record<string, unknown>]
    content?: [Record<string, unknown>]
  }
  if (body.choices) body.choices[0].message.tool_calls[0].function.arguments = value
  if (body.output) body.output[0].arguments = value
  if (body.content) body.content[0].input = value
  return body
}

describe('values that JSON cannot express', () => {
  test.each(cases)('A request with %s is refused from %s to %s.', (_, from, to, make, message) => {
    const { value, diagnostics } = createExchange({ from, to }).request({
      ...asking(from, 'x'),
      metadata: make(),
    })
    expect(value).toEqual({})
    expect(diagnostics).toMatchObject([
      { code: 'invalid_request', severity: 'error', message: expect.stringMatching(message) },
    ])
    expect(diagnostics[0]?.path[0]).toBe('metadata')
  })

  test.each(cases)(
    'An answer with %s is a failure for %s over %s, whole and as a stream.',
    (_, from, to, make, message) => {
      const exchange = createExchange({ from, to })
      exchange.request({ ...asking(from, 'x'), stream: true })
      const { value, status, finish } = exchange.response(answerWith(to, make()))
      expect([status, finish]).toEqual([502, 'failed'])
      expect((value.error as JsonObject).message).toMatch(message)
      const stream = exchange.stream()
      const text = stream.whole(answerWith(to, make())) + stream.end()
      expect(text.replaceAll('\\"', '"')).toMatch(message)
      expect(stream.finish).not.toBe('calls')
    },
  )

  test.each(cases)('Tools with %s are left out or refused from %s to %s.', (_, from, to, make, message) => {
    const tool = { name: 'f', input_schema: make() }
    const good = { type: 'function', function: { name: 'g', parameters: { type: 'object', properties: {} } } }
    const { value, diagnostics } = convertTools([tool, good], { from, to })
    expect(value).toHaveLength(1)
    expect(diagnostics.find(({ code }) => code === 'invalid_tool')?.message).toMatch(message)
    expect(convertToolParams({ tools: [tool] }, { from, to }).diagnostics[0]?.message).toMatch(message)
    const parameters = { type: 'object', default: make() }
    expect(() => encodeTools([{ name: 'f', parameters }], { to })).toThrow(message)
  })

  test.each(wires)('A list of tools with a hole on %s names the hole.', wire => {
    const { diagnostics } = convertTools(new Array(1), { from: wire, to: wire })
    expect(diagnostics).toMatchObject([{ code: 'invalid_tool', path: [0] }])
  })

  test('What is shared without a cycle is no problem.', () => {
    const shared = { type: 'string' }
    const properties = { a: shared, b: shared }
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties } }]
    expect(
      createExchange({ from: 'responses', to: 'chat' }).request({ input: 'x', tools }).value,
    ).toHaveProperty('tools')
  })

  test.each(wires.flatMap(wire => odd.map(([what, make, message]) => [what, wire, make, message] as const)))(
    'A conversation with %s on %s ends before a request, or keeps its run.',
    async (_, wire, make, message) => {
      const request = { ...asking(wire, 'x'), metadata: make() }
      const model = speaker(wire, [{ text: 'hi' }])
      await expect(runConversation({ wire, request, send: model.send })).rejects.toThrow(message)
      expect(() => connectModel({ wire, request, send: model.send })).toThrow(message)
      expect(model.asked).toEqual([])
      const f = defineTool({ name: 'f', handler: () => 'done' })
      const second = speaker(wire, [
        { calls: [{ id: 'a', name: 'f', input: {} }] },
        () => answerWith(wire, make()),
      ])
      const result = await runConversation({
        wire,
        request: asking(wire, 'x'),
        tools: [f],
        send: second.send,
      })
      expect(result).toMatchObject({ reason: 'failed', rounds: 1, outcomes: [[{ isError: false }]] })
      expect(result.error?.message).toMatch(message)
      expect(JSON.parse(JSON.stringify(result.state))).toEqual(result.state)
    },
  )
})

describe('a refusal', () => {
  test.each(wires)('Its words are in the result of a conversation on %s, whole and streamed.', async wire => {
    for (const stream of [false, true]) {
      const model = speaker(wire, [{ refusal: 'I will not do that.' }])
      const result = await runConversation({
        wire,
        request: { ...asking(wire, 'x'), stream },
        send: model.send,
      })
      expect(result).toMatchObject({ reason: 'refusal', refusal: 'I will not do that.' })
    }
    const plain = speaker(wire, [{ text: 'Yes.' }])
    expect(await runConversation({ wire, request: asking(wire, 'x'), send: plain.send })).not.toHaveProperty(
      'refusal',
    )
  })
})
