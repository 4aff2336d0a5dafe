import { expect, test } from 'vitest'
import { randomId } from './platform.ts'

test('Ids have their prefix and 24 letters and digits, and no two are the same.', () => {
  const ids = Array.from({ length: 1000 }, () => randomId('call_'))
  for (const id of ids) expect(id).toMatch(/^call_[0-9a-z]{24}$/)
  expect(new Set(ids).size).toBe(1000)
})

test('Every letter and digit occurs at every position of an id.', () => {
  const ids = Array.from({ length: 2000 }, () => randomId(''))
  for (let place = 0; place < 24; place++) expect(new Set(ids.map(id => id[place])).size).toBe(36)
})
