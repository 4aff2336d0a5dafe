import { describe, expect, test } from 'vitest'
import { convertToolParams } from '../convert-tools.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const responsesTool = { type: 'function', name: 'f', strict: false, parameters }

describe('convertToolParams', () => {
  const tools = [responsesTool]

  test('The setting parallel_tool_calls is converted, inverted for Messages, and left out if absent. [C17]', () => {
    const to = (wire: Wire, parallel?: boolean): unknown =>
      convertToolParams(
        { tools, ...(parallel !== undefined && { parallel_tool_calls: parallel }) },
        { from: 'responses', to: wire },
      ).value
    expect(to('chat', false)).toMatchObject({ parallel_tool_calls: false })
    expect(to('chat')).not.toHaveProperty('parallel_tool_calls')
    expect(to('messages', false)).toMatchObject({
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    expect(to('messages')).not.toHaveProperty('tool_choice')
    const back = convertToolParams(
      {
        tools: [{ name: 'f', input_schema: parameters }],
        tool_choice: { type: 'any', disable_parallel_tool_use: true },
      },
      { from: 'messages', to: 'responses' },
    )
    expect(back.value).toMatchObject({ tool_choice: 'required', parallel_tool_calls: false })
  })

  test('A list that a choice of no known tool empties is left out, because servers refuse an empty one.', () => {
    const { value, diagnostics } = convertToolParams(
      {
        tools,
        parallel_tool_calls: false,
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'g' }] },
      },
      { from: 'responses', to: 'messages' },
    )
    expect(value).toEqual({})
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'tool_choice_undeclared',
      'allowed_tools_applied',
      'tool_not_allowed',
      'tool_choice_without_tools',
      'parallel_tool_calls_dropped',
    ])
  })

  test.each([
    ['auto', 'auto', { type: 'auto' }],
    ['none', 'none', { type: 'none' }],
    ['required', 'required', { type: 'any' }],
    [
      { type: 'function', name: 'f' },
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', name: 'f' },
    ],
  ])('The tool choice %j is converted to Chat and Messages.', (responses, chat, messages) => {
    const written = { responses, chat, messages }
    const list = {
      responses: tools,
      chat: [{ type: 'function', function: { name: 'f', parameters } }],
      messages: [{ name: 'f', input_schema: parameters }],
    }
    for (const from of ['responses', 'chat', 'messages'] as const) {
      for (const to of ['responses', 'chat', 'messages'] as const) {
        const { value } = convertToolParams({ tools: list[from], tool_choice: written[from] }, { from, to })
        expect(value.tool_choice).toEqual(written[to])
      }
    }
  })

  test('A choice without tools is left out and reported.', () => {
    const { value, diagnostics } = convertToolParams(
      { tool_choice: 'auto' },
      { from: 'responses', to: 'chat' },
    )
    expect(value).toEqual({})
    expect(diagnostics).toMatchObject([{ code: 'tool_choice_without_tools', severity: 'info' }])
  })

  test('A forced choice of a dropped tool is an error.', () => {
    const { value, diagnostics } = convertToolParams(
      {
        tools: [...tools, { type: 'file_search', vector_store_ids: [] }],
        tool_choice: { type: 'file_search' },
      },
      { from: 'responses', to: 'chat' },
    )
    expect(value).not.toHaveProperty('tool_choice')
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'tool_choice_impossible', severity: 'error', path: ['tool_choice'] }),
    )
  })

  test('If no allowed tool is left, no tool may be called.', () => {
    const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'image_generation' }] }
    const { value } = convertToolParams(
      { tools: [...tools, { type: 'image_generation' }], tool_choice: allowed },
      { from: 'responses', to: 'chat' },
    )
    expect(value.tool_choice).toBe('none')
  })

  test('Legacy functions become tools on other wires and stay unchanged on Chat.', () => {
    const body = { functions: [{ name: 'f', parameters }], function_call: { name: 'f' } }
    expect(convertToolParams(body, { from: 'chat', to: 'chat' }).value).toEqual(body)
    expect(convertToolParams(body, { from: 'chat', to: 'responses' }).value).toEqual({
      tools: [responsesTool],
      tool_choice: { type: 'function', name: 'f' },
    })
  })

  test('Tools of additional_tools are merged into the list of tools, and stay in the input on Responses. [D2]', () => {
    const body = { input: [{ type: 'additional_tools', role: 'developer', tools }] }
    expect(convertToolParams(body, { from: 'responses', to: 'chat' }).value).toMatchObject({
      tools: [{ function: { name: 'f' } }],
    })
    expect(convertToolParams(body, { from: 'responses', to: 'responses' }).value).toEqual({})
  })
})
