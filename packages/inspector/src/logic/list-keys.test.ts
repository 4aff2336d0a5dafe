import { expect, test } from 'vitest'
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { groupedRows } from './grouping.ts'
import { rowAfterKey } from './list-keys.ts'

const summary = (id: string, conversation: string): TraceSummary =>
  ({ id, conversation, time: `2026-11-18T10:00:0${id}.000Z`, turn: 1 }) as TraceSummary
const all = [summary('4', 'b'), summary('3', 'b'), summary('2', 'a'), summary('1', 'a')]
const rowsWith = (...closed: string[]) => groupedRows(all, new Set(closed))
const walk = (rows: ReturnType<typeof rowsWith>, from: number, ...keys: string[]) => {
  let at = from
  return keys.map(key => {
    at = rowAfterKey(rows, at, key) ?? at
    return rows[at]?.key
  })
}

test('Arrows go through the exchanges of open conversations, whose heads are no place to be.', () => {
  const rows = rowsWith()
  expect(walk(rows, -1, 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown')).toEqual([
    '4',
    '3',
    '2',
    '1',
    '1',
  ])
  expect(walk(rows, 5, 'ArrowUp', 'k', 'ArrowUp', 'ArrowUp', 'End', 'Home', 'j')).toEqual([
    '2',
    '3',
    '4',
    '4',
    '1',
    '4',
    '3',
  ])
})

test('The head of a folded conversation is reached like an exchange, also where all are folded.', () => {
  expect(walk(rowsWith('b'), -1, 'ArrowDown', 'ArrowDown', 'ArrowUp')).toEqual(['group b', '2', 'group b'])
  expect(walk(rowsWith('a', 'b'), -1, 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Home')).toEqual([
    'group b',
    'group a',
    'group a',
    'group b',
  ])
  expect(walk(rowsWith('a'), 1, 'PageDown', 'PageUp')).toEqual(['group a', '4'])
})

test('Other keys lead nowhere, and neither does any in an empty list.', () => {
  expect(rowAfterKey(rowsWith(), 1, 'x')).toBeUndefined()
  expect(rowAfterKey([], -1, 'ArrowDown')).toBeUndefined()
})
