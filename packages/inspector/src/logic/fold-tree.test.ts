import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Folding, type FoldTree, fold, foldAll, foldTree, unfoldAll, unfoldTo } from './fold-tree.ts'
import { type Path, sizeOf } from './json-tree.ts'

const value = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], empty: {}, 'odd key': [1, null] }

const pathsOf = (tree: FoldTree): string[] =>
  Array.from({ length: tree.count }, (_, i) => JSON.stringify(tree.line(i)?.path))

/** A list that counts how often somebody asks for a member. */
function counted(length: number): { readonly list: unknown[]; readonly count: () => number } {
  let reads = 0
  const list = new Proxy(
    Array.from({ length }, (_, i) => ({ role: 'user', content: [{ text: `t${i}` }] })),
    {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++
        return Reflect.get(target, key, receiver)
      },
    },
  )
  return { list, count: () => reads }
}

describe('the lines of a tree', () => {
  test('Only what is open has lines, each with its path.', () => {
    const tree = foldTree(value, fold(fold({}, ['odd key'], false), ['messages', 0], false))
    expect(pathsOf(tree)).toEqual([
      '[]',
      '["model"]',
      '["messages"]',
      '["messages",0]',
      '["empty"]',
      '["odd key"]',
    ])
    expect(tree.line(4)).toMatchObject({ name: 'empty', size: 0, isOpen: false })
    expect(tree.line(6)).toBeUndefined()
    expect(foldTree('text').line(0)).toMatchObject({ value: 'text', size: undefined, isOpen: false })
  })

  test('A long list is folded at first, and unfolding it looks at the members that are seen.', () => {
    const { list, count } = counted(500_000)
    const large = { messages: list }
    expect(foldTree(large).count).toBe(2)
    const tree = foldTree(large, fold({}, ['messages'], true))
    expect(tree.count).toBe(500_002)
    for (let i = 400_000; i < 400_040; i++) expect(tree.line(i)?.path).toEqual(['messages', i - 2])
    expect(count()).toBeLessThan(100)
    const inner = foldTree(large, unfoldTo({}, ['messages', 300_000, 'role']))
    expect(inner.line(300_003)).toMatchObject({ path: ['messages', 300_000, 'role'], value: 'user' })
    expect(inner.line(300_005)).toMatchObject({ path: ['messages', 300_001] })
  })

  test('Unfolding everything stops where nobody would read on, the upper levels first.', () => {
    const list = Array.from({ length: 1000 }, () => [[1], [2]])
    expect(foldTree(list, unfoldAll(list, 20_000)).count).toBe(1 + 1000 * 5)
    const some = foldTree(list, unfoldAll(list, 501))
    expect(some.count).toBe(1 + 1000 + 500 * 2)
    expect(foldTree(value, foldAll(value)).count).toBe(5)
  })
})

/** The same without any shortcut. */
function plainLines(here: unknown, folding: Folding, path: Path, isNear: boolean): Path[] {
  const size = sizeOf(here) ?? 0
  if (size === 0 || !(folding.isOpen ?? (isNear && size <= 100))) return [path]
  const areNear = isNear && size <= 100 && path.length + 1 < 3
  const members: [string | number, unknown][] = Array.isArray(here)
    ? [...here.entries()]
    : Object.entries(here as object)
  return [
    path,
    ...members.flatMap(([key, member]) =>
      plainLines(member, folding.members?.get(key) ?? {}, [...path, key], areNear),
    ),
  ]
}

test('Whatever is folded, every line is the one that a walk through the whole finds, and its path leads back to it.', () => {
  const body = fc.letrec(tie => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom('x', 1, null),
      fc.array(tie('node'), { maxLength: 5 }),
      fc.dictionary(fc.string({ maxLength: 3 }), tie('node'), { maxKeys: 5 }),
    ),
  })).node
  fc.assert(
    fc.property(body, fc.array(fc.tuple(fc.nat(200), fc.boolean()), { maxLength: 12 }), (whole, touched) => {
      let folding: Folding = {}
      for (const [at, isOpen] of touched) {
        const tree = foldTree(whole, folding)
        folding = fold(folding, tree.line(at % tree.count)?.path ?? [], isOpen)
      }
      const tree = foldTree(whole, folding)
      const expected = plainLines(whole, folding, [], true)
      expect(tree.count).toBe(expected.length)
      for (const [i, path] of expected.entries()) {
        expect(tree.line(i)?.path).toEqual(path)
        expect(tree.indexOf(path)).toBe(i)
      }
    }),
  )
})
