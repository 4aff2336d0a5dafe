import { describe, expect, it } from 'vitest'
import { defineTool } from './define-tool.ts'
import { ToolRegistry } from './registry.ts'
import type { ToolSpec } from './tool-spec.ts'

const names = (tools: Iterable<ToolSpec>): string[] => Array.from(tools, tool => tool.name)

describe('ToolRegistry', () => {
  it('registers tools and definitions of them, and gives the tool back', () => {
    const registry = new ToolRegistry()
    const read = defineTool({ name: 'Read' })
    expect(registry.register(read)).toBe(read)
    const write = registry.register({ type: 'function', function: { name: 'Write' } })
    expect(registry.get('Write')).toBe(write)
    expect(registry.has('Write')).toBe(true)
    expect(registry.size).toBe(2)
  })

  it('lists in the order of registration, or of the names asked for', () => {
    const registry = new ToolRegistry([{ name: 'c' }, { name: 'a' }, { name: 'b' }])
    expect(registry.names()).toEqual(['c', 'a', 'b'])
    expect(names(registry.list())).toEqual(['c', 'a', 'b'])
    expect(names(registry)).toEqual(['c', 'a', 'b'])
    expect(names(registry.list(['b', 'c']))).toEqual(['b', 'c'])
    expect(registry.list([])).toEqual([])
  })

  it('refuses names that are no list', () => {
    const registry = new ToolRegistry([{ name: 'ab' }])
    // @ts-expect-error a text is a list of letters to JavaScript
    expect(() => registry.list('ab')).toThrow('Names must be given as a list; got "ab". Write ["ab"].')
    // @ts-expect-error an object is no list, and must not give an empty one
    expect(() => registry.list({})).toThrow('Names must be given as a list; got an object.')
    expect(names(registry.list(new Set(['ab'])))).toEqual(['ab'])
  })

  it('gives out lists that do not change it', () => {
    const registry = new ToolRegistry([{ name: 'a' }])
    registry.list().pop()
    registry.names().pop()
    expect(registry.size).toBe(1)
  })

  it('refuses a second tool of the same name, and keeps the first', () => {
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

  it('forgets a tool', () => {
    const registry = new ToolRegistry([{ name: 'a' }])
    expect(registry.unregister('a')).toBe(true)
    expect(registry.unregister('a')).toBe(false)
    expect(registry.get('a')).toBeUndefined()
    registry.register({ name: 'a' })
    expect(registry.names()).toEqual(['a'])
  })

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'knows "%s" only when registered',
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

  it('names near matches of an unknown name', () => {
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

  it('refuses a bad definition without changing', () => {
    const registry = new ToolRegistry()
    expect(() => registry.register({ name: '' })).toThrowError(
      expect.objectContaining({ code: 'missing_name' }),
    )
    expect(registry.size).toBe(0)
  })
})
