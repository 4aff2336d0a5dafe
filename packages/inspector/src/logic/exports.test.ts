import { describe, expect, test } from 'vitest'
import type { ExchangeDocument } from '../state/api.ts'
import { cleaned } from './blanking.ts'
import { toFixture, toHar, toJsonLines } from './exports.ts'
import { fromFile } from './imports.ts'

const body = JSON.stringify({
  model: 'm',
  messages: [
    { role: 'system', content: 'A secret rule.' },
    { role: 'user', content: 'Hello' },
  ],
})
const document = {
  trace: {
    summary: {
      id: 'req_1',
      time: '2026-11-17T12:00:00.000Z',
      route: 'POST /v1/chat/completions',
      status: 200,
      wire: 'chat',
      upstream_wire: 'chat',
      total_ms: 5,
    },
    client_calls: [],
    tool_runs: [],
    losses: [],
    views: {
      'client-request': {
        parts: [
          { line: 'POST /v1/chat/completions', headers: { accept: '*/*' }, text: body, size: 9, cut: false },
        ],
        omitted: 0,
      },
      'client-answer': {
        parts: [
          {
            line: '200',
            headers: {},
            text: 'data: {"a":"sk-abcdefghijklmnopqrst"}\n\n',
            size: 9,
            cut: false,
          },
        ],
        omitted: 0,
      },
    },
  },
  reading: {
    conversation: {
      tools: [],
      history: [
        { who: 'system', text: 'A secret rule.' },
        { who: 'user', text: 'Hello' },
      ],
      answer: [],
      unread: [],
    },
    request: { client: JSON.parse(body), pairs: [] },
    answer: { pairs: [] },
    explanations: {},
  },
} as unknown as ExchangeDocument

describe('exports', () => {
  test('JSON lines, a trace and HAR open again with the same trace.', () => {
    for (const text of [
      toJsonLines([document, document]),
      JSON.stringify(document.trace),
      toHar([document], '1'),
    ]) {
      const [first] = fromFile(text)
      expect(first?.trace).toEqual(document.trace)
    }
    expect(fromFile(toJsonLines([document, document]))).toHaveLength(2)
  })

  test('HAR of another program is read as far as it goes.', () => {
    const har = JSON.parse(toHar([document], '1'))
    delete har.log.entries[0]._toolwire
    const [first] = fromFile(JSON.stringify(har))
    expect(first?.trace.summary).toMatchObject({
      wire: 'chat',
      status: 200,
      route: 'POST /v1/chat/completions',
    })
    expect(first?.trace.views['client-request']?.parts[0]?.text).toBe(body)
  })

  test('An answer that another program wrote as base64 is read as its text.', () => {
    const har = JSON.parse(toHar([document], '1'))
    const [entry] = har.log.entries
    delete entry._toolwire
    entry.response.content = { text: Buffer.from('data: „é“').toString('base64'), encoding: 'base64' }
    const [first] = fromFile(JSON.stringify(har))
    expect(first?.trace.views['client-answer']?.parts[0]?.text).toBe('data: „é“')
  })

  test('Keys are masked too that another program wrote into its file.', () => {
    const har = JSON.parse(toHar([document], '1'))
    const [entry] = har.log.entries
    delete entry._toolwire
    entry.request.headers = [
      { name: 'Authorization', value: 'Bearer short' },
      { name: 'x-api-key', value: 'canary' },
      { name: 'accept', value: '*/*' },
    ]
    entry.request.postData.text = '{"model":"m","api_key":"canary","note":"gsk_0123456789abcdefgh"}'
    const [first] = fromFile(JSON.stringify(har))
    const { reading } = document
    const text = toJsonLines([cleaned({ trace: (first ?? document).trace, reading }, new Set())])
    for (const secret of ['short', 'canary', '0123456789abcdefgh']) expect(text).not.toContain(secret)
    expect(text).toContain('*/*')
  })

  test('What is blanked is nowhere in the file, and what looks like a key never is.', () => {
    const text = toJsonLines([cleaned(document, new Set(['system', 'headers']))])
    expect(text).not.toContain('secret rule')
    expect(text).not.toContain('*/*')
    expect(text).toContain('Hello')
    expect(toJsonLines([cleaned(document, new Set())])).not.toContain('sk-abcdef')
    expect(toJsonLines([cleaned(document, new Set())])).toContain('secret rule')
  })

  test('A fixture opens again with its wires, its bodies on every side and its losses.', () => {
    const loss = { code: 'unknown_field', severity: 'warning', path: ['x'], message: 'lost' }
    const answer = { client: { id: 'a' }, upstream: { id: 'b' }, pairs: [] }
    const given = {
      trace: { ...document.trace, losses: [loss] },
      reading: { ...document.reading, answer },
    } as unknown as ExchangeDocument
    const at = '2026-11-20T12:00:00.000Z'
    const [first, ...others] = fromFile(toFixture(given), at)
    expect(first?.trace.summary.time).toBe(at)
    expect(others).toEqual([])
    expect(first?.trace.summary).toMatchObject({ wire: 'chat', upstream_wire: 'chat', losses: 1 })
    expect(first?.trace.losses).toEqual([loss])
    const text = (name: 'client-request' | 'upstream-request' | 'upstream-answer' | 'client-answer') =>
      first?.trace.views[name]?.parts[0]?.text
    expect(JSON.parse(text('client-request') ?? '')).toEqual(JSON.parse(body))
    expect(text('upstream-request')).toBeUndefined()
    expect(text('client-answer')).toBe('{"id":"a"}')
    expect(text('upstream-answer')).toBe('{"id":"b"}')
    expect(first?.trace.views['client-request']?.parts[0]?.line).toBe('POST /v1/chat/completions')
  })

  test('A file without an exchange is refused, and says why.', () => {
    for (const text of ['{}', 'nonsense', '[]', 'null', '<html></html>', '{"trace":{}}', '{"log":{}}'])
      expect(() => fromFile(text)).toThrow('no exchange')
  })

  test('A reading that is none is left to the gateway, which makes one of the trace.', () => {
    const text = JSON.stringify({ trace: document.trace, reading: {} })
    expect(fromFile(text)).toEqual([{ trace: document.trace }])
    expect(fromFile(toJsonLines([document]))).toEqual([document])
  })

  test('A fixture has both sides of the request.', () => {
    expect(JSON.parse(toFixture(document))).toMatchObject({
      from: 'chat',
      to: 'chat',
      request: { client: { model: 'm' } },
    })
  })
})
