import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../model/diagnostic.ts'
import { createTestHost } from '../testing/test-host.ts'
import type { ResultForm, ToolManagerOptions } from './index.ts'
import { ToolManager } from './index.ts'

function create<Form extends ResultForm = 'function_call_output'>(options: ToolManagerOptions<Form> = {}) {
  const said: string[] = []
  const onDiagnostic = ({ code, path }: Diagnostic) => void said.push([code, path.join('.')].join(' '))
  const manager = new ToolManager<Form>({ host: createTestHost(), now: () => 42, onDiagnostic, ...options })
  return { manager, said }
}

const call = (call_id: string, name = 'look') => ({ type: 'function_call', call_id, name, arguments: '{}' })
const result = (tool_call_id: string, content: unknown = `of ${tool_call_id}`) => ({
  role: 'tool',
  tool_call_id,
  content,
})

describe('transformToolResults', () => {
  test('transformToolResults returns one item for each result, in the order of the messages. [S002.9] [C11]', () => {
    const { manager, said } = create()
    manager.processFunctionCalls([call('1'), call('2')])
    const messages = [{ role: 'user', content: 'x' }, result('2'), { role: 'assistant' }, result('1')]
    expect(manager.transformToolResults(messages)).toEqual([
      { type: 'function_call_output', call_id: '2', output: 'of 2' },
      { type: 'function_call_output', call_id: '1', output: 'of 1' },
    ])
    expect(said).toEqual([])
    expect([...manager.toolCallMap.values()].every(({ answered }) => answered)).toBe(true)
  })

  test('transformToolResults groups all results in one user message on request. [S002.9]', () => {
    const { manager } = create({ results: 'tool_result' })
    manager.processFunctionCalls([call('1'), call('2')])
    expect(manager.transformToolResults([result('1'), result('2')])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: '1', content: 'of 1' },
          { type: 'tool_result', tool_use_id: '2', content: 'of 2' },
        ],
      },
    ])
  })

  test.each(['function_call_output', 'tool_result'] as const)(
    'Without results there is no %s. [S002.9]',
    results => {
      const { manager, said } = create<ResultForm>({ results })
      expect(manager.transformToolResults([])).toEqual([])
      expect(manager.transformToolResults([{ role: 'user', content: 'x' }])).toEqual([])
      expect(manager.transformToolResults(undefined)).toEqual([])
      expect(said).toEqual([])
    },
  )

  test('Images in results are encoded for the wire.', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const { manager } = create()
    manager.processFunctionCalls([call('1')])
    expect(manager.transformToolResults([result('1', [{ type: 'text', text: 'a' }, image])])).toEqual([
      {
        type: 'function_call_output',
        call_id: '1',
        output: [
          { type: 'input_text', text: 'a' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
    ])
  })

  test('The result of a custom call has the custom form.', async () => {
    const { manager, said } = create()
    await manager.process({
      output: [{ type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'x' }],
    })
    expect(manager.transformToolResults([result('c')])).toEqual([
      { type: 'custom_tool_call_output', call_id: 'c', output: 'of c' },
    ])
    expect(said).toEqual([])
  })

  test('A result without a call is sent and reported. [S002.19]', () => {
    const { manager, said } = create()
    manager.processFunctionCalls([call('1')])
    expect(manager.transformToolResults([result('1'), result('nobody')])).toMatchObject([
      { call_id: '1' },
      { call_id: 'nobody', output: 'of nobody' },
    ])
    expect(said).toEqual(['orphan_result 1'])
  })

  test('Of two results for one call the last is sent, and the first is reported. [S002.19]', () => {
    const { manager, said } = create()
    manager.processFunctionCalls([call('1'), call('2')])
    const messages = [result('1', 'first'), result('2'), result('1', 'last')]
    expect(manager.transformToolResults(messages)).toMatchObject([
      { call_id: '1', output: 'last' },
      { call_id: '2' },
    ])
    expect(said).toEqual(['duplicate_result 0'])
  })

  test('A repeated result is accepted as history; a different one is reported. [S002.19]', () => {
    const { manager, said } = create()
    manager.processFunctionCalls([call('1')])
    manager.transformToolResults([result('1')])
    expect(manager.transformToolResults([result('1')])).toHaveLength(1)
    expect(said).toEqual([])
    expect(manager.transformToolResults([result('1', 'changed')])).toMatchObject([{ output: 'changed' }])
    expect(said).toEqual(['duplicate_result 0'])
  })

  test('A result without a call id answers the only open call.', () => {
    const { manager, said } = create()
    manager.processFunctionCalls([call('1'), call('2')])
    const nameless = { role: 'tool', content: 'x' }
    expect(manager.transformToolResults([nameless])).toEqual([{ type: 'function_call_output', output: 'x' }])
    manager.transformToolResults([result('1')])
    expect(manager.transformToolResults([nameless])).toMatchObject([{ call_id: '2' }])
    expect(said).toEqual(['call_id_missing 0', 'call_id_inferred 0'])
  })

  test('Values that are not messages are reported, and a string in place of the list throws.', () => {
    const { manager, said } = create()
    expect(manager.transformToolResults([null, 5])).toEqual([])
    expect(said).toEqual(['unknown_type 0', 'unknown_type 1'])
    expect(() => manager.transformToolResults(result('1'))).toThrow(
      'transformToolResults needs a list of messages; got an object.',
    )
  })

  test('Every id and every text is preserved. [S002.17]', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })
    const pairs = fc.uniqueArray(fc.tuple(text, text), { selector: ([id]) => id, maxLength: 8 })
    fc.assert(
      fc.property(
        pairs,
        fc.constantFrom<ResultForm>('function_call_output', 'tool_result'),
        (all, results) => {
          const { manager, said } = create<ResultForm>({ results })
          const calls = manager.processFunctionCalls(all.map(([id]) => call(id)))
          const items = manager.transformToolResults(calls.map(({ id }, i) => result(id, `:${all[i]?.[1]}`)))
          const sent = items.flatMap(item =>
            'content' in item
              ? item.content.map(block => [block.tool_use_id, block.content])
              : [[item.call_id, item.output]],
          )
          expect(sent).toEqual(all.map(([id, content]) => [id, `:${content}`]))
          expect(said).toEqual([])
        },
      ),
    )
  })
})

describe('handleFailedToolCall', () => {
  test('handleFailedToolCall sends the message and the code, and never the stack. [S002.15]', () => {
    const { manager, said } = create()
    manager.processFunctionCalls([call('1')])
    const error = Object.assign(new Error('Broken'), { tool_call_id: '1' })
    expect(manager.handleFailedToolCall(error).output).toBe('{"error":true,"message":"Broken"}')
    expect(manager.toolCallMap.get('1')?.answered).toBe(true)
    expect(said).toEqual([])
  })

  test.each([undefined, 'Broken', {}, { tool_call_id: 5 }])(
    'handleFailedToolCall throws for %j, which has no id.',
    error => {
      expect(() => create().manager.handleFailedToolCall(error as never)).toThrow(
        /needs the id .* "tool_call_id"/,
      )
    },
  )
})
