/** Free-text calls that the model did not wrap as it was asked to, on every pair of wires that wraps them. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { native, streamed } from '../conversation/native.ts'

const patch = '*** Begin Patch\n*** End Patch'
const call = (input: unknown) => ({ calls: [{ id: 'call_1', name: 'apply_patch', input }] })
const request = (from: Wire, stream: boolean): JsonObject => {
  const head = { model: 'm', ...(stream && { stream }) }
  const tool = { name: 'apply_patch', description: 'Patches.' }
  return from === 'responses'
    ? { ...head, input: 'hi', tools: [{ type: 'custom', ...tool }] }
    : { ...head, messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'custom', custom: tool }] }
}

interface Read {
  readonly input: unknown
  readonly codes: readonly string[]
}

/** The free text that the client gets. */
function whole(from: Wire, to: Wire, input: unknown): Read {
  const exchange = createExchange({ from, to, profile: { customTools: false } })
  exchange.request(request(from, false))
  const { value, diagnostics } = exchange.response(native(to, call(input)))
  return { input: inputIn(from, value), codes: diagnostics.map(({ code }) => code) }
}

function streaming(from: Wire, to: Wire, input: unknown): Read & { readonly deltas: string } {
  const exchange = createExchange({ from, to, profile: { customTools: false } })
  exchange.request(request(from, true))
  const stream = exchange.stream()
  const text =
    streamed(to, native(to, call(input)))
      .map(piece => stream.push(piece))
      .join('') + stream.end()
  const frames = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as JsonObject)
  const codes = stream.diagnostics.map(({ code }) => code)
  if (from === 'responses') {
    const deltas = frames
      .filter(({ type }) => type === 'response.custom_tool_call_input.delta')
      .map(({ delta }) => delta)
      .join('')
    return { input: inputIn(from, frames.at(-1)?.response as JsonObject), codes, deltas }
  }
  const pieces = frames
    .flatMap(({ choices }) => choices as { delta?: { tool_calls?: { custom?: { input?: string } }[] } }[])
    .map(choice => choice.delta?.tool_calls?.[0]?.custom?.input ?? '')
  return { input: pieces.join(''), codes, deltas: pieces.join('') }
}

function inputIn(wire: Wire, body: JsonObject): unknown {
  if (wire === 'responses') return (body.output as [JsonObject])[0].input
  const [{ message }] = body.choices as [{ message: { tool_calls: [{ custom: JsonObject }] } }]
  return message.tool_calls[0].custom.input
}

const pairs = (['responses', 'chat'] as const).flatMap(from =>
  (['chat', 'messages', 'responses'] as const).flatMap(to => (from === to ? [] : [[from, to] as const])),
)

const unwrapped: readonly [string, unknown][] = [
  ['another key', { patch }],
  ['a list with the name of the tool', { command: ['apply_patch', patch] }],
  ['a list of one', { command: [patch] }],
  ['an object in "input"', { input: { patch } }],
  ['more than the text', { input: patch, explanation: 'Because.' }],
]
const texts: readonly [string, unknown][] = [
  ['a bare JSON string', JSON.stringify(patch)],
  ['a bare list', JSON.stringify(['apply_patch', patch])],
  ['plain text', patch],
]

const over = (list: readonly [string, unknown][], only: (to: Wire) => boolean) =>
  pairs.flatMap(([from, to]) =>
    only(to) ? list.map(([what, input]) => [what, from, to, input] as const) : [],
  )

describe('free text in another form than asked for', () => {
  test.each([...over(unwrapped, () => true), ...over(texts, to => to !== 'messages')])(
    'Free text as %s reaches a client of %s with an upstream of %s, and its form is reported.',
    (_, from, to, input) => {
      expect(whole(from, to, input)).toEqual({
        input: patch,
        codes: expect.arrayContaining(['input_unwrapped']),
      })
      const read = streaming(from, to, input)
      expect(read).toEqual({
        input: patch,
        codes: expect.arrayContaining(['input_unwrapped']),
        deltas: patch,
      })
    },
  )

  test.each(['{"input":"*** Begin Patch\\n*** En', '{"input":', '{"inp'])(
    'Free text that breaks off in %s is no complete call, although the server says so.',
    half => {
      const exchange = createExchange({ from: 'responses', to: 'chat' })
      exchange.request(request('responses', false))
      const { output } = exchange.response(native('chat', call(half))).value
      expect(output).toMatchObject([{ type: 'custom_tool_call', status: 'incomplete' }])
      const stream = createExchange({ from: 'responses', to: 'chat' })
      stream.request(request('responses', true))
      const events = stream.stream()
      const text = streamed('chat', native('chat', call(half)))
        .map(piece => events.push(piece))
        .join('')
      expect(text).not.toContain('custom_tool_call_input.done')
      expect(text).toContain('"status":"incomplete"')
      expect(events.answer?.output).toMatchObject([{ status: 'incomplete' }])
    },
  )

  test('Free text that is whole in an object without its end is read, and reported.', () => {
    const read = streaming('responses', 'chat', JSON.stringify({ input: patch }).slice(0, -1))
    expect(read).toEqual({ input: patch, codes: ['input_unwrapped'], deltas: patch })
  })

  test.each(pairs)(
    'What can be read in several ways reaches a client of %s with an upstream of %s as it is.',
    (from, to) => {
      const inputs = [{ command: ['bash', '-lc', 'ls'] }, { rows: [7] }, { a: { b: true } }]
      for (const input of inputs)
        for (const read of [whole, streaming]) {
          const got = read(from, to, input)
          expect(got.input).toBe(JSON.stringify(input))
          expect(got.codes).toContain('input_unwrapped')
        }
    },
  )

  test.each(pairs)(
    'An object in place of the text reaches a client of %s with an upstream of %s as its JSON.',
    (from, to) => {
      for (const read of [whole, streaming]) {
        const got = read(from, to, { input: { a: 1, b: ['x'] } })
        expect(got.input).toBe('{"a":1,"b":["x"]}')
        expect(got.codes).toContain('input_unwrapped')
      }
    },
  )

  test.each(pairs)(
    'Free text as asked for reaches a client of %s with an upstream of %s without a report.',
    (from, to) => {
      for (const read of [whole, streaming]) {
        const got = read(from, to, { input: patch })
        expect(got.input).toBe(patch)
        expect(got.codes).not.toContain('input_unwrapped')
      }
    },
  )
})
