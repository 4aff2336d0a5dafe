/** What other bridges got wrong with histories; each test names the failure it repeats. */
import type { ExchangeOptions } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'

type Item = Record<string, unknown>

const user = { role: 'user', content: 'hi' }
const fc = (id: string, args = '{}'): Item => ({
  type: 'function_call',
  call_id: id,
  name: 'w',
  arguments: args,
})
const fo = (id: string, output: unknown): Item => ({ type: 'function_call_output', call_id: id, output })

function toChat(
  input: readonly Item[],
  options: Partial<ExchangeOptions> = {},
): { messages: Item[]; codes: string[] } {
  const { value, diagnostics } = createExchange({ from: 'responses', to: 'chat', ...options }).request({
    model: 'm',
    input,
  })
  return { messages: value.messages as Item[], codes: diagnostics.map(({ code }) => code) }
}

function toMessages(
  input: readonly Item[],
  options: Partial<ExchangeOptions> = {},
): { messages: Item[]; codes: string[] } {
  const { value, diagnostics } = createExchange({ from: 'responses', to: 'messages', ...options }).request({
    model: 'm',
    input,
  })
  return { messages: value.messages as Item[], codes: diagnostics.map(({ code }) => code) }
}

function chatToResponses(
  messages: readonly Item[],
  options: Partial<ExchangeOptions> = {},
): { input: Item[]; codes: string[] } {
  const { value, diagnostics } = createExchange({ from: 'chat', to: 'responses', ...options }).request({
    model: 'm',
    messages,
  })
  return { input: value.input as Item[], codes: diagnostics.map(({ code }) => code) }
}

const callsOf = (message: Item | undefined): { id: string; function: object }[] =>
  (message?.tool_calls ?? []) as { id: string; function: object }[]

const roles = (messages: readonly Item[]): unknown[] => messages.map(({ role }) => role)

describe('from Responses', () => {
  test('Parallel calls are one assistant message, followed by their results. [field A01] [S002.1] [S002.4]', () => {
    for (const order of [
      [fo('a', '1'), fo('b', '2')],
      [fo('b', '2'), fo('a', '1')],
    ]) {
      const { messages } = toChat([user, fc('a'), fc('b'), ...order])
      expect(roles(messages)).toEqual(['user', 'assistant', 'tool', 'tool'])
      expect(messages[1]?.tool_calls).toHaveLength(2)
      expect(messages.slice(2).map(({ tool_call_id }) => tool_call_id)).toEqual(['a', 'b'])
    }
  })

  test('A user message between call and result does not split them. [field A01]', () => {
    expect(roles(toChat([user, fc('a'), user, fo('a', '1')]).messages)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ])
  })

  test('Reasoning as text stays with its calls; sealed reasoning is never leaked as text. [field A03]', () => {
    const reasoning = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'because' }],
      encrypted_content: 'SECRET',
    }
    const { messages } = toChat([user, reasoning, fc('a'), fo('a', '1')])
    expect(messages[1]).toMatchObject({
      role: 'assistant',
      reasoning_content: 'because',
      tool_calls: [{ id: 'a' }],
    })
    expect(JSON.stringify(messages)).not.toContain('SECRET')
  })

  test('A result without a call is reported as an error, or gets a call. [field A05]', () => {
    const { diagnostics } = createExchange({ from: 'responses', to: 'chat' }).request({
      model: 'm',
      input: [user, fo('z', '1')],
    })
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'orphan_result',
        severity: 'error',
        message: expect.stringContaining('"z"'),
      }),
    )
    const repaired = toChat([user, fo('z', '1')], { pairing: 'repair' })
    expect(roles(repaired.messages)).toEqual(['user', 'assistant', 'tool'])
    expect(repaired.codes).toContain('result_repaired')
  })

  test('An unanswered call gets a placeholder result. [field A07]', () => {
    expect(toChat([user, fc('c'), user]).codes).toContain('missing_result')
    const { messages, codes } = toChat([user, fc('c'), user], { pairing: 'repair' })
    expect(roles(messages)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(messages[2]?.content).toMatch(/unavailable/)
    expect(codes).toContain('result_repaired')
  })

  test('Of two results for one call the last is used, at the position of the first. [field A09]', () => {
    const { messages, codes } = toChat([user, fc('c'), fo('c', 'a'), user, fo('c', 'b')])
    expect(messages.filter(({ role }) => role === 'tool')).toEqual([
      { role: 'tool', tool_call_id: 'c', content: 'b' },
    ])
    expect(codes).toContain('duplicate_result')
  })

  test('Calls that use one id after the other are told apart, each with its own result.', () => {
    const { messages, codes } = toChat([
      user,
      fc('c', '{"n":1}'),
      fo('c', 'a'),
      fc('c', '{"n":2}'),
      fo('c', 'b'),
    ])
    const calls = messages.flatMap(callsOf)
    const results = messages.filter(({ role }) => role === 'tool')
    expect(results.map(({ content }) => content)).toEqual(['a', 'b'])
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(calls.map(({ id }) => id))
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    expect(codes).toEqual(['call_id_rewritten'])
  })

  test('Calls that use one id at the same time are an error, which has its place.', () => {
    const input = [user, fc('c', '{"n":1}'), fc('c', '{"n":2}'), fo('c', 'a'), fo('c', 'b')]
    const { diagnostics } = createExchange({ from: 'responses', to: 'chat' }).request({ model: 'm', input })
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'duplicate_call_id', severity: 'error', path: ['input', 2] }),
    )
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'duplicate_result', path: ['input', 3] }),
    )
  })

  test('An illegal id is rewritten to the same id on call and result, and only once. [field A11]', () => {
    const long = `call_${'x'.repeat(80)}`
    const { messages } = toChat([user, fc(long), fo(long, '1')])
    const [call] = callsOf(messages[1])
    expect(call?.id.length).toBeLessThanOrEqual(40)
    expect(messages[2]?.tool_call_id).toBe(call?.id)
    const again = createExchange({ from: 'chat', to: 'responses' }).request({ model: 'm', messages })
    expect((again.value.input as Item[]).map(({ call_id }) => call_id).filter(Boolean)).toEqual([
      call?.id,
      call?.id,
    ])
  })

  test('An image in a result follows all results in a user message. [field A13]', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,QUJD', detail: 'auto' }
    const { messages } = toChat([
      user,
      fc('a'),
      fc('b'),
      fo('a', [{ type: 'input_text', text: 'see' }, image]),
      fo('b', '2'),
    ])
    expect(roles(messages)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
    expect(messages[2]?.content).toBe('see')
    expect(JSON.stringify(messages[4])).toContain('data:image/png;base64,QUJD')
    const anthropic = toMessages([user, fc('a'), fo('a', [image])])
    expect(JSON.stringify(anthropic.messages.at(-1))).toContain('"type":"image"')
  })

  test('The output of a custom tool may be a list. [field A17]', () => {
    const call = { type: 'custom_tool_call', call_id: 'c', name: 'p', input: 'x' }
    const output = {
      type: 'custom_tool_call_output',
      call_id: 'c',
      output: [{ type: 'input_text', text: 'done' }],
    }
    expect(toChat([user, call, output]).messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'c',
      content: 'done',
    })
  })

  test('Outputs that are objects, numbers or lists of texts arrive as text. [field A19] [S002.5]', () => {
    const content = (output: unknown): unknown =>
      toChat([user, fc('a'), fo('a', output)]).messages.at(-1)?.content
    expect(content({ ok: true })).toBe('{"ok":true}')
    expect(content(42)).toBe('42')
    expect(JSON.stringify(content(['a', 'b']))).toMatch(/a.*b/)
  })

  test('The developer role becomes system if the target has no developer role. [field A21]', () => {
    expect(toChat([{ role: 'developer', content: 'Rules' }, user]).messages[0]).toEqual({
      role: 'system',
      content: 'Rules',
    })
    const { value } = createExchange({ from: 'responses', to: 'messages' }).request({
      model: 'm',
      input: [{ role: 'developer', content: 'Rules' }, user],
    })
    expect(JSON.stringify(value.system)).toContain('Rules')
    expect(
      toChat([{ role: 'developer', content: 'Rules' }, user], { profile: { developerRole: true } })
        .messages[0],
    ).toMatchObject({ role: 'developer' })
  })

  test('Empty arguments are an empty object on Messages, and the call is kept. [field A35]', () => {
    const { messages } = toMessages([user, fc('a', ''), fo('a', '1')])
    expect(messages[1]?.content).toMatchObject([{ type: 'tool_use', id: 'a', input: {} }])
  })

  test('Malformed arguments keep the pair and are reported. [field A37]', () => {
    const { messages, codes } = toMessages([user, fc('a', '{"x": tru'), fo('a', '1')])
    expect(JSON.stringify(messages[1])).toContain('tru')
    expect(messages[2]?.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'a' }])
    expect(codes).toContain('arguments_not_object')
    const chat = toChat([user, fc('a', '{"x": tru'), fo('a', '1')]).messages
    expect(callsOf(chat[1])[0]?.function).toMatchObject({ arguments: '{"x": tru' })
  })

  test('A shell call is converted together with its output. [field A41] [C25]', () => {
    const call = { type: 'shell_call', call_id: 's', action: { commands: ['ls'] }, status: 'completed' }
    const output = {
      type: 'shell_call_output',
      call_id: 's',
      output: [{ stdout: 'file', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    }
    const { messages } = toChat([user, call, output, user])
    expect(roles(messages)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(callsOf(messages[1])[0]).toMatchObject({
      id: 's',
      function: { name: 'shell', arguments: '{"commands":["ls"]}' },
    })
    expect(messages[2]?.content).toContain('file')
  })

  test('A tool search becomes a call and a result, and the tools that it found can be called. [field A39] [D3]', () => {
    const found = {
      type: 'function',
      name: 'found',
      description: 'late',
      parameters: { type: 'object', properties: {} },
      strict: false,
    }
    const call = {
      type: 'tool_search_call',
      call_id: 't',
      execution: 'client',
      arguments: { query: 'q' },
      status: 'completed',
    }
    const output = {
      type: 'tool_search_output',
      call_id: 't',
      execution: 'client',
      tools: [found],
      status: 'completed',
    }
    const search = {
      type: 'tool_search',
      execution: 'client',
      description: 'Finds',
      parameters: { type: 'object', properties: {} },
    }
    const exchange = createExchange({ from: 'responses', to: 'chat' })
    const { value } = exchange.request({ model: 'm', tools: [search], input: [user, call, output] })
    expect(roles(value.messages as Item[])).toEqual(['user', 'assistant', 'tool'])
    expect((value.tools as { function: { name: string } }[]).map(tool => tool.function.name)).toEqual([
      'tool_search',
      'found',
    ])
  })
})

describe('from Chat', () => {
  const call = (id: string): Item => ({ id, type: 'function', function: { name: 'w', arguments: '{}' } })

  test('A turn that consists of calls makes no empty message. [field A27] [C11] [C12]', () => {
    const { input } = chatToResponses([
      user,
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ])
    expect(input.map(({ type, role }) => type ?? role)).toEqual([
      expect.stringMatching(/message|user/),
      'function_call',
      'function_call_output',
    ])
  })

  test('A call item has its call_id, no role, and no invented id. [field A29] [field A33] [C24]', () => {
    const { input } = chatToResponses([
      user,
      { role: 'assistant', content: null, tool_calls: [call('call_9')] },
      { role: 'tool', tool_call_id: 'call_9', content: '1' },
    ])
    const item = input.find(({ type }) => type === 'function_call')
    expect(item).not.toHaveProperty('role')
    expect(item?.call_id).toBe('call_9')
    // Only a server that keeps items can give them ids.
    expect(item).not.toHaveProperty('id')
    expect(input.at(-1)).toMatchObject({ type: 'function_call_output', call_id: 'call_9' })
  })

  test('A result without an id is paired with the only open call. [field A31]', () => {
    const { input, codes } = chatToResponses([
      user,
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'tool', content: '1' },
    ])
    expect(input.at(-1)).toMatchObject({ type: 'function_call_output', call_id: 'a' })
    expect(codes).toContain('call_id_inferred')
    const unclear = chatToResponses([
      user,
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      { role: 'tool', content: '1' },
    ])
    expect(unclear.codes).toContain('call_id_missing')
  })

  test('Several results are blocks of one user message on Messages. [field F03]', () => {
    const { value } = createExchange({ from: 'chat', to: 'messages' }).request({
      model: 'm',
      messages: [
        user,
        { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
        { role: 'tool', tool_call_id: 'b', content: '2' },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        user,
      ],
    })
    const messages = value.messages as { role: string; content: Item[] }[]
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[2]?.content.map(({ type, tool_use_id }) => tool_use_id ?? type)).toEqual([
      'a',
      'b',
      'text',
    ])
  })

  test('Ids with other characters are rewritten for Messages, the same on call and result, and stay distinct. [field F05]', () => {
    const { value } = createExchange({ from: 'chat', to: 'messages' }).request({
      model: 'm',
      messages: [
        user,
        { role: 'assistant', content: null, tool_calls: [call('a.b'), call('a:b')] },
        { role: 'tool', tool_call_id: 'a.b', content: '1' },
        { role: 'tool', tool_call_id: 'a:b', content: '2' },
      ],
    })
    const [, assistant, results] = value.messages as { content: { id?: string; tool_use_id?: string }[] }[]
    const ids = assistant?.content.map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids ?? []) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(ids)
  })

  test('Messages blocks inside Chat messages are decoded. [field F07]', () => {
    const { input } = chatToResponses([
      user,
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'w', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
    ])
    expect(input).toContainEqual(
      expect.objectContaining({ type: 'function_call', call_id: 't1', arguments: '{"a":1}' }),
    )
    expect(input).toContainEqual(expect.objectContaining({ type: 'function_call_output', call_id: 't1' }))
  })
})
