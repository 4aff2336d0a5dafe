/** Requests that would get an answer to something else: they are errors for the client. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json/object.ts'
import { crossings, open, requestFor, toolFor } from './calls.test-helper.ts'

const errorsOf = (diagnostics: readonly { severity: string; code: string }[]): string[] =>
  diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)

describe.each(crossings)('from %s to %s', (from, to) => {
  const field = from === 'responses' ? 'input' : 'messages'
  const required = `"${field}" is required, with at least one message.`
  test.each<[string, unknown, string]>([
    ['an empty list', [], required],
    ['nothing', undefined, required],
    ['only what reaches its own wire', [{ type: 'teleport' }], 'No message is left to send'],
  ])('A history of %s leaves no message, which is an error.', (_, history, message) => {
    const body = { model: 'm', max_tokens: 64, ...(history !== undefined && { [field]: history }) }
    const { diagnostics } = open({ from, to }).request(body)
    const found = diagnostics.find(({ code }) => code === 'request_emptied')
    expect(found).toMatchObject({
      severity: 'error',
      path: [field],
      message: expect.stringContaining(message),
    })
  })
})

describe.each(['chat', 'responses'] as const)('from %s to messages', from => {
  test('Instructions alone leave no message, which is an error.', () => {
    const body = requestFor(from, {})
    const history = [{ role: 'system', content: 'Be brief.' }]
    const { diagnostics } = open({ from, to: 'messages' }).request({
      ...body,
      [from === 'responses' ? 'input' : 'messages']: history,
    })
    expect(errorsOf(diagnostics)).toEqual(['request_emptied'])
  })
})

describe('forced choices', () => {
  const f = { type: 'object', properties: {} }
  test.each<[string, 'chat' | 'responses' | 'messages', 'chat' | 'responses' | 'messages', JsonObject]>([
    [
      'web search alone',
      'messages',
      'chat',
      {
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
        tool_choice: { type: 'tool', name: 'web_search' },
      },
    ],
    [
      'any tool, and none is left',
      'messages',
      'chat',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }], tool_choice: { type: 'any' } },
    ],
    [
      'a dropped tool beside others',
      'responses',
      'chat',
      {
        tools: [{ type: 'file_search', vector_store_ids: [] }, toolFor('responses', 'f', f)],
        tool_choice: { type: 'file_search' },
      },
    ],
    [
      'a dropped tool beside others',
      'responses',
      'messages',
      {
        tools: [{ type: 'image_generation' }, toolFor('responses', 'f', f)],
        tool_choice: { type: 'image_generation' },
      },
    ],
    [
      'a subset of which nothing is left',
      'responses',
      'chat',
      {
        tools: [{ type: 'image_generation' }, toolFor('responses', 'f', f)],
        tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'image_generation' }] },
      },
    ],
    [
      'a dropped tool',
      'responses',
      'messages',
      { tools: [{ type: 'code_interpreter', container: 'x' }], tool_choice: 'required' },
    ],
  ])('A forced choice of %s from %s to %s is an error.', (_, from, to, fields) => {
    const { diagnostics } = open({ from, to }).request(requestFor(from, fields))
    expect(errorsOf(diagnostics)).toEqual(['tool_choice_impossible'])
  })

  test('A free choice without tools is only noted.', () => {
    const { diagnostics } = open({ from: 'responses', to: 'chat' }).request(
      requestFor('responses', { tools: [{ type: 'image_generation' }], tool_choice: 'auto' }),
    )
    expect(errorsOf(diagnostics)).toEqual([])
  })
})

describe('a search that may not leave the cache', () => {
  const cached = { type: 'web_search', external_web_access: false }

  test.each(['chat', 'messages'] as const)('It never becomes a live search on %s.', to => {
    for (const hostedTools of [undefined, 'emulate', 'handler', 'pass', { web_search: 'handler' }] as const) {
      const { value, diagnostics } = open({
        from: 'responses',
        to,
        ...(hostedTools && { hostedTools }),
      }).request(
        requestFor('responses', {
          tools: [cached, toolFor('responses', 'f', { type: 'object', properties: {} })],
        }),
      )
      expect(JSON.stringify(value)).not.toContain('web_search')
      expect(diagnostics.map(({ code }) => code)).toContain('own_search_dropped')
    }
  })

  test('On its own wire it stays, and is not handed to a handler.', () => {
    const body = requestFor('responses', { tools: [cached] })
    expect(open({ from: 'responses', to: 'responses' }).request(body).value).toEqual(body)
    const handled = open({ from: 'responses', to: 'responses', hostedTools: { web_search: 'handler' } })
    expect(JSON.stringify(handled.request(body).value)).not.toContain('"name":"web_search"')
  })

  test('A search that may leave it is mapped.', () => {
    const live = { type: 'web_search', external_web_access: true }
    const { value } = open({ from: 'responses', to: 'messages' }).request(
      requestFor('responses', { tools: [live] }),
    )
    expect(JSON.stringify(value)).toContain('web_search_20250305')
  })
})
