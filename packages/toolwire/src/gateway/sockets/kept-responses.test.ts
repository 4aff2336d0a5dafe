import { expect, test } from 'vitest'
import { ByteBudget, Holding } from '../http/byte-budget.ts'
import { KeptResponses } from './kept-responses.ts'

const response = { id: 'resp_1', input: [], output: [], history: [] }

test('What a connection remembers is given back when it closes, and nothing is kept for it afterwards.', () => {
  const budget = new ByteBudget({ limit: 10_000, ownerLimit: 10_000 })
  const kept = new KeptResponses(new Holding(budget, 'ann'), 10_000)
  kept.keep(response)
  expect(budget.used).toBeGreaterThan(0)
  kept.close()
  // An answer that was being saved as the client left.
  kept.keep({ ...response, id: 'resp_2' })
  expect(budget.used).toBe(0)
  expect(kept.size).toBe(0)
})
