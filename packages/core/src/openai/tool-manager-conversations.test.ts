import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../model/diagnostic.ts'
import { ToolRegistry } from '../runtime/tools/registry.ts'
import { createTestHost } from '../testing/test-host.ts'
import type { ToolManagerOptions } from './index.ts'
import { ToolManager } from './index.ts'

function create(options: ToolManagerOptions<'function_call_output'> = {}) {
  const told: Diagnostic[] = []
  const onDiagnostic = (diagnostic: Diagnostic) => void told.push(diagnostic)
  const manager = new ToolManager({ host: createTestHost(), now: () => 42, onDiagnostic, ...options })
  return { manager, told, said: () => told.map(({ code }) => code) }
}

const call = (call_id: string, name = 'look') => ({ type: 'function_call', call_id, name, arguments: '{}' })
const result = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'x' })

describe('conversations', () => {
  test('Conversations never share a call, even under one id. [field G05]', () => {
    const { manager, said } = create()
    const [a, b] = [manager.conversation('a'), manager.conversation('b')]
    a.processFunctionCalls([call('1', 'of a')])
    b.processFunctionCalls([call('1', 'of b')])
    manager.processFunctionCalls([call('1', 'of nobody')])
    expect([a, b, manager].map(each => each.toolCallMap.get('1')?.name)).toEqual([
      'of a',
      'of b',
      'of nobody',
    ])
    expect(said()).toEqual([])
    a.transformToolResults([result('1')])
    expect(b.toolCallMap.get('1')).not.toHaveProperty('answered')
    manager.conversation('c').transformToolResults([result('1')])
    expect(said()).toEqual(['orphan_result'])
  })

  test('Two managers share no calls. [field G05]', () => {
    const [one, other] = [create().manager, create().manager]
    one.processFunctionCalls([call('1')])
    one.conversation('a').processFunctionCalls([call('1')])
    expect(other.toolCallMap.size + other.conversation('a').toolCallMap.size).toBe(0)
  })

  test('A conversation stays the same for its id, and its map of calls is a copy.', () => {
    const { manager } = create()
    manager.conversation('a').processFunctionCalls([call('1')])
    const seen = manager.conversation('a').toolCallMap as Map<string, unknown>
    expect(seen.size).toBe(1)
    seen.clear()
    expect(manager.conversation('a').toolCallMap.size).toBe(1)
    expect(manager.forget('a')).toBe(true)
    expect(manager.forget('a')).toBe(false)
    expect(manager.conversation('a').toolCallMap.size).toBe(0)
  })

  test('A conversation evicts its least recently used call, and reports it if it has no result. [field G05]', () => {
    const { manager, told } = create({ maxTracked: 2 })
    manager.processFunctionCalls([call('1'), call('2')])
    manager.transformToolResults([result('1')])
    manager.processFunctionCalls([call('3')])
    expect([...manager.toolCallMap.keys()]).toEqual(['1', '3'])
    expect(told).toMatchObject([{ code: 'missing_result', path: [0] }])
    expect(told[0]?.message).toMatch(/"2" was forgotten before its result came.*"maxTracked"/)
    manager.processFunctionCalls([call('4')])
    expect([...manager.toolCallMap.keys()]).toEqual(['3', '4'])
    expect(told).toHaveLength(1)
    manager.transformToolResults([result('2')])
    expect(told.at(-1)?.code).toBe('orphan_result')
  })

  test('The manager evicts the least recently used conversation and reports its open calls. [field G05]', () => {
    const { manager, told } = create({ maxConversations: 2 })
    const [a, b, c] = ['a', 'b', 'c'].map(id => manager.conversation(id))
    a?.processFunctionCalls([call('1')])
    b?.processFunctionCalls(['1', '2', '3', '4', '5'].map(id => call(id)))
    a?.transformToolResults([result('1')])
    c?.processFunctionCalls([call('1')])
    expect(told.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'missing_result: The conversation "b" was forgotten before results came for "1", "2", "3" and 2 more: 2 are remembered, and another one began. Raise "maxConversations".',
    ])
    expect(a?.toolCallMap.size).toBe(1)
  })

  test('A conversation tracks exactly its most recently used calls, up to the limit. [field G05]', () => {
    const uses = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 9 })), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(uses, fc.integer({ min: 1, max: 5 }), (all, maxTracked) => {
        const { manager } = create({ maxTracked })
        for (const [id, n] of all) manager.conversation(id).processFunctionCalls([call(`${id}${n}`)])
        for (const id of ['a', 'b', 'c']) {
          const latest = [
            ...new Set(
              all
                .filter(([to]) => to === id)
                .map(([, n]) => `${id}${n}`)
                .reverse(),
            ),
          ]
          expect([...manager.conversation(id).toolCallMap.keys()]).toEqual(
            latest.slice(0, maxTracked).reverse(),
          )
        }
      }),
    )
  })

  test.each([undefined, '', 5, null])('A conversation cannot have the id %j.', id => {
    expect(() => create().manager.conversation(id as never)).toThrow(/must be a string that is not empty/)
    expect(() => create().manager.forget(id as never)).toThrow(/must be a string that is not empty/)
  })
})

describe('the options', () => {
  test.each<[object | null, RegExp]>([
    [null, /an object of options; got null/],
    [{ tools: 5 }, /"tools" must be a ToolRegistry or a list of tools; got 5/],
    [{ tools: 'look' }, /"tools" must be a ToolRegistry or a list of tools; got "look"/],
    [{ tools: [{ name: 5 }] }, /name/],
    [{ results: 'tool' }, /"results" must be one of function_call_output, tool_result; got "tool"/],
    [{ strict: 'yes' }, /"strict" must be one of preserve, omit, strictify; got "yes"/],
    [{ misplacedStrict: 'x' }, /"misplacedStrict" must be one of/],
    [{ onDiagnostic: 5 }, /"onDiagnostic" must be a function; got 5/],
    [{ maxTracked: 0 }, /"maxTracked" must be a whole number of at least 1; got 0/],
    [{ maxConversations: 1.5 }, /"maxConversations" must be a whole number/],
    [{ concurrency: 0 }, /"concurrency" must be a whole number/],
    [{ timeoutMs: -1 }, /"timeoutMs" must be a number of milliseconds/],
  ])('The options %j throw when the manager is created.', (options, words) => {
    expect(() => new ToolManager(options as never)).toThrow(words)
  })

  test('A registry is used directly, so that tools can be registered later.', () => {
    const registry = new ToolRegistry()
    const { manager } = create({ tools: registry })
    expect(manager.tools).toBe(registry)
    expect(manager.conversation('a').tools).toBe(registry)
  })

  test('Without options a manager has ids, a clock and no tools.', () => {
    const manager = new ToolManager()
    const [read] = manager.processFunctionCalls([{ type: 'function_call', name: 'look' }])
    expect(read?.id).toMatch(/^call_\w{24}$/)
    expect(manager.toolCallMap.get(read?.id ?? '')?.timestamp).toBeGreaterThan(1.6e12)
    expect(manager.tools.size).toBe(0)
  })
})
