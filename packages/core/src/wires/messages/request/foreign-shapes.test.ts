/** Parts, calls and results in the shapes of the OpenAI wires, sent by a client of Messages. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../../../create-exchange.ts'
import { messagesConversation } from '../conversation.ts'

const data = 'data:image/png;base64,AAAA'
const read = (message: object) => {
  const codes: string[] = []
  const body = { model: 'm', max_tokens: 64, messages: [{ role: 'user', content: 'hi' }, message] }
  const { turns } = messagesConversation.decodeRequest(body, code => void codes.push(code))
  return { turn: turns[1], codes, body }
}

describe('foreign shapes on Messages', () => {
  test.each<[object, object]>([
    [
      { type: 'input_text', text: 'a' },
      { kind: 'text', text: 'a' },
    ],
    [
      { type: 'output_text', text: 'a' },
      { kind: 'text', text: 'a' },
    ],
    [
      { type: 'image_url', image_url: { url: data } },
      { kind: 'image', source: { type: 'data', data: 'AAAA' } },
    ],
    [
      { type: 'input_image', image_url: data },
      { kind: 'image', source: { type: 'data', data: 'AAAA' } },
    ],
    [
      { type: 'file', file: { filename: 'a.pdf', file_data: 'JVBERi0=' } },
      { kind: 'file', filename: 'a.pdf' },
    ],
    [
      { type: 'input_file', file_url: 'https://example.com/a' },
      { kind: 'file', source: { type: 'url' } },
    ],
  ])('The part %j is read, and its shape is reported.', (part, expected) => {
    const { turn, codes } = read({ role: 'user', content: [part] })
    expect(turn?.parts).toMatchObject([expected])
    expect(codes).toEqual(['mixed_shape'])
    const inside = { type: 'tool_result', tool_use_id: 'c', content: [part] }
    expect(read({ role: 'user', content: [inside] }).turn?.parts).toMatchObject([{ content: [expected] }])
  })

  test("Chat's calls and results are read as calls and results.", () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }]
    const asked = read({ role: 'assistant', content: null, tool_calls: calls })
    expect(asked.turn?.parts).toMatchObject([{ kind: 'call', id: 'c', name: 'f', input: '{"a":1}' }])
    const answered = read({ role: 'tool', tool_call_id: 'c', content: 'ok' })
    expect(answered.turn).toMatchObject({ role: 'tool', parts: [{ kind: 'result', callId: 'c' }] })
    expect([asked.codes, answered.codes]).toEqual([['mixed_shape'], ['mixed_shape']])
  })

  test.each(['chat', 'responses', 'messages'] as const)(
    'A loop in the shapes of Chat reaches %s whole.',
    to => {
      const messages = [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: data } }] },
        {
          role: 'assistant',
          content: 'Well.',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'ok' },
      ]
      const { value, diagnostics } = createExchange({ from: 'messages', to }).request({
        model: 'm',
        max_tokens: 64,
        messages,
      })
      expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([])
      const text = JSON.stringify(value)
      for (const word of ['AAAA', 'Well.', '"ok"', '"f"']) expect(text).toContain(word)
      if (to === 'messages') expect(text).not.toMatch(/image_url|tool_calls|tool_call_id/)
    },
  )

  test('What no wire has stays as it is on its own.', () => {
    const { turn, codes } = read({ role: 'user', content: [{ type: 'hologram', a: 1 }] })
    expect(turn?.parts).toMatchObject([{ kind: 'opaque', value: { type: 'hologram', a: 1 } }])
    expect(codes).toEqual([])
  })
})
