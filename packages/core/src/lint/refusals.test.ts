/** Lint knows what single models refuse, and a tool that waits for a search which nobody makes. */
import { describe, expect, test } from 'vitest'
import { lintToolParams } from './lint-tools.ts'

const chatTool = {
  type: 'function',
  function: { name: 'look', parameters: { type: 'object', properties: {} } },
}
const messagesTool = { name: 'look', description: 'Looks.', input_schema: { type: 'object' } }

const found = (body: object, wire: 'chat' | 'messages' | 'responses', target = wire): string[] =>
  lintToolParams(body, { wire, target })
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ code, path }) => `${code} ${path.join('.')}`)

describe('models that refuse', () => {
  test.each([
    ['gpt-5.6', {}, ['tools_refused tools']],
    ['gpt-5.6', { reasoning_effort: 'none' }, []],
    ['gpt-6-astra', { reasoning_effort: 'none' }, ['tools_refused tools']],
    ['gpt-4.1', {}, []],
  ])('Tools for %s on Chat with %j are %j.', (model, more, expected) => {
    expect(found({ model, tools: [chatTool], ...more }, 'chat')).toEqual(expected)
  })

  test.each(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1'])(
    'A choice that forces %s to call is refused, on its own wire and after a conversion.',
    model => {
      const forced = { model, tools: [messagesTool], tool_choice: { type: 'any' } }
      expect(found(forced, 'messages')).toEqual(['tool_choice_refused tool_choice'])
      const chat = { model, tools: [chatTool], tool_choice: 'required' }
      expect(found(chat, 'chat', 'messages')).toEqual(['tool_choice_refused tool_choice'])
      expect(found({ ...forced, tool_choice: { type: 'auto' } }, 'messages')).toEqual([])
    },
  )
})

test('A tool that waits for a search is an error without one, and the fix shows it.', () => {
  const tools = [{ type: 'function', name: 'look', parameters: null, strict: false, defer_loading: true }]
  const { findings } = lintToolParams({ tools }, { wire: 'responses' })
  const finding = findings.find(({ code }) => code === 'deferred_without_search')
  expect(finding?.fix?.edits).toEqual([{ path: ['tools', 0, 'defer_loading'] }])
  expect(found({ tools: [...tools, { type: 'tool_search' }] }, 'responses')).not.toContain(
    'deferred_without_search tools.0.defer_loading',
  )
})
