import { expect, test } from 'vitest'
import type { Trace } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { hasMask, sentRequest, snippet, whyNotSent } from './snippets.ts'

const traceOf = (line: string, text: string, cut = false, headers: object = { authorization: '***' }) =>
  ({
    views: {
      'client-request': {
        parts: [{ line, text, size: text.length, cut, headers }],
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

test('A request that was cut, or is no JSON, is not copied, and the reason names what to change.', () => {
  const cut = traceOf('POST /v1/messages', '{"model":"m"', true)
  const nonsense = traceOf('POST /v1/messages', 'nonsense')
  for (const trace of [cut, nonsense]) expect(sentRequest(trace)).toBeUndefined()
  expect(whyNotSent(cut)).toContain('trace.viewBytes')
  expect(whyNotSent(nonsense)).toContain('no JSON')
  expect(whyNotSent({ views: {} } as Trace)).toContain('Nothing was kept')
  expect(whyNotSent(traceOf('POST /v1/messages', '{}'))).toBeUndefined()
  expect(whyNotSent(traceOf('POST /toolwire/session', '{}'))).toContain('address')
})

test('What a client says of its request in headers goes along, but nothing of its key, its connection or its program.', () => {
  const sent = sentRequest(
    traceOf('POST /v1/messages', '{"model":"m"}', false, {
      'Anthropic-Beta': 'context-1m',
      'anthropic-version': '2023-06-01',
      'x-claude-code-session-id': 's',
      'x-toolwire-report': 'losses',
      'x-toolwire-client': 'other',
      'x-api-key': '***',
      'openai-organization': 'org ***',
      'idempotency-key': 'once',
      'user-agent': 'curl',
      'content-length': '13',
      cookie: 'a=b',
    }),
  )
  const headers = {
    'anthropic-beta': 'context-1m',
    'anthropic-version': '2023-06-01',
    'x-claude-code-session-id': 's',
    'x-toolwire-report': 'losses',
  }
  expect(sent?.headers).toEqual(headers)
  for (const name of ['curl', 'fetch', 'anthropic'] as const)
    expect(sent && snippet(name, sent, 'http://h')).toContain('context-1m')
})

test('A request says whether something in it was masked.', () => {
  const isMasked = (content: string) =>
    sentRequest(traceOf('POST /v1/messages', JSON.stringify({ messages: [{ content }] })))?.isMasked
  expect([isMasked('my key is ***'), isMasked('sk-***'), isMasked('two ** stars')]).toEqual([
    true,
    true,
    false,
  ])
})

test('The mark of a key is told from the three stars of a patch, of emphasis and of a line.', () => {
  for (const text of ['"api_key":"***"', 'Bearer ***\\n', 'Use *** here.', 'key=***, then', '***'])
    expect(hasMask(text), text).toBe(true)
  for (const text of ['*** Begin Patch\\n*** Add File: a', '***bold', '****', '\\n*****\\n', 'a ** b'])
    expect(hasMask(text), text).toBe(false)
})
