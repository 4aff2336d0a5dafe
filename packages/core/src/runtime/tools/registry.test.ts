import { describe, expect, test } from 'vitest'
import { defineTool } from './define-tool.ts'
import { ToolRegistry } from './registry.ts'
import type { ToolSpec } from './tool-spec.ts'

const names = (tools: Iterable<ToolSpec>): string[] => Array.from(tools, tool => tool.name)

describe('ToolRegistry', () => {
  test('register accepts tools and definitions, and returns the tool.', () => {
    const registry = new ToolRegistry()
    const read = defineTool({ name: 'Read' })
    expect(registry.register(read)).toBe(read)
    const write = registry.register({ type: 'function', function: { name: 'Write' } })
    expect(registry.get('Write')).toBe(write)
    expect(registry.has('Write')).toBe(true)
    expect(registry.size).toBe(2)
  })

  test('list returns the order of registration, or of the requested names.', () => {
    const registry = new ToolRegistry([{ name: 'c' }, { name: 'a' }, { name: 'b' }])
    expect(registry.names()).toEqual(['c', 'a', 'b'])
    expect(names(registry.list())).toEqual(['c', 'a', 'b'])
    expect(names(registry)).toEqual(['c', 'a', 'b'])
    expect(names(registry.list(['b', 'c']))).toEqual(['b', 'c'])
    expect(registry.list([])).toEqual([])
  })

  test('list refuses names that are not a list.', () => {
    const registry = new ToolRegistry([{ name: 'ab' }])
    // @ts-expect-error a string is iterable, by its characters
    expect(() => registry.list('ab')).toThrow('Names must be given as a list; got "ab". Write ["ab"].')
    // @ts-expect-error an object is not a list, and must not count as an empty one
    expect(() => registry.list({})).toThrow('Names must be given as a list; got an object.')
    expect(names(registry.list(new Set(['ab'])))).toEqual(['ab'])
  })

  test('Changing a returned list does not change the registry.', () => {
    const registry = new ToolRegistry([{ name: 'a' }])
    registry.list().pop()
    registry.names().pop()
    expect(registry.size).toBe(1)
  })

  test('A second tool of the same name is refused, and the first stays.', () => {
    const registry = new ToolRegistry([{ name: 'a', description: 'first' }, { name: 'b' }])
    expect(() => registry.register({ name: 'a', description: 'second' })).toThrowError(
      expect.objectContaining({
        code: 'duplicate_tool',
        message: expect.stringMatching(/^A tool named "a" is already registered\. .*\{ replace: true \}/),
      }),
    )
    expect(registry.get('a')?.description).toBe('first')
    registry.register({ name: 'a', description: 'third' }, { replace: true })
    expect(registry.get('a')?.description).toBe('third')
    expect(registry.names()).toEqual(['a', 'b'])
    expect(() => new ToolRegistry([{ name: 'a' }, { name: 'a' }])).toThrow('already registered')
  })

  test('unregister removes a tool.', () => {
    const registry = new ToolRegistry([{ name: 'a' }])
    expect(registry.unregister('a')).toBe(true)
    expect(registry.unregister('a')).toBe(false)
    expect(registry.get('a')).toBeUndefined()
    registry.register({ name: 'a' })
    expect(registry.names()).toEqual(['a'])
  })

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'The registry knows "%s" only if it was registered.',
    name => {
      const registry = new ToolRegistry()
      expect(registry.get(name)).toBeUndefined()
      expect(registry.has(name)).toBe(false)
      expect(registry.unregister(name)).toBe(false)
      expect(() => registry.list([name])).toThrow(`No tool named "${name}"`)
      registry.register({ name })
      expect(names(registry.list([name]))).toEqual([name])
    },
  )

  test('The error for an unknown name suggests near matches.', () => {
    const registry = new ToolRegistry([{ name: 'read_file' }, { name: 'write_file' }, { name: 'search' }])
    expect(() => registry.list(['search', 'read_fil'])).toThrowError(
      expect.objectContaining({
        code: 'unknown_tool',
        message: 'No tool named "read_fil" is registered. Did you mean "read_file"?',
      }),
    )
    expect(() => registry.list(['SEARCH'])).toThrow('Did you mean "search"?')
    expect(() => registry.list(['weather'])).toThrowError(
      expect.objectContaining({ message: 'No tool named "weather" is registered.' }),
    )
  })

  test('A bad definition is refused without changing the registry.', () => {
    const registry = new ToolRegistry()
    expect(() => registry.register({ name: '' })).toThrowError(
      expect.objectContaining({ code: 'missing_name' }),
    )
    expect(registry.size).toBe(0)
  })
})
