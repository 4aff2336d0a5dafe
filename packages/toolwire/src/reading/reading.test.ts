import { expect, test } from 'vitest'
import { builtInWires } from '../../../core/src/wires/registry.ts'
import type { Trace } from '../telemetry/traces/trace-document.ts'
import { readExchange } from './reading.ts'

const user = { role: 'user', content: 'How is the weather in Berlin?' }
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }
const rounds = [
  [user],
  [
    user,
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
  ],
]

const traceOf = (requests: readonly (readonly object[])[]): Trace =>
  ({
    summary: { state: 'ended', wire: 'chat', upstream_wire: 'chat' },
    losses: [],
    client_calls: [],
    tool_runs: [],
    views: {
      'upstream-request': {
        parts: requests.map(messages => ({ text: JSON.stringify({ model: 'm', messages }), cut: false })),
        omitted: 0,
      },
    },
  }) as unknown as Trace

const read = (requests: readonly (readonly object[])[]) =>
  readExchange(traceOf(requests), { find: () => builtInWires.chat })

test('With several rounds, the context has the body that its parts were counted in.', () => {
  const { context, request } = read(rounds)
  expect(context?.parts.some(({ path }) => path.join('.') === 'messages.2')).toBe(true)
  expect(context?.body).toMatchObject({ messages: rounds[1] })
  // What became of the client's request is the first.
  expect(request.upstream).toMatchObject({ messages: rounds[0] })
})

test('With one round, the body of the context is that of the request, and is not repeated.', () => {
  const { context, request } = read([[user]])
  expect(context).toMatchObject({ side: 'upstream' })
  expect(context).not.toHaveProperty('body')
  expect(request.upstream).toMatchObject({ messages: [user] })
})

test('Every picture of a result is told, the first with its text.', () => {
  const picture = (data: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data },
  })
  const content = [{ type: 'text', text: 'Two:' }, picture('b25l'), picture('dHdv')]
  const messages = [user, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content }] }]
  const trace = traceOf([messages])
  const { conversation } = readExchange(
    {
      ...trace,
      summary: { ...trace.summary, rounds: 2 },
    },
    { find: () => builtInWires.messages },
  )
  const results = conversation.history.filter(({ who }) => who === 'result')
  expect(results.map(({ callId, image }) => [callId, image])).toEqual([
    ['c', 'data:image/png;base64,b25l'],
    [undefined, 'data:image/png;base64,dHdv'],
  ])
})
