/** Whatever is asked, there is an answer on the wire: never a failure of the transport. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { request } from '../../../../test/support/arbitraries/chat.ts'
import { ask } from './ask.test-helper.ts'

async function expectAnswer(body: unknown): Promise<void> {
  const { status, text, failure } = await ask(body)
  expect(failure).toBeUndefined()
  expect([200, 400, 404]).toContain(status)
  expect(text.endsWith('data: [DONE]\n\n') || typeof JSON.parse(text) === 'object').toBe(true)
}

describe('any body', () => {
  it('any JSON in any field', async () => {
    const json = fc.jsonValue({ maxDepth: 4 })
    const role = fc.constantFrom('system', 'user', 'assistant', 'tool', 'function')
    const message = fc.oneof(
      json,
      fc.record({ role, content: json, tool_calls: json }, { requiredKeys: ['role'] }),
    )
    const tool = fc.record({ type: fc.constantFrom('function', 'custom'), function: json, custom: json })
    const named = fc.record({ name: fc.string(), description: json, parameters: json, strict: json })
    const body = fc.record(
      {
        messages: fc.oneof(json, fc.array(message, { minLength: 1, maxLength: 4 })),
        tools: fc.oneof(
          json,
          fc.array(
            fc.oneof(
              tool,
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

  it('any request of the wire', async () => {
    await fc.assert(
      fc.asyncProperty(request, body => expectAnswer({ ...body, model: 'demo-reasoning' })),
      { numRuns: 100 },
    )
  })

  it('keys that are not data', async () => {
    const properties = '{"__proto__":{"type":"string"},"constructor":{"type":"string"}}'
    const parameters = `{"type":"object","properties":${properties},"required":["__proto__","constructor"]}`
    const { text } = await ask(
      `{"model":"demo","messages":[{"role":"user","content":"toString in Oslo"}],"tool_choice":"required",
        "tools":[{"type":"function","function":{"name":"__proto__","parameters":${parameters}}}]}`,
    )
    const { choices } = JSON.parse(text) as {
      choices: { message: { tool_calls: { function: { arguments: string } }[] } }[]
    }
    const given = choices[0]?.message.tool_calls[0]?.function.arguments ?? ''
    expect(Object.keys(JSON.parse(given) as object).sort()).toEqual(['__proto__', 'constructor'])
    expect(Object.hasOwn(Object.prototype, 'city')).toBe(false)
  })

  it('messages that a careless pattern would read for ever', async () => {
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
      await expectAnswer({ model: 'demo', messages: [{ role: 'user', content }], tools: [] })
    }
  })

  it('results and messages in great numbers', async () => {
    const ids = Array.from({ length: 5_000 }, (_, i) => `c${i}`)
    const tool_calls = ids.map(id => ({ id, type: 'function', function: { name: 'a', arguments: '{}' } }))
    const results = ids.map(id => ({ role: 'tool', tool_call_id: id, content: '{"a":1}' }))
    const { text } = await ask({ model: 'demo', messages: [{ role: 'assistant', tool_calls }, ...results] })
    expect(text).toContain('There are 4980 more results.')
  })
})
