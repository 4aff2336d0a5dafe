/** What other bridges got wrong with the histories of Messages; each test names the failure it repeats. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'

type Item = Record<string, unknown>

const user = { role: 'user', content: 'hi' }
const roles = (messages: readonly Item[]): unknown[] => messages.map(({ role }) => role)

describe('from Messages', () => {
  const use = (id: string): Item => ({ type: 'tool_use', id, name: 'w', input: {} })

  test('Results come before the user’s text, whatever their order in the message. [field F01]', () => {
    const { value } = createExchange({ from: 'messages', to: 'chat' }).request({
      model: 'm',
      max_tokens: 10,
      messages: [
        user,
        { role: 'assistant', content: [use('a'), use('b')] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'b', content: '2' },
            { type: 'text', text: 'and?' },
            { type: 'tool_result', tool_use_id: 'a', content: '1' },
          ],
        },
      ],
    })
    const messages = value.messages as Item[]
    expect(roles(messages)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
    expect(messages.slice(2, 4).map(({ tool_call_id }) => tool_call_id)).toEqual(['a', 'b'])
  })

  test('A failed result is marked on every wire, and fails again on Messages. [field C13]', () => {
    const body = {
      model: 'm',
      max_tokens: 10,
      messages: [
        user,
        { role: 'assistant', content: [use('a')] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '42', is_error: true }] },
      ],
    }
    for (const to of ['chat', 'responses'] as const) {
      const { value } = createExchange({ from: 'messages', to }).request(body)
      expect(JSON.stringify(value)).toMatch(/error[^"]*42/)
      const back = createExchange({ from: to, to: 'messages' }).request(value).value
      expect(JSON.stringify(back)).toContain('"is_error":true')
      expect(JSON.stringify(back)).toContain('"42"')
    }
  })

  test('Images in results are kept. [field F09]', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } }
    const body = {
      model: 'm',
      max_tokens: 10,
      messages: [
        user,
        { role: 'assistant', content: [use('a')] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [image] }] },
      ],
    }
    for (const to of ['chat', 'responses'] as const) {
      expect(JSON.stringify(createExchange({ from: 'messages', to }).request(body).value)).toContain(
        'data:image/png;base64,QUJD',
      )
    }
  })
})
