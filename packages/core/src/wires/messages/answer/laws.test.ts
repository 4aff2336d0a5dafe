/** The laws of this wire's answers, over generated ones. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../json/object.ts'
import { isObject } from '../../../json/object.ts'
import type { Answer } from '../../../model/answer.ts'
import { createReport } from '../../../model/diagnostic.ts'
import { messagesConversation } from '../conversation.ts'

function decode(body: JsonObject) {
  const { report, diagnostics } = createReport()
  return { answer: messagesConversation.decodeAnswer(body, report), diagnostics }
}

function encode(answer: Answer, request?: JsonObject) {
  const { report, diagnostics } = createReport()
  const context = { newId: (prefix: string) => `${prefix}new`, now: () => 0, ...(request && { request }) }
  return { body: messagesConversation.encodeAnswer(answer, context, report), diagnostics }
}

function roundTrip(body: JsonObject) {
  const { answer, diagnostics } = decode(body)
  const written = encode(answer)
  return { body: written.body, diagnostics: [...diagnostics, ...written.diagnostics] }
}

const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value))
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : (inner ?? null),
  )

const word = fc.string({ maxLength: 8 })
const json: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 2 }).map(parsed)
const object = fc.dictionary(fc.oneof(word, fc.constant('__proto__')), json, { maxKeys: 3 })
const record = <T extends Record<string, fc.Arbitrary<unknown>>, K extends keyof T & string>(
  model: T,
  ...required: K[]
) => fc.record(model, { requiredKeys: required })
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary)

const citation = fc.oneof(
  fc.record({
    type: fc.constant('web_search_result_location'),
    url: word,
    title: nullable(word),
    cited_text: word,
    encrypted_index: word,
  }),
  fc.record({
    type: fc.constant('page_location'),
    cited_text: word,
    document_index: fc.nat(),
    file_id: fc.constant(null),
  }),
)
const block = fc.oneof(
  record(
    { type: fc.constant('text'), text: word, citations: nullable(fc.array(citation, { maxLength: 3 })) },
    'type',
    'text',
  ),
  fc.record({ type: fc.constant('thinking'), thinking: word, signature: word }),
  fc.record({ type: fc.constant('redacted_thinking'), data: word }),
  record(
    {
      type: fc.constant('tool_use'),
      id: word,
      name: word,
      input: object,
      caller: fc.constantFrom({ type: 'direct' }, { type: 'code_execution_20250825', tool_id: 's' }),
      toolset_name: nullable(word),
    },
    'type',
    'id',
    'name',
    'input',
  ),
  fc.record({ type: fc.constant('server_tool_use'), id: word, name: word, input: json, caller: object }),
  fc.record({ type: fc.constant('code_execution_tool_result'), tool_use_id: word, content: object }),
)
const usage = record(
  {
    input_tokens: fc.nat(),
    output_tokens: fc.nat(),
    cache_creation_input_tokens: nullable(fc.nat()),
    cache_read_input_tokens: nullable(fc.nat()),
    cache_creation: nullable(
      fc.record({ ephemeral_1h_input_tokens: fc.nat(), ephemeral_5m_input_tokens: fc.nat() }),
    ),
    output_tokens_details: nullable(record({ thinking_tokens: fc.nat(), more: word }, 'thinking_tokens')),
    server_tool_use: nullable(fc.record({ web_search_requests: fc.nat() })),
    service_tier: fc.constantFrom('standard', 'priority', null),
  },
  'input_tokens',
  'output_tokens',
)
const stopReason = fc.constantFrom(
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
  'of_tomorrow',
  null,
)
const message = record(
  {
    id: word,
    type: fc.constant('message'),
    role: fc.constant('assistant'),
    model: word,
    content: fc.array(block, { maxLength: 4 }),
    stop_reason: stopReason,
    stop_sequence: nullable(word),
    usage,
    container: nullable(fc.record({ id: word, expires_at: word, skills: fc.constant(null) })),
    stop_details: nullable(
      fc.record({ type: fc.constant('refusal'), category: fc.constant(null), explanation: nullable(word) }),
    ),
    diagnostics: fc.constant(null),
  },
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'usage',
)
const errorBody = record(
  {
    type: fc.constant('error'),
    error: record(
      {
        type: fc.constantFrom(
          'invalid_request_error',
          'overloaded_error',
          'request_too_large',
          'of_tomorrow',
        ),
        message: word,
        details: nullable(record({ error_code: word, more: word })),
      },
      'type',
      'message',
    ),
    request_id: nullable(word),
  },
  'type',
  'error',
)

describe('laws', () => {
  test('identity: an answer or an error comes back as it was, with nothing to report', () => {
    fc.assert(
      fc.property(fc.oneof({ arbitrary: message, weight: 4 }, errorBody).map(parsed), body => {
        const before = canonical(body)
        const { body: after, diagnostics } = roundTrip(body)
        expect(canonical(after)).toBe(before)
        expect(canonical(body)).toBe(before)
        expect(diagnostics).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('accounting: every text is in the model, or in the residue that other wires report', () => {
    fc.assert(
      fc.property(fc.oneof(message, errorBody).map(parsed), body => {
        const marks: string[] = []
        const marked = JSON.parse(JSON.stringify(body), (key, value: unknown) => {
          if (typeof value !== 'string' || ['type', 'role', 'stop_reason'].includes(key)) return value
          marks.push(`mark${marks.length}x`)
          return marks.at(-1)
        })
        const { answer } = decode(marked)
        const heard = JSON.stringify(answer, (key, value: unknown) => (key === 'quiet' ? undefined : value))
        expect(marks.filter(mark => !heard.includes(mark))).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('totality: any JSON in any place is read without a throw and comes back as it was', () => {
    const keys = ['id', 'model', 'stop_reason', 'stop_sequence', 'role', 'more', '__proto__']
    const body = record({
      type: fc.oneof(json, fc.constantFrom('message', 'error')),
      content: fc.oneof(json, fc.array(fc.oneof(block, json))),
      usage: fc.oneof(
        json,
        record({
          input_tokens: json,
          output_tokens: json,
          cache_read_input_tokens: json,
          output_tokens_details: object,
        }),
      ),
      error: fc.oneof(
        json,
        record({ type: json, message: json, details: fc.oneof(json, record({ error_code: json, x: json })) }),
      ),
      ...Object.fromEntries(keys.map(key => [key, json])),
    })
    fc.assert(
      fc.property(body.map(parsed), value => {
        const before = canonical(value)
        expect(canonical(roundTrip(value).body)).toBe(before)
        expect(canonical(value)).toBe(before)
      }),
      { numRuns: 200 },
    )
  })
})
