/** The laws of this wire's requests, over generated ones. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonical,
  json,
  object,
  parsed,
  record,
  request,
} from '../../../../../../test/support/arbitraries/messages.ts'
import type { JsonObject } from '../../../json/object.ts'
import { createReport } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { messagesConversation } from '../conversation.ts'

function decode(body: JsonObject) {
  const { report, diagnostics } = createReport()
  return { request: messagesConversation.decodeRequest(body, report), diagnostics }
}

function encode(request: Request) {
  const { report, diagnostics } = createReport()
  return { body: messagesConversation.encodeRequest(request, report), diagnostics }
}

function roundTrip(body: JsonObject) {
  const { request, diagnostics } = decode(body)
  const written = encode(request)
  return { body: written.body, diagnostics: [...diagnostics, ...written.diagnostics] }
}

// Generators of valid requests, after the types of @anthropic-ai/sdk 1.8.0.

describe('laws', () => {
  test('identity: a valid request comes back as it was, with nothing to report', () => {
    fc.assert(
      fc.property(request.map(parsed), body => {
        const before = canonical(body)
        const { body: after, diagnostics } = roundTrip(body)
        expect(canonical(after)).toBe(before)
        expect(canonical(body)).toBe(before)
        expect(diagnostics).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('totality: any JSON in any place is read without a throw and comes back as it was', () => {
    const known = [
      'text',
      'image',
      'document',
      'search_result',
      'tool_use',
      'tool_result',
      'thinking',
      'x_tool_result',
    ]
    const odd = record({
      type: fc.oneof(fc.constantFrom(...known, 'redacted_thinking'), json),
      ...Object.fromEntries(
        [
          'text',
          'source',
          'content',
          'id',
          'tool_use_id',
          'name',
          'input',
          'caller',
          'citations',
          'is_error',
          'thinking',
          'signature',
          'data',
          'title',
          '__proto__',
        ].map(key => [
          key,
          fc.oneof(
            json,
            fc.array(object),
            fc.array(fc.record({ type: fc.constantFrom(...known), text: json })),
          ),
        ]),
      ),
    })
    const block = fc.oneof(odd, json)
    const body = record({
      model: json,
      system: fc.oneof(json, fc.array(block)),
      messages: fc.oneof(
        json,
        fc.array(
          fc.oneof(
            json,
            record({
              role: fc.oneof(fc.constantFrom('user', 'assistant', 'system', 'developer', 'tool'), json),
              content: fc.oneof(json, fc.array(block)),
              name: json,
            }),
          ),
        ),
      ),
      ...Object.fromEntries(
        [
          'max_tokens',
          'temperature',
          'top_p',
          'stop_sequences',
          'stream',
          'service_tier',
          'metadata',
          'thinking',
        ].map(key => [key, json]),
      ),
      output_config: fc.oneof(
        json,
        record({
          effort: fc.oneof(json, fc.constantFrom('none', 'minimal')),
          format: fc.oneof(json, record({ type: fc.constant('json_schema'), schema: json, name: json })),
          more: json,
        }),
      ),
    })
    fc.assert(
      fc.property(body.map(parsed), value => {
        const before = canonical(value)
        expect(canonical(roundTrip(value).body)).toBe(before)
        expect(canonical(value)).toBe(before)
      }),
      { numRuns: 150 },
    )
  })

  test('accounting: every text is in the model, or in the residue that other wires report', () => {
    fc.assert(
      fc.property(request.map(parsed), body => {
        const marks: string[] = []
        const marked = JSON.parse(JSON.stringify(body), (key, value: unknown) => {
          if (typeof value !== 'string' || key === 'type' || key === 'role') return value
          marks.push(`mark${marks.length}x`)
          return marks.at(-1)
        })
        const { request: read } = decode(marked)
        // What is quiet is what other wires do not hear of; all it holds must stand in the model as well.
        const heard = JSON.stringify(read, (key, value: unknown) => (key === 'quiet' ? undefined : value))
        expect(marks.filter(mark => !heard.includes(mark))).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('nesting deeper than the engine can write is carried whole', () => {
    let deep: unknown = []
    for (let i = 0; i < 200_000; i++) deep = [deep]
    const block = { type: 'tool_use', id: 'a', name: 'w', input: { deep } }
    const result = { type: 'tool_result', tool_use_id: 'a', content: { deep } }
    const { body } = roundTrip({ messages: [{ role: 'user', content: [block, result] }] })
    const [message] = body.messages as { content: { input?: unknown; content?: unknown }[] }[]
    expect(message?.content[0]?.input).toBe(block.input)
    expect(message?.content[1]?.content).toBe(result.content)
  })

  test('a result in a result is not entered', () => {
    const inner = { type: 'tool_result', tool_use_id: 'b', content: [] }
    const body = {
      messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [inner] }] }],
    }
    const { request } = decode(body)
    expect(request.turns[0]?.parts[0]).toMatchObject({
      kind: 'result',
      content: [{ kind: 'opaque', value: inner }],
    })
    expect(roundTrip(body).body).toEqual(body)
  })
})
