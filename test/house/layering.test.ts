/** Who may import whom (`rooms.ts` has the table), and that there are no import cycles: invariant 1 of ARCHITECTURE.md. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allSource, root, type SourceFile } from '../support/house/source.ts'
import { cyclesOf, importsOf } from '../support/house/syntax.ts'
import { filesInTypeCycles, importsAgainstTheTable } from './exceptions.ts'
import { definitionEntries, entry, packages, plannedRooms } from './rooms.ts'

const { exports } = JSON.parse(readFileSync(`${root}packages/core/package.json`, 'utf8')) as {
  exports: Record<string, unknown>
}
/** How the application may name core. */
const coreEntries = new Set(Object.keys(exports).map(path => `@toolwire/core${path.slice(1)}`))

const inSource = (path: string): string => path.replace(/^packages\/\w+\/src\//, '')
const nameOf = (path: string): string => path.split('/')[1] ?? ''

/** What a file imports that its room may not. */
function forbiddenImports({ path, ...file }: SourceFile): string[] {
  const name = nameOf(path)
  const { rooms, roomOf } = packages[name] ?? {}
  const own = roomOf?.(inSource(path)) ?? ''
  const room = rooms?.[own]
  const mayImport = (target: string): boolean => {
    if (!target.startsWith('packages/') && !target.startsWith('.')) {
      const isOfApplication = name === 'toolwire' && (target.startsWith('node:') || coreEntries.has(target))
      return isOfApplication || room?.packages?.includes(target) === true
    }
    if (!target.startsWith(`packages/${name}/src/`)) return false
    const targetRoom = roomOf?.(inSource(target)) ?? ''
    if (own === entry || targetRoom === own) return true
    return room?.imports.includes(targetRoom) === true || room?.imports.includes(inSource(target)) === true
  }
  return importsOf({ path, ...file })
    .filter(({ target }) => !mayImport(target))
    .map(({ target }) => `${path} → ${inSource(target)}`)
}

describe.each(Object.entries(packages))('The rooms of %s', (name, { rooms, roomOf }) => {
  const files = allSource.filter(({ path }) => nameOf(path) === name)

  test(`Every room of ${name} is in the table, and every room of the table has files.`, () => {
    const found = new Set(files.map(({ path }) => roomOf(inSource(path))))
    const planned = plannedRooms.map(room => room.replace(`${name}: `, ''))
    expect([...found].filter(room => !(room in rooms) && room !== entry)).toEqual([])
    expect(Object.keys(rooms).filter(room => !found.has(room) && !planned.includes(room))).toEqual([])
    expect(files.length).toBeGreaterThan(150)
  })

  test(`The table of ${name} has no cycle and names no room that is not in it.`, () => {
    const roomsOf = (imports: readonly string[]): string[] =>
      imports.map(target => (target.endsWith('.ts') ? roomOf(target) : target))
    const edges = new Map(Object.entries(rooms).map(([room, { imports }]) => [room, roomsOf(imports)]))
    expect(cyclesOf(edges)).toEqual([])
    expect([...edges.values()].flat().filter(room => !(room in rooms))).toEqual([])
  })

  test.each([...Object.keys(rooms), entry])(`In ${name}, %s imports only what the table allows.`, room => {
    const forbidden = files
      .filter(({ path }) => roomOf(inSource(path)) === room)
      .flatMap(forbiddenImports)
      .filter(found => !importsAgainstTheTable.includes(found))
    expect(forbidden).toEqual([])
  })
})

test('Every import that is excepted from the table still breaks it.', () => {
  const forbidden = new Set(allSource.flatMap(forbiddenImports))
  expect(importsAgainstTheTable.filter(found => !forbidden.has(found))).toEqual([])
})

const graphOf = (withTypes: boolean): ReadonlyMap<string, readonly string[]> =>
  new Map(
    allSource.map(file => [
      file.path,
      importsOf(file)
        .filter(({ isType }) => withTypes || !isType)
        .map(({ target }) => target),
    ]),
  )

test('Imports are found: nearly every file imports another.', () => {
  const files = new Set(allSource.map(({ path }) => path))
  const importing = allSource.filter(file => importsOf(file).some(({ target }) => files.has(target)))
  expect(importing.length).toBeGreaterThan(allSource.length * 0.8)
})

test('Every relative import names a source file.', () => {
  const files = new Set(allSource.map(({ path }) => path))
  const missing = allSource.flatMap(file =>
    importsOf(file)
      .filter(({ target }) => target.startsWith('packages/') && !files.has(target))
      .map(({ target }) => `${file.path} → ${target}`),
  )
  expect(missing).toEqual([])
})

test('No files import values of one another in a circle.', () => {
  expect(cyclesOf(graphOf(false))).toEqual([])
})

test('Files that import types in a circle become fewer; whoever removes one lowers the bound.', () => {
  const cycles = cyclesOf(graphOf(true))
  expect(cycles.flat().length, JSON.stringify(cycles, null, 2)).toBe(filesInTypeCycles)
})

/** Every module that a file comes to load, directly or not. */
function loadedFrom(start: string, graph: ReadonlyMap<string, readonly string[]>): string[] {
  const loaded = new Set<string>()
  const open = [start]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (loaded.has(path)) continue
    loaded.add(path)
    open.push(...(graph.get(path) ?? []))
  }
  return [...loaded]
}

test('Nothing that the gateway loads can start a process, whatever the route.', () => {
  const loaded = loadedFrom('packages/toolwire/src/gateway/index.ts', graphOf(true))
  expect(loaded.filter(path => path.includes('/gateway/routes/')).length).toBeGreaterThan(5)
  expect(loaded.filter(path => /\/src\/(mcp|cli|config)\//.test(path))).toEqual([])
  const dangerous = /^(node:)?(child_process|cluster|vm|repl|inspector)$|modelcontextprotocol/
  expect(loaded.filter(path => dangerous.test(path))).toEqual([])
  // A thread runs one file of the package's own, which the pool names.
  const threads = allSource.filter(
    file =>
      loaded.includes(file.path) && importsOf(file).some(({ target }) => target === 'node:worker_threads'),
  )
  expect(threads.map(({ path }) => inSource(path))).toEqual([
    'gateway/workers/pool.ts',
    'store/thread/threaded-store.ts',
  ])
})

test.each(definitionEntries)('The entry point %s of core does not load the registry of wires.', path => {
  const loaded = loadedFrom(`packages/core/src/${path}`, graphOf(false))
  expect(loaded.length).toBeGreaterThan(20)
  expect(loaded).not.toContain('packages/core/src/wires/registry.ts')
})
