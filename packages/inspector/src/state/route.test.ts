import { expect, test } from 'vitest'
import { type Place, readRoute, writeRoute } from './route.ts'

test('Every place has a link that leads back to it, with the filter.', () => {
  const places: readonly Place[] = [
    { page: 'list' },
    { page: 'exchange', id: 'req_a/b', tab: 'wires' },
    { page: 'compare', a: 'req_1', b: 'req_2' },
    { page: 'playground', from: undefined },
    { page: 'playground', from: 'req_1' },
    { page: 'health' },
  ]
  for (const place of places) {
    for (const flat of [true, false]) {
      const route = { place, filter: 'model:qwen* status:>=400 "a & b"', flat }
      expect(readRoute(writeRoute(route))).toEqual(route)
    }
  }
})

test('An address that means nothing leads to the list, and a wrong tab to the first.', () => {
  expect(readRoute('#/nowhere/%zz').place).toEqual({ page: 'list' })
  expect(readRoute('').place).toEqual({ page: 'list' })
  expect(readRoute('#/x/req_1/what').place).toEqual({ page: 'exchange', id: 'req_1', tab: 'conversation' })
})
