import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../model/diagnostic.ts'
import { ToolRegistry } from '../runtime/tools/registry.ts'
import { createTestHost } from '../testing/test-host.ts'
import type { ToolManagerOptions } from './index.ts'
import { ToolManager } from './index.ts'

/** A manager of a few tools that keeps count of what they were given. */
function create(options: ToolManagerOptions<'function_call_output'> = {}) {
  const host = createTestHost()
  const said: string[] = []
  const ran: unknown[] = []
  const tools = new ToolRegistry()
  const parameters = { type: 'object', properties: { city: { type: 'string' } } } as const
  const note = <T>(args: unknown, result: T): T => {
    ran.push(args)
    return result
  }
  tools.register({ name: 'look', parameters, handler: args => note(args, { sky: 'blue', of: args.city }) })
  tools.register({
    name: 'fail',
    handler: args => {
      throw Object.assign(new Error('No such city'), note(args, { code: 'NOT_FOUND' }))
    },
  })
  tools.register({ name: 'hang', timeoutMs: 1000, handler: args => new Promise(() => void note(args, 0)) })
  tools.register({ name: 'patch', handler: args => note(args, 'patched') })
  tools.register({
    name: 'draw',
    handler: () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
  })
  tools.register({
    name: 'refuse',
    handler: () => ({ content: [{ type: 'text', text: 'Not today' }], isError: true }),
  })
  const onDiagnostic = ({ code, path }: Diagnostic) => void said.push([code, path.join('.')].join(' '))
  const manager = new ToolManager({ host, now: () => 42, tools, onDiagnostic, ...options })
  return { manager, host, said, ran }
}

const item = (call_id: string, name: string, args = '{}') => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name,
  arguments: args,
})

describe('handleParallelTools', () => {
  test("handleParallelTools returns each tool's result under its call_id, in the order of the calls. [S002.10] [C24]", async () => {
    const { manager, said } = create()
    const results = await manager.handleParallelTools([
      item('1', 'look', '{"city":"NYC"}'),
      item('2', 'look', '{"city":"SF"}'),
    ])
    expect(results).toMatchObject([
      { id: '1', result: { sky: 'blue', of: 'NYC' }, outcome: { status: 'ok' } },
      { id: '2', result: { sky: 'blue', of: 'SF' }, outcome: { status: 'ok' } },
    ])
    expect(results[0]?.message).toEqual({
      role: 'tool',
      tool_call_id: '1',
      content: '{"sky":"blue","of":"NYC"}',
    })
    expect(results[0]).not.toHaveProperty('error')
    expect(said).toEqual([])
  })

  test('The manager starts every call before any has ended, and keeps the order of the calls. [S002.10] [S002.13]', async () => {
    const { manager, host } = create()
    const started: unknown[] = []
    const ends = new Map<string, () => void>()
    manager.tools.register({
      name: 'wait',
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      handler: ({ id }) => {
        started.push(id)
        return new Promise(resolve => void ends.set(id, () => resolve(`of ${id}`)))
      },
    })
    const ids = ['1', '2', '3', '4', '5', '6', '7', '8']
    const running = manager.handleParallelTools(ids.map(id => item(id, 'wait', JSON.stringify({ id }))))
    await host.settle()
    expect(started).toEqual(ids)
    for (const id of ids.toReversed()) {
      ends.get(id)?.()
      await host.settle()
    }
    expect((await running).map(({ id, result }) => [id, result])).toEqual(ids.map(id => [id, `of ${id}`]))
    expect(host.timers).toBe(0)
  })

  test('handleParallelTools takes items of Responses, calls of Chat and bare calls, with arguments in any form. [S002.10]', async () => {
    const { manager, ran } = create()
    const results = await manager.handleParallelTools([
      item('1', 'look', '{"city":"a"}'),
      { id: '2', type: 'function', function: { name: 'look', arguments: '{"city":"b"}' } },
      { id: '3', name: 'look', arguments: '{"city":"c"}' },
      { id: '4', name: 'look', arguments: { city: 'd' } },
      { id: '5', name: 'look' },
    ])
    expect(results.map(({ id, error }) => [id, error])).toEqual([
      ['1', undefined],
      ['2', undefined],
      ['3', undefined],
      ['4', undefined],
      ['5', undefined],
    ])
    expect(ran).toEqual([{ city: 'a' }, { city: 'b' }, { city: 'c' }, { city: 'd' }, {}])
    expect([...manager.toolCallMap.keys()]).toEqual(['1', '2', '3', '4', '5'])
  })

  test('A failed call has its own result, and the other results are kept. [S002.10] [S002.19] [C24] [field G07]', async () => {
    const { manager } = create()
    const results = await manager.handleParallelTools([
      item('1', 'look'),
      item('2', 'fail'),
      item('3', 'look'),
    ])
    expect(results.map(({ id, error }) => ({ id, error }))).toEqual([
      { id: '1', error: undefined },
      { id: '2', error: 'No such city' },
      { id: '3', error: undefined },
    ])
    expect(results[1]).not.toHaveProperty('result')
    expect(results[1]?.message.content).toBe('{"error":true,"message":"No such city","code":"NOT_FOUND"}')
  })

  test('A tool that never ends times out, and the other calls do not wait for it. [S002.18] [S002.19]', async () => {
    const { manager, host } = create()
    const running = manager.handleParallelTools([item('1', 'hang'), item('2', 'look')])
    await host.advance(1000)
    const results = await running
    expect(results.map(({ outcome }) => outcome.status)).toEqual(['timed_out', 'ok'])
    expect(results[0]?.outcome.error?.code).toBe('timeout')
    expect(host.timers).toBe(0)
  })

  test('The options of one run override the manager’s, and calls that never began say so. [field G09]', async () => {
    const { manager, host } = create({ concurrency: 8 })
    const running = manager.handleParallelTools([item('1', 'hang'), item('2', 'look')], {
      concurrency: 1,
      batchTimeoutMs: 10,
    })
    await host.advance(10)
    expect((await running).map(({ outcome }) => outcome.status)).toEqual(['timed_out', 'not_started'])
  })

  test.each([
    ['{"city":', 'invalid_json'],
    ['[1]', 'invalid_arguments'],
    ['{"city":5}', 'invalid_arguments'],
  ])('No tool runs for the arguments %s, and the model is told why. [S002.19] [C28]', async (args, code) => {
    const { manager, ran } = create()
    const [result] = await manager.handleParallelTools([item('1', 'look', args)])
    expect(ran).toEqual([])
    expect(result?.outcome.error?.code).toBe(code)
    expect(JSON.parse(String(result?.message.content))).toEqual({ error: true, message: result?.error, code })
    expect(manager.toolCallMap.get('1')?.arguments).toBe(args)
  })

  test('Unregistered tools and values that are not calls get a result each. [S002.19]', async () => {
    const { manager } = create()
    const results = await manager.handleParallelTools([
      item('1', 'lok'),
      null,
      { id: '3' },
      'look',
      item('5', 'look'),
    ])
    expect(results.map(({ id, outcome }) => [id, outcome.error?.code])).toEqual([
      ['1', 'unknown_tool'],
      ['call_1', 'invalid_call'],
      ['call_2', 'invalid_call'],
      ['call_3', 'invalid_call'],
      ['5', undefined],
    ])
    expect(results[0]?.error).toContain('Did you mean "look"?')
    expect(results[1]?.error).toMatch(/^Call 1 is null\. A call is an item of type "function_call"/)
    expect(results[2]?.error).toMatch(/^Call 2 does not name a tool\./)
  })

  test('A truncated call is never run, in whatever form it comes back. [field G11]', async () => {
    const { manager, ran } = create()
    const cut = { ...item('1', 'look', '{"city":"Ro"}'), status: 'incomplete' }
    const { tool_calls } = await manager.process({ status: 'incomplete', output: [cut] })
    const results = [
      ...(await manager.handleParallelTools([cut])),
      ...(await manager.handleParallelTools(tool_calls)),
    ]
    expect(results.map(({ outcome }) => outcome.error?.code)).toEqual(['truncated_call', 'truncated_call'])
    expect(ran).toEqual([])
  })

  test('A call runs with the arguments that the program passes, also if it changed them.', async () => {
    const { manager, said, ran } = create()
    const [call] = manager.processFunctionCalls([{ ...item('1', 'look', '{"city":"a"}'), id: undefined }])
    await manager.handleParallelTools([{ ...call, function: { name: 'look', arguments: '{"city":"b"}' } }])
    expect(ran).toEqual([{ city: 'b' }])
    expect(manager.toolCallMap.get('1')?.arguments).toBe('{"city":"a"}')
    expect(said).toEqual([])
  })

  test('A custom call runs as the function that it becomes on other wires.', async () => {
    const { manager, ran } = create()
    const custom = { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'free "text"' }
    const results = await manager.handleParallelTools([custom])
    expect(ran).toEqual([{ input: 'free "text"' }])
    expect(manager.transformToolResults(results.map(({ message }) => message))).toEqual([
      { type: 'custom_tool_call_output', call_id: 'c', output: 'patched' },
    ])
  })

  test('Images and a tool’s own error texts reach the next request.', async () => {
    const { manager, said } = create()
    const results = await manager.handleParallelTools([item('1', 'draw'), item('2', 'refuse')])
    expect(results[1]?.error).toBe('Not today')
    expect(manager.transformToolResults(results.map(({ message }) => message))).toEqual([
      {
        type: 'function_call_output',
        call_id: '1',
        output: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }],
      },
      { type: 'function_call_output', call_id: '2', output: '[tool error] Not today' },
    ])
    expect(said).toEqual([])
  })

  test('Whatever is in the list, nothing throws and each call has one result. [S002.10]', async () => {
    const type = fc.constantFrom(
      'function_call',
      'custom_tool_call',
      'function',
      'message',
      'reasoning',
      'mcp_call',
    )
    const loose = fc.record(
      {
        type,
        role: fc.constantFrom('tool', 'function', 'assistant'),
        id: fc.jsonValue(),
        call_id: fc.jsonValue(),
        tool_call_id: fc.jsonValue(),
        name: fc.oneof(fc.constantFrom('look', 'fail', '__proto__'), fc.jsonValue()),
        arguments: fc.jsonValue(),
        function: fc.jsonValue(),
        content: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(loose, fc.jsonValue()), { maxLength: 6 }), async list => {
        const { manager } = create()
        const results = await manager.handleParallelTools(list)
        expect(results).toHaveLength(list.length)
        expect(results.every(({ id, message }) => id !== '' && message.tool_call_id === id)).toBe(true)
        for (const { id } of manager.processFunctionCalls(list)) expect(id).toMatch(/./s)
        expect((await manager.process({ output: list })).role).toBe('assistant')
        expect(Array.isArray(manager.transformToolResults(list))).toBe(true)
      }),
    )
  })

  test('An empty list has no results, and a value that is not a list rejects.', async () => {
    const { manager } = create()
    expect(await manager.handleParallelTools([])).toEqual([])
    expect(await manager.handleParallelTools(undefined)).toEqual([])
    await expect(manager.handleParallelTools({ id: '1' })).rejects.toThrow(
      'handleParallelTools needs a list of calls; got an object.',
    )
  })
})

describe('a whole conversation', () => {
  test('In a conversation with sequential calls, each result is sent before the next call. [S002.12]', async () => {
    const { manager, said } = create()
    const sent: unknown[] = []
    for (const [id, city] of [
      ['1', 'NYC'],
      ['2', 'SF'],
    ] as const) {
      const output = [{ ...item(id, 'look', JSON.stringify({ city })), id: undefined }]
      const { tool_calls } = await manager.process({ output })
      const results = await manager.handleParallelTools(tool_calls)
      sent.push(...manager.transformToolResults(results.map(({ message }) => message)))
    }
    expect(sent).toEqual([
      { type: 'function_call_output', call_id: '1', output: '{"sky":"blue","of":"NYC"}' },
      { type: 'function_call_output', call_id: '2', output: '{"sky":"blue","of":"SF"}' },
    ])
    expect(said).toEqual([])
    const content = [{ type: 'output_text', text: 'Blue in both.' }]
    const last = await manager.process({ output: [{ type: 'message', role: 'assistant', content }] })
    expect(last).toEqual({ role: 'assistant', content: 'Blue in both.' })
  })

  test('In a conversation with parallel calls, each call has one result, in their order. [S002.13] [S002.17]', async () => {
    const { manager, said } = create()
    const output = ['1', '2', '3'].map(id => ({ ...item(id, 'look', `{"city":"${id}"}`), id: undefined }))
    const { tool_calls } = await manager.process({ output })
    const results = await manager.handleParallelTools(tool_calls)
    const items = manager.transformToolResults(results.map(({ message }) => message))
    expect(items).toEqual(
      ['1', '2', '3'].map(id => ({
        type: 'function_call_output',
        call_id: id,
        output: `{"sky":"blue","of":"${id}"}`,
      })),
    )
    expect(said).toEqual([])
  })
})
