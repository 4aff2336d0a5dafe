/** Servers of Chat that write reasoning as parts of the content, as Mistral does. */
import type { Exchange, ExchangeOptions, BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { wires } from '../conversation/native.ts'
import { replays } from '../support/reasoning/replay.ts'

const seal = {
  seal: (text: string) => Buffer.from(text).toString('base64url'),
  open: (sealed: string) => Buffer.from(sealed, 'base64url').toString(),
}
/** As the preset of Mistral has it: the field `reasoning_content` is refused. */
const profile = { reasoningText: false }

const thinking = (text: string, more: object = {}): JsonObject => ({
  type: 'thinking',
  thinking: [{ type: 'text', text }],
  ...more,
})
const said = (text: string): JsonObject => ({ type: 'text', text })
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }

const content = [
  thinking('First this.', { closed: true }),
  said('I look '),
  thinking('Then that.', { signature: 'sig' }),
  said('twice.'),
]

const choice = (more: object, finish_reason: string | null): JsonObject => ({
  id: 'c',
  choices: [{ index: 0, ...more, finish_reason }],
})

/** Each part in two pieces, and at last what is not text. */
function deltasOf(part: JsonObject): JsonObject[] {
  if (part.type === 'text') return [{ content: part.text }]
  const [{ text }] = part.thinking as [{ text: string }]
  const pieces = [text.slice(0, 4), text.slice(4)].map(piece => ({ content: [thinking(piece)] }))
  return [...pieces, { content: [{ ...part, thinking: [] }] }]
}

const frame = (chunk: JsonObject): string => `data: ${JSON.stringify(chunk)}\n\n`

function streamed(parts: readonly JsonObject[]): string {
  const deltas = [{ role: 'assistant', content: '' }, ...parts.flatMap(deltasOf)]
  const chunks = [
    ...deltas.map(delta => choice({ delta }, null)),
    choice({ delta: { tool_calls: [{ index: 0, ...call }] } }, null),
    choice({ delta: {} }, 'tool_calls'),
  ]
  return `${chunks.map(frame).join('')}data: [DONE]\n\n`
}

function answerOf(exchange: Exchange, isStreamed: boolean, parts = content): JsonObject {
  if (!isStreamed) {
    const message = { role: 'assistant', content: parts, tool_calls: [call] }
    const { value, diagnostics } = exchange.response(choice({ message }, 'tool_calls'))
    expect(diagnostics.map(({ code }) => code)).not.toContain('part_dropped')
    return value as JsonObject
  }
  const stream = exchange.stream()
  stream.push(streamed(parts))
  stream.end()
  expect(stream.diagnostics.map(({ code }) => code)).not.toContain('part_dropped')
  return stream.answer ?? {}
}

const open = (from: Wire, more: Partial<ExchangeOptions> = {}): Exchange =>
  createExchange({ from, to: 'chat', upstream: 'u', seal, profile, parsed: true, ...more })

function nextRequest(from: Wire, isStreamed: boolean, sealsOwnWire: boolean): JsonObject {
  const { first, next } = replays[from]
  const exchange = open(from, { sealsOwnWire })
  exchange.request(first('m'))
  return next(first('m'), answerOf(exchange, isStreamed)) as JsonObject
}

function assistants(body: unknown): readonly JsonObject[] {
  const { messages } = body as { messages: readonly JsonObject[] }
  return messages.filter(({ role }) => role === 'assistant')
}

const cases = wires.flatMap(from => [false, true].map(isStreamed => [from, isStreamed] as const))

describe.each(cases)('a client of %s, streamed: %s', (from, isStreamed) => {
  test.each([true, false])('Thinking goes back in its place, sealed on every wire: %s.', sealsOwnWire => {
    const request = nextRequest(from, isStreamed, sealsOwnWire)
    const { value, diagnostics } = open(from, { sealsOwnWire }).request(request)
    expect(diagnostics.filter(({ code }) => code.startsWith('reasoning'))).toEqual([])
    expect(assistants(value)).toMatchObject([{ content, tool_calls: [call] }])
    expect(JSON.stringify(value)).not.toMatch(/reasoning_|toolwire-sealed/)
  })

  test('Another upstream gets what can be read, and no thinking.', () => {
    const request = nextRequest(from, isStreamed, true)
    const { value, diagnostics } = open(from, { sealsOwnWire: true, upstream: 'other' }).request(request)
    expect(JSON.stringify(value)).toContain('Then that.')
    expect(JSON.stringify(value)).not.toMatch(/"thinking"|sig/)
    expect(diagnostics.map(({ code }) => code)).toContain('reasoning_foreign')
  })
})

test.each([false, true])('A client of Messages is shown the thinking, streamed: %s.', isStreamed => {
  const exchange = createExchange({ from: 'messages', to: 'chat' })
  exchange.request(replays.messages.first('m'))
  expect(answerOf(exchange, isStreamed).content).toMatchObject([
    { type: 'thinking', thinking: 'First this.' },
    { type: 'text', text: 'I look ' },
    { type: 'thinking', thinking: 'Then that.' },
    { type: 'text', text: 'twice.' },
    { type: 'tool_use' },
  ])
})

test.each([false, true])('A client of Responses is shown the thinking, streamed: %s.', isStreamed => {
  const exchange = createExchange({ from: 'responses', to: 'chat' })
  exchange.request(replays.responses.first('m'))
  const output = answerOf(exchange, isStreamed).output as readonly JsonObject[]
  expect(output.filter(({ type }) => type === 'reasoning')).toMatchObject([
    { summary: [{ text: 'First this.' }] },
    { summary: [{ text: 'Then that.' }] },
  ])
})

test('A converted stream has sealed thinking in the fields that clients of Chat read.', () => {
  const exchange = open('chat', { sealsOwnWire: true })
  exchange.request({ ...replays.chat.first('m'), stream: true })
  const stream = exchange.stream()
  const text = stream.push(streamed([thinking('First this.')])) + stream.end()
  expect(text).toContain('"reasoning_content":"Firs"')
  expect(text).toContain('"reasoning_details":')
  expect(text).not.toContain('"thinking"')
})

test('Thinking that is not all text goes back as it was, and the rest is reported elsewhere.', () => {
  const reference = { type: 'reference', reference_ids: [3] }
  const odd = { type: 'thinking', thinking: [{ type: 'text', text: 'See' }, reference] }
  const message = { role: 'assistant', content: [odd, said('So.')] }
  const own = createExchange({ from: 'chat', to: 'chat' }).response(choice({ message }, 'stop'))
  expect(own.value).toEqual(choice({ message }, 'stop'))
  const other = createExchange({ from: 'messages', to: 'chat' }).response(choice({ message }, 'stop'))
  expect(other.diagnostics).toContainEqual(
    expect.objectContaining({
      code: 'field_dropped',
      path: ['choices', 0, 'message', 'content', 0, 'thinking', 1],
    }),
  )
})

test('Thinking in the instructions is no reasoning of the assistant.', () => {
  const messages = [
    { role: 'system', content: [said('Think.'), thinking('Like this.')] },
    { role: 'user', content: 'Hello' },
  ]
  const { value } = open('chat', { sealsOwnWire: true }).request({ model: 'm', messages })
  expect(value.messages).toEqual(messages)
})
