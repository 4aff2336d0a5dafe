/** Core has no side effects, and nothing evaluates text as code: invariants 2 and 12 of ARCHITECTURE.md. */
import { expect, test } from 'vitest'
import { allSource, coreSource, type SourceFile } from '../support/house/source.ts'
import { lineAt, type Node, walk } from '../support/house/syntax.ts'

const nameOf = (node: Node): string => (node.type === 'Identifier' ? node.name : '')

/** Calls and uses of what the platform gives everyone, such as `fetch()`, `new Date` and `Math.random`. */
function ambientUses(node: Node): string {
  if (node.type === 'CallExpression') return `${nameOf(node.callee)}()`
  if (node.type === 'NewExpression') return `new ${nameOf(node.callee)}`
  if (node.type === 'MemberExpression' && node.property.type === 'Identifier')
    return `${nameOf(node.object)}.${node.property.name}`
  return ''
}

const usesIn = (files: readonly SourceFile[], pattern: RegExp): string[] =>
  files.flatMap(file => {
    const found: string[] = []
    walk(file, node => {
      const use = ambientUses(node)
      if (pattern.test(use)) found.push(`${file.path}:${lineAt(file.text, node.start)} ${use}`)
    })
    return found
  })

test('Core prints nothing, sends nothing, and reads neither clock nor chance, but for platform.ts.', () => {
  const pattern = /^(console\..*|process\..*|Date\.now|new Date|Math\.random|fetch\(\))$/
  const platform = coreSource.filter(({ path }) => path.endsWith('/src/platform.ts'))
  expect(usesIn(platform, pattern)).not.toEqual([])
  expect(
    usesIn(
      coreSource.filter(file => !platform.includes(file)),
      pattern,
    ),
  ).toEqual([])
})

test('Nothing evaluates text as code or loads code through internals of Node.', () => {
  const pattern = /^(eval\(\)|new Function|Function\(\)|process\.(binding|dlopen))$/
  expect(usesIn(allSource, pattern)).toEqual([])
})
