/** Files, functions and folders stay small enough to read in one sitting. */
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { allSource, filesUnder } from '../support/house/source.ts'
import { lineAt, type Node, walk } from '../support/house/syntax.ts'
import { fullFolders, longFunctions } from './exceptions.ts'

const fileLimit = 400
const functionLimit = 80
const folderLimit = 25

type Counts = { readonly [name: string]: number }

const above = (counts: Counts, limit: (name: string) => number): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([name, count]) => count > limit(name)))

/** Exceptions that are not needed: what they name is gone, or within the limit. */
const stale = (exceptions: Counts, counts: Counts, limit: number): string[] =>
  Object.keys(exceptions).filter(name => (counts[name] ?? 0) <= limit)

test(`No source or test file is longer than ${fileLimit} lines.`, () => {
  const files = ['packages', 'test'].flatMap(directory => filesUnder(directory, path => path.endsWith('.ts')))
  expect(files.length).toBeGreaterThan(500)
  const lengths = Object.fromEntries(files.map(({ path, text }) => [path, text.split('\n').length - 1]))
  expect(above(lengths, () => fileLimit)).toEqual({})
})

const folders: Record<string, number> = {}
for (const { path } of allSource) folders[posix.dirname(path)] = (folders[posix.dirname(path)] ?? 0) + 1

test(`No folder has more than ${folderLimit} source files, but for those listed.`, () => {
  expect(Object.keys(folders).length).toBeGreaterThan(40)
  expect(above(folders, folder => fullFolders[folder] ?? folderLimit)).toEqual({})
})

test('Every folder that is listed as too full is too full.', () => {
  expect(stale(fullFolders, folders, folderLimit)).toEqual([])
})

const functions: Record<string, number> = {}
for (const file of allSource) {
  walk(file, (node, parent) => {
    if (!isFunction(node)) return
    const name = `${file.path}#${nameOf(node, parent)}`
    const lines = lineAt(file.text.slice(node.start), node.end - node.start)
    functions[name] = Math.max(functions[name] ?? 0, lines)
  })
}

test(`No function is longer than ${functionLimit} lines, but for those listed.`, () => {
  expect(Object.keys(functions).length).toBeGreaterThan(1000)
  expect(above(functions, name => longFunctions[name] ?? functionLimit)).toEqual({})
})

test('Every function that is listed as too long is too long.', () => {
  expect(stale(longFunctions, functions, functionLimit)).toEqual([])
})

function isFunction(node: Node): boolean {
  return /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(node.type)
}

/** Its own name, or that of the variable, method or property it is the value of. */
function nameOf(node: Node, parent: Node | undefined): string {
  for (const named of [node, parent]) {
    if (named === undefined) continue
    if ('id' in named && named.id?.type === 'Identifier') return named.id.name
    if ('key' in named && named.key?.type === 'Identifier') return named.key.name
  }
  return `(in ${parent?.type})`
}
