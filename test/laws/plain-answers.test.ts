/** What a wire tells of a plain answer without decoding it is what decoding it tells. */
import type { BuiltInWire } from '@toolwire/core'
import { builtInWires, createExchange } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import { isObject } from '@toolwire/core/json'
import { describe, expect, test } from 'vitest'
import { conversationFixtures } from '../support/fixtures/fixtures.ts'
import { wires } from '../support/wires.ts'

const odd: readonly unknown[] = [
  null,
  0,
  -1,
  '',
  'odd',
  'error',
  'length',
  [],
  [null],
  {},
  { name: 'n' },
  false,
]

/** Each body that differs from the given one in one place: a value that is something else, or is not there. */
function* variants(value: unknown, depth = 0): Generator<unknown> {
  if (depth > 6) return
  const steps = Array.isArray(value) ? value.keys() : isObject(value) ? Object.keys(value) : []
  for (const step of steps) {
    const inner: unknown = (value as Record<string | number, unknown>)[step]
    for (const other of [...odd, ...variants(inner, depth + 1)]) yield changed(value, step, other)
    if (typeof step === 'string') yield changed(value, step, undefined)
  }
}

function changed(value: unknown, step: string | number, other: unknown): unknown {
  if (Array.isArray(value)) return value.with(Number(step), other)
  const { [step]: _, ...rest } = value as JsonObject
  return other === undefined ? rest : { ...rest, [step]: other }
}

/** What most answers are: some text, perhaps calls, and what it used. */
const plain = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hello.',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{}' } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } },
}
const plainOn = wires.map(wire => ({
  wire,
  story: 'plain',
  body: createExchange({ from: wire, to: 'chat' }).response(plain).value,
}))

function read(wire: BuiltInWire, answer: unknown): unknown {
  const exchange = createExchange({ from: wire, to: wire })
  exchange.passthrough(() => ({}))
  return exchange.summary(answer)
}

describe.each([...plainOn, ...conversationFixtures('answers')])(
  'the answer $wire/$story',
  ({ wire, story, body }) => {
    const { summarizeAnswer } = builtInWires[wire].service

    test(`The summary of the ${wire} answer ${story}, and of all that differ in one place, is what reading it tells.`, () => {
      for (const answer of [body, ...variants(body)]) {
        const told = isObject(answer) ? summarizeAnswer?.(answer) : undefined
        // A summary of the conversation is nothing plain.
        const whole = told && { ...told, isCompacted: false }
        if (told !== undefined) expect({ answer, whole }).toEqual({ answer, whole: read(wire, answer) })
      }
    })
  },
)

test.each(plainOn)('A plain answer on $wire is summarized without reading it.', ({ wire, body }) => {
  expect(builtInWires[wire].service.summarizeAnswer?.(body)).toMatchObject({
    finish: 'calls',
    calls: ['read_file'],
    usage: { input: 9, output: 4, cacheRead: 3 },
  })
})
