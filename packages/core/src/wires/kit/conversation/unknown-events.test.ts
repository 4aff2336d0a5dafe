import { expect, test } from 'vitest'
import { createEventDrop } from './unknown-events.ts'

test('A stream with any number of unknown types makes a bounded number of reports.', () => {
  const paths: unknown[] = []
  const drop = createEventDrop((_code, path) => {
    paths.push(path)
  })
  for (let i = 0; i < 5_000; i++) drop(`${i}-${'x'.repeat(1_000)}`, { a: 1 })
  expect(paths).toHaveLength(101)
  expect(paths.at(-1)).toEqual(['events', '(others)'])
  expect(JSON.stringify(paths).length).toBeLessThan(20_000)
})
