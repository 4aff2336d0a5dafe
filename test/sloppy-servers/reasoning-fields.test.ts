/** Servers of Chat that write reasoning into both of its text fields, and mean two texts. */
import type { Exchange, BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { wires } from '../conversation/native.ts'
import { replays } from '../support/reasoning/replay.ts'

const seal = {
  seal: (text: string) => Buffer.from(text).toString('base64url'),
  open: (sealed: string) => Buffer.from(sealed, 'base64url').toString(),
}

const reasoning = { reasoning_content: 'First this.', reasoning: 'Then that.' }
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }
const choice = (more: object, finish_reason: string | null): JsonObject => ({
  id: 'c',
  choices: [{ index: 0, ...more, finish_reason }],
})

function answerOf(exchange: Exchange, isStreamed: boolean): JsonObject {
  if (!isStreamed) {
    const message = { role: 'assistant', content: null, ...reasoning, tool_calls: [call] }
    return exchange.response(choice({ message }, 'tool_calls')).value as JsonObject
  }
  const stream = exchange.stream()
  const chunks = [
    choice({ delta: { role: 'assistant', ...reasoning } }, null),
    choice({ delta: { tool_calls: [{ index: 0, ...call }] } }, null),
    choice({ delta: {} }, 'tool_calls'),
  ]
  for (const chunk of chunks) stream.push(`data: ${JSON.stringify(chunk)}\n\n`)
  stream.push('data: [DONE]\n\n')
  stream.end()
  return stream.answer ?? {}
}

const cases = wires.flatMap(from => [false, true].map(isStreamed => [from, isStreamed] as const))

test.each(cases)(
  'Two texts come back from a client of %s, each in its own field, streamed: %s.',
  (from: Wire, isStreamed) => {
    const open = (): Exchange =>
      createExchange({ from, to: 'chat', upstream: 'u', seal, sealsOwnWire: true, parsed: true })
    const { first, next } = replays[from]
    const request = first('m') as JsonObject
    const exchange = open()
    exchange.request(request)
    const following = next(request, answerOf(exchange, isStreamed))
    const { value } = open().request(following)
    const said = (value.messages as readonly JsonObject[]).filter(({ role }) => role === 'assistant')
    expect(said).toMatchObject([reasoning])
  },
)

test.each(wires.filter(from => from !== 'chat'))(
  'Streamed reasoning that is no text is reported to a client of %s.',
  from => {
    const exchange = createExchange({ from, to: 'chat' })
    exchange.request(replays[from].first('m'))
    const stream = exchange.stream()
    const delta = { reasoning: { content: 'Then that.' }, content: 'Rain.' }
    stream.push(`data: ${JSON.stringify(choice({ delta }, 'stop'))}\n\ndata: [DONE]\n\n`)
    stream.end()
    expect(stream.diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'field_dropped',
        path: ['choices', 0, 'message', 'reasoning'],
      }),
    )
  },
)
