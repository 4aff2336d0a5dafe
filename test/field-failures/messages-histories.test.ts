/** What other bridges got wrong with the histories of Messages; each test names the failure it repeats. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'

type Item = Record<string, unknown>

const user = { role: 'user', content: 'hi' }
const roles = (messages: readonly Item[]): unknown[] => messages.map(({ role }) => role)

describe('from Messages', () => {
  const use = (id: string): Item => ({ type: 'tool_use', id, name: 'w', input: {} })

  test('[field F01] results come before what the user says with them, whatever their order', () => {
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

  test('[field C13] a failed result says so on every wire, and is failed again on Messages', () => {
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

  test('[field F09] images in results are kept', () => {
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
