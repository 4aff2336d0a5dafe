/** Every request gets an answer on the wire; the transport never fails. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { request } from '../../../../test/support/arbitraries/chat.ts'
import { postDemo, tool } from './demo-client.test-helper.ts'

async function expectAnswer(body: unknown): Promise<void> {
  const { status, text, failure } = await postDemo(body)
  expect(failure).toBeUndefined()
  expect([200, 400, 404]).toContain(status)
  expect(text.endsWith('data: [DONE]\n\n') || typeof JSON.parse(text) === 'object').toBe(true)
}

describe('Hostile requests', () => {
  test('A request with any JSON in any field is answered.', async () => {
    const json = fc.jsonValue({ maxDepth: 4 })
    const role = fc.constantFrom('system', 'user', 'assistant', 'tool', 'function')
    const message = fc.oneof(
      json,
      fc.record({ role, content: json, tool_calls: json }, { requiredKeys: ['role'] }),
    )
    const anyTool = fc.record({ type: fc.constantFrom('function', 'custom'), function: json, custom: json })
    const named = fc.record({ name: fc.string(), description: json, parameters: json, strict: json })
    const body = fc.record(
      {
        messages: fc.oneof(json, fc.array(message, { minLength: 1, maxLength: 4 })),
        tools: fc.oneof(
          json,
          fc.array(
            fc.oneof(
              anyTool,
              named.map(inside => ({ type: 'function', function: inside })),
            ),
          ),
        ),
        tool_choice: json,
        functions: json,
        response_format: fc.oneof(
          json,
          json.map(schema => ({ type: 'json_schema', json_schema: { schema } })),
        ),
        stop: json,
        max_tokens: json,
        stream: fc.boolean(),
      },
      { requiredKeys: ['messages'] },
    )
    await fc.assert(
      fc.asyncProperty(body, fields => expectAnswer({ model: 'demo', ...fields })),
      { numRuns: 300 },
    )
  })

  test('A generated Chat request is answered.', async () => {
    await fc.assert(
      fc.asyncProperty(request, body => expectAnswer({ ...body, model: 'demo-reasoning' })),
      { numRuns: 100 },
    )
  })

  test('Keys such as __proto__ are data.', async () => {
    const properties = '{"__proto__":{"type":"string"},"constructor":{"type":"string"}}'
    const parameters = `{"type":"object","properties":${properties},"required":["__proto__","constructor"]}`
    const { text } = await postDemo(
      `{"model":"demo","messages":[{"role":"user","content":"toString in Oslo"}],"tool_choice":"required",
        "tools":[{"type":"function","function":{"name":"get__proto__time","parameters":${parameters}}}]}`,
    )
    const { choices } = JSON.parse(text) as {
      choices: { message: { tool_calls: { function: { arguments: string } }[] } }[]
    }
    const args = choices[0]?.message.tool_calls[0]?.function.arguments ?? ''
    expect(Object.keys(JSON.parse(args) as object).sort()).toEqual(['__proto__', 'constructor'])
    expect(Object.hasOwn(Object.prototype, 'city')).toBe(false)
  })

  test('Long repetitive messages do not run into slow regular expressions.', async () => {
    const notes = tool('search_notes', { text: { type: 'string' }, count: { type: 'integer' } })
    const hostile = [
      'a.',
      '"',
      '"a',
      'a@',
      '/a',
      '1',
      '1+(',
      'Aa ',
      'Aa, ',
      'in x ',
      '- x\n',
      ' ',
      "'",
      '🎉',
      'e.g. ',
    ]
    for (const piece of hostile) {
      const content = piece.repeat(200_000)
      const messages = [{ role: 'user', content }]
      await expectAnswer({ model: 'demo', messages, tools: [notes], tool_choice: 'required' })
    }
  })

  test('Thousands of results are summed up.', async () => {
    const ids = Array.from({ length: 5_000 }, (_, i) => `c${i}`)
    const tool_calls = ids.map(id => ({ id, type: 'function', function: { name: 'a', arguments: '{}' } }))
    const results = ids.map(id => ({ role: 'tool', tool_call_id: id, content: '{"a":1}' }))
    const { text } = await postDemo({
      model: 'demo',
      messages: [{ role: 'assistant', tool_calls }, ...results],
    })
    expect(text).toContain('There are 4980 more results.')
  })
})
