import { expect, test } from 'vitest'
import type { Trace } from '../../../toolwire/src/telemetry/trace-document.ts'
import { sentRequest, snippet } from './snippets.ts'

const traceOf = (line: string, text: string, cut = false) =>
  ({
    views: {
      'client-request': {
        parts: [{ line, text, size: text.length, cut, headers: { authorization: '***' } }],
        omitted: 0,
      },
    },
  }) as unknown as Trace

const chat = sentRequest(
  traceOf('POST /v1/chat/completions', `{"model":"m","messages":[{"role":"user","content":"it's"}]}`),
)

test('A request is copied for each program that can send it, with a variable for the key.', () => {
  if (chat === undefined) throw new Error('The request must be readable.')
  const origin = 'http://127.0.0.1:4141'
  expect(snippet('curl', chat, origin)).toContain(`'http://127.0.0.1:4141/v1/chat/completions'`)
  expect(snippet('curl', chat, origin)).toContain(`"it'\\''s"`)
  expect(snippet('openai', chat, origin)).toContain('client.chat.completions.create({')
  expect(snippet('anthropic', chat, origin)).toBeUndefined()
  for (const name of ['curl', 'fetch', 'openai'] as const)
    expect(snippet(name, chat, origin)).toContain('TOOLWIRE_KEY')
})

test('A request that was cut, or is no JSON, is not copied.', () => {
  expect(sentRequest(traceOf('POST /v1/messages', '{"model":"m"', true))).toBeUndefined()
  expect(sentRequest(traceOf('POST /v1/messages', 'nonsense'))).toBeUndefined()
})
