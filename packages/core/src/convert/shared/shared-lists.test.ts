import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Part, Turn } from '../../model/conversation.ts'
import { createReport } from '../../model/diagnostic.ts'
import { flatMapParts, mapParts, mapShared } from './shared-lists.ts'

const lists = fc.array(fc.record({ n: fc.nat(5) }))

test('mapShared returns what a plain map returns, and the same list if nothing changed.', () => {
  fc.assert(
    fc.property(lists, fc.nat(5), (list, odd) => {
      const map = (item: { n: number }): { n: number } => (item.n === odd ? { n: -1 } : item)
      const mapped = mapShared(list, map)
      expect(mapped).toEqual(list.map(map))
      expect(mapped === list).toBe(list.every(({ n }) => n !== odd))
    }),
  )
})

test('mapShared replaces an item by none or several, and returns the same list if nothing changed.', () => {
  fc.assert(
    fc.property(lists, fc.nat(5), fc.nat(3), (list, odd, count) => {
      const map = (item: { n: number }): { n: number } | { n: number }[] =>
        item.n === odd ? Array.from({ length: count }, () => ({ n: -1 })) : item
      const mapped = mapShared(list, map)
      expect(mapped).toEqual(list.flatMap(map))
      expect(mapped === list).toBe(list.every(({ n }) => n !== odd))
    }),
  )
})

const text = (said: string): Part => ({ kind: 'text', text: said, path: [said] })
const turns: readonly Turn[] = [
  { role: 'user', parts: [text('a')], root: [0] },
  {
    role: 'user',
    parts: [text('b'), text('b')],
    root: [1],
    residue: { wire: 'chat', at: [1], entries: [[['name'], 'x']] },
  },
  { role: 'user', parts: [], root: [2] },
]

test('Turns with unchanged parts are the same objects.', () => {
  const mapped = mapParts(turns, part => (part.path[0] === 'a' ? text('c') : part))
  expect(mapped[0]).toEqual({ role: 'user', parts: [text('c')], root: [0] })
  expect(mapped[1]).toBe(turns[1])
  expect(mapParts(turns, part => part)).toBe(turns)
})

test('A turn that loses all its parts is dropped and its residue reported; a turn without parts stays.', () => {
  const { report, diagnostics } = createReport()
  const mapped = flatMapParts(turns, report, part => (part.path[0] === 'b' ? [] : part))
  expect(mapped).toEqual([turns[0], turns[2]])
  expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: [1, 'name'] }])
  expect(flatMapParts(turns, report, part => part)).toBe(turns)
})
