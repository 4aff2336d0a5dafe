/** Whatever is sent, the codec neither throws nor stalls, and keys stay keys. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../json/object.ts'
import { createReport } from '../../../model/diagnostic.ts'
import { responsesConversation } from '../conversation.ts'

const context = { newId: (prefix: string) => `${prefix}new`, now: () => 0 }

function throughRequest(body: JsonObject): JsonObject {
  const { report } = createReport()
  return responsesConversation.encodeRequest(responsesConversation.decodeRequest(body, report), report)
}

function throughAnswer(body: JsonObject): JsonObject {
  const { report } = createReport()
  return responsesConversation.encodeAnswer(responsesConversation.decodeAnswer(body, report), context, report)
}

const kinds = fc.constantFrom(
  'message',
  'function_call',
  'custom_tool_call',
  'function_call_output',
  'custom_tool_call_output',
  'reasoning',
  'web_search_call',
  'tool_use',
  'tool_result',
  'item_reference',
)
const roles = fc.constantFrom('user', 'assistant', 'system', 'developer', 'tool', 'critic')
const partKinds = fc.constantFrom(
  'text',
  'input_text',
  'output_text',
  'refusal',
  'tool_use',
  'tool_result',
  'image',
)

describe('requests', () => {
  test('totality: no value makes it throw', () => {
    const odd = fc.jsonValue({ maxDepth: 5 })
    const item = fc.oneof(
      odd,
      fc.record({
        type: kinds,
        role: roles,
        content: odd,
        output: odd,
        arguments: odd,
        name: odd,
        summary: odd,
      }),
      fc.record({ role: roles, content: fc.array(fc.record({ type: partKinds, text: odd, content: odd })) }),
    )
    fc.assert(
      fc.property(odd, fc.array(item), odd, (body, input, value) => {
        throughRequest(body as JsonObject)
        throughRequest({
          input,
          reasoning: value,
          text: value,
          include: value,
          metadata: value,
          tools: value,
        })
        throughRequest({ input: value, instructions: value, text: { format: value } })
      }),
    )
  })

  test('a hostile request costs its size: deep nesting, and keys called __proto__', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
    let nested: unknown = 'end'
    for (let i = 0; i < 20_000; i++) nested = [{ type: 'tool_result', tool_use_id: 'a', content: nested }]
    const body = {
      input: [
        { type: 'function_call', call_id: 'a', name: 'w', arguments: deep },
        { type: 'function_call_output', call_id: 'a', output: { deep } },
        { role: 'user', content: nested },
      ],
    }
    expect(throughRequest(body).input).toHaveLength(3)
    const proto = JSON.parse(
      '{"input":[{"role":"user","content":"x","__proto__":{"b":2}}],"__proto__":{"a":1}}',
    )
    expect(JSON.stringify(throughRequest(proto))).toBe(
      '{"input":[{"role":"user","content":"x","__proto__":{"b":2}}],"__proto__":{"a":1}}',
    )
  })
})

describe('answers', () => {
  test('totality: no value makes it throw', () => {
    const odd = fc.jsonValue({ maxDepth: 4 })
    fc.assert(
      fc.property(odd, odd, odd, (body, one, two) => {
        throughAnswer(body as JsonObject)
        throughAnswer({ output: one, error: two, usage: two, status: one, incomplete_details: two })
        throughAnswer({
          output: [one, two],
          usage: { input_tokens: 1, output_tokens: 1, input_tokens_details: one },
        })
      }),
    )
  })
})
