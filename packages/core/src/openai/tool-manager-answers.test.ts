import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../model/diagnostic.ts'
import { createTestHost } from '../testing/test-host.ts'
import type { ResultForm, ToolManagerOptions } from './index.ts'
import { FailedResponseError, ToolManager } from './index.ts'

/** A manager, and the codes of what it said, each with its path. */
function create<Form extends ResultForm = 'function_call_output'>(options: ToolManagerOptions<Form> = {}) {
  const said: string[] = []
  const onDiagnostic = ({ code, path }: Diagnostic) => void said.push([code, path.join('.')].join(' '))
  const manager = new ToolManager<Form>({ host: createTestHost(), now: () => 42, onDiagnostic, ...options })
  return { manager, said }
}

const call = (call_id: string, name = 'look', more: object = {}) => ({
  type: 'function_call',
  call_id,
  name,
  arguments: '{}',
  ...more,
})

describe('transformTools', () => {
  const named = (name: unknown, parameters: object = { type: 'object', properties: {} }) => ({
    type: 'function',
    function: { name, parameters },
  })

  test('transformTools keeps tools of other types unchanged, also unknown ones. [S002.7]', () => {
    const { manager, said } = create()
    const others = [
      { type: 'web_search', search_context_size: 'low' },
      { type: 'next_year', x: [1] },
    ]
    expect(manager.transformTools(others)).toEqual(others)
    expect(said).toEqual(['unknown_type 1.type'])
  })

  test('A tool without a name is dropped and reported, or thrown. [S002.19]', () => {
    const { manager, said } = create()
    const tools = [named('a'), named(''), named(undefined), { type: 'function' }, null]
    expect(manager.transformTools(tools).map(({ name }) => name)).toEqual(['a'])
    expect(said.filter(line => line.startsWith('missing_name')).length).toBeGreaterThanOrEqual(3)
    expect(said.filter(line => line.startsWith('tool_dropped'))).toEqual([
      'tool_dropped 1',
      'tool_dropped 2',
      'tool_dropped 3',
      'tool_dropped 4',
    ])
    const throwing = create({ onInvalid: 'throw' })
    expect(() => throwing.manager.transformTools(tools)).toThrow('Tool must have function.name (at index 1)')
    expect(throwing.said).not.toEqual([])
  })

  test('transformTools keeps a tool without a description unless one is required. [C4]', () => {
    expect(create().manager.transformTools([named('a')])).toHaveLength(1)
    expect(create({ requireDescription: true }).manager.transformTools([named('a')])).toEqual([])
  })

  test('transformTools takes registered tools, and returns an empty list for none.', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } } as const
    const { manager, said } = create()
    manager.tools.register({ name: 'look', description: 'Looks', parameters, strict: true })
    expect(manager.transformTools(manager.tools)).toEqual([
      { type: 'function', name: 'look', description: 'Looks', strict: false, parameters },
    ])
    expect(said.splice(0)).toEqual(['strict_dropped 0.strict'])
    expect(manager.transformTools(undefined)).toEqual([])
    expect(said).toEqual([])
    expect(manager.transformTools('tools')).toEqual([])
    expect(said).toEqual(['not_a_list '])
  })

  test('With strict, the nulls that the schema made the model write are removed from calls. [C3]', async () => {
    const properties = { city: { type: 'string' }, unit: { type: 'string' } }
    const { manager } = create({ strict: true })
    const [tool] = manager.transformTools([named('look', { type: 'object', properties, required: ['city'] })])
    expect(tool).toMatchObject({ strict: true, parameters: { required: ['city', 'unit'] } })
    const item = call('c1', 'look', { arguments: '{"city":"Rome","unit":null}' })
    const [read] = manager.processFunctionCalls([item])
    expect(read?.function.arguments).toBe('{"city":"Rome"}')
    const other = manager.conversation('b')
    expect((await other.process({ output: [item] })).tool_calls?.[0]?.function?.arguments).toBe(
      '{"city":"Rome"}',
    )
    other.transformTools([named('look', { type: 'object', properties, required: ['city', 'unit'] })])
    expect(other.processFunctionCalls([item])[0]?.function.arguments).toBe(item.arguments)
  })
})

describe('processFunctionCalls', () => {
  test('Calls are tracked by call_id, not by the id of the item. [S002.6] [C24]', () => {
    const { manager } = create()
    manager.processFunctionCalls([call('call_1', 'a', { id: 'fc_1', arguments: '{"x":1}' })])
    expect([...manager.toolCallMap]).toEqual([['call_1', { name: 'a', arguments: '{"x":1}', timestamp: 42 }]])
  })

  test('processFunctionCalls returns the function calls among the items, verbatim and in order. [S002.8]', () => {
    const { manager, said } = create()
    const odd = '{"n": 12345678901234567890, broken'
    const calls = manager.processFunctionCalls([
      { type: 'reasoning', summary: [] },
      call('1', 'a', { arguments: odd }),
      { type: 'message', role: 'assistant', content: [] },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      call('2'),
    ])
    expect(calls).toEqual([
      { id: '1', type: 'function', function: { name: 'a', arguments: odd } },
      { id: '2', type: 'function', function: { name: 'look', arguments: '{}' } },
    ])
    expect(said).toEqual([])
    expect([...manager.toolCallMap.keys()]).toEqual(['1', '2'])
  })

  test('A call without an id gets one, and this is reported.', () => {
    const { manager, said } = create()
    const bare = { type: 'function_call', name: 'look', arguments: '{}' }
    const empty = { ...bare, call_id: '' }
    const ids = manager.processFunctionCalls([bare, empty, empty]).map(({ id }) => id)
    expect(ids).toEqual(['call_1', 'call_2', 'call_3'])
    expect(said).toEqual(['call_id_inferred 0', 'call_id_inferred 1', 'call_id_inferred 2'])
  })

  test('Two calls of one answer never share an id.', () => {
    const { manager, said } = create()
    expect(manager.processFunctionCalls([call('x', 'a'), call('x', 'b')]).map(({ id }) => id)).toEqual([
      'x',
      'x_2',
    ])
    expect(said).toEqual(['call_id_rewritten 1'])
    manager.processFunctionCalls([call('x', 'c')])
    expect(said.at(-1)).toBe('duplicate_call_id 0')
  })

  test('A custom call is not a function call; it is tracked, and process returns it. [S003.2]', async () => {
    const { manager, said } = create()
    const custom = { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'free text' }
    expect(manager.processFunctionCalls([custom, call('1')]).map(({ id }) => id)).toEqual(['1'])
    expect(said).toEqual(['part_dropped 0'])
    expect(manager.toolCallMap.get('c')).toMatchObject({ name: 'patch', custom: true })
    const { tool_calls } = await manager.process({ output: [custom] })
    expect(tool_calls).toEqual([{ id: 'c', type: 'custom', custom: { name: 'patch', input: 'free text' } }])
  })

  test('A call that names no tool is dropped and reported. [S002.19]', () => {
    const { manager, said } = create()
    expect(manager.processFunctionCalls([{ type: 'function_call', call_id: 'a' }, null, 5])).toEqual([])
    expect(said).toEqual(['missing_name 0.name'])
  })

  test('Reading the same answer twice tracks its calls once.', async () => {
    const { manager, said } = create()
    const output = [call('1'), call('2')]
    manager.processFunctionCalls(output)
    await manager.process({ output })
    expect([...manager.toolCallMap.keys()]).toEqual(['1', '2'])
    expect(said).toEqual([])
  })

  test.each([{}, 'output', { output: [] }, 5])(
    'processFunctionCalls rejects %j, which is not a list, with a clear message.',
    outputs => {
      expect(() => create().manager.processFunctionCalls(outputs)).toThrow(
        /processFunctionCalls needs the "output" list of an answer; got/,
      )
    },
  )
})

describe('process', () => {
  test('process reports dropped reasoning.', async () => {
    const { manager, said } = create()
    const summary = [{ type: 'summary_text', text: 'Rome, then.' }]
    const message = await manager.process({
      output: [{ type: 'reasoning', summary, encrypted_content: 'sealed' }, call('1')],
    })
    expect(message.reasoning_content).toBe('Rome, then.')
    expect(said).toEqual(['reasoning_sealed output.0'])
  })

  test('process reports items that the provider ran, and that the answer was cut off.', async () => {
    const { manager, said } = create()
    const message = await manager.process({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        call('1', 'done', { status: 'completed' }),
        call('2', 'cut', { arguments: '{"path":"a"}' }),
      ],
    })
    expect(message.tool_calls?.map(({ id }) => id)).toEqual(['1', '2'])
    expect(said).toEqual(['part_dropped output.0', 'field_dropped status', 'field_dropped output.2.status'])
    expect(manager.toolCallMap.get('1')).not.toHaveProperty('truncated')
    expect(manager.toolCallMap.get('2')).toMatchObject({ truncated: true })
  })

  test('process returns a refusal, and an empty message for an answer without content.', async () => {
    const { manager } = create()
    const content = [{ type: 'refusal', refusal: 'No.' }]
    expect(await manager.process({ output: [{ type: 'message', role: 'assistant', content }] })).toEqual({
      role: 'assistant',
      content: null,
      refusal: 'No.',
    })
    expect(await manager.process({ output: [] })).toEqual({ role: 'assistant', content: null })
  })

  test('process rejects with the message of a failed answer and tracks none of its calls.', async () => {
    const { manager } = create()
    const error = { code: 'server_error', message: 'Out of order' }
    const failing = manager.process({ status: 'failed', error, output: [call('1')] })
    await expect(failing).rejects.toThrow(FailedResponseError)
    await expect(failing).rejects.toMatchObject({ message: 'Out of order', code: 'server_error' })
    await expect(manager.process({ status: 'failed', output: [] })).rejects.toThrow('did not say why')
    expect(manager.toolCallMap.size).toBe(0)
  })

  test.each([
    [undefined, 'got nothing'],
    [[call('1')], 'got a list'],
    [{}, 'its "output" is nothing'],
    [{ choices: [] }, 'an answer of Chat Completions'],
  ])('process rejects %j with a clear message.', async (response, words) => {
    await expect(create().manager.process(response)).rejects.toThrow(words)
  })
})
