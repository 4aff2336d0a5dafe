import { expect, test } from 'vitest'
import { ByteBudget, Holding, workingBytes } from './byte-budget.ts'

const refusal = (act: () => void): unknown => {
  try {
    act()
    return undefined
  } catch (error) {
    return error
  }
}

test('Memory that is released is there for others, and releasing twice releases once.', () => {
  const budget = new ByteBudget({ limit: 100, ownerLimit: 100 })
  const first = new Holding(budget, 'ann')
  first.take(60, 'request')
  first.take(30, 'answer')
  const second = new Holding(budget, 'bob')
  expect(refusal(() => second.take(20, 'request'))).toMatchObject({ code: 'memory_full', status: 503 })
  expect(second.bytes).toBe(0)
  first.release()
  first.release()
  second.take(100, 'request')
  expect(budget.used).toBe(100)
})

test('Memory that is handed over stays taken until whoever has it releases it.', () => {
  const budget = new ByteBudget({ limit: 100, ownerLimit: 100 })
  const request = new Holding(budget, 'ann')
  request.take(60, 'request')
  const work = request.handOver()
  request.release()
  expect(budget.used).toBe(60)
  work.release()
  expect(budget.used).toBe(0)
})

test('One owner cannot take what is left for the others, and is told when to try again.', () => {
  const budget = new ByteBudget({ limit: 100, ownerLimit: 50 })
  new Holding(budget, 'ann').take(40, 'request')
  expect(refusal(() => new Holding(budget, 'ann').take(20, 'request'))).toMatchObject({
    kind: 'rate_limit',
    code: 'key_memory_full',
    headers: { 'retry-after': expect.any(String) },
  })
  new Holding(budget, 'bob').take(50, 'request')
})

test.each([
  ['request', { kind: 'too_large', code: 'body_too_large' }],
  ['history', { kind: 'too_large', code: 'history_too_large' }],
  ['answer', { kind: 'server', code: 'upstream_too_large', status: 502 }],
] as const)('A %s that can never fit is refused for good, not until later.', (purpose, expected) => {
  const budget = new ByteBudget({ limit: 100, ownerLimit: 50 })
  const holding = new Holding(budget, 'ann')
  holding.take(20, 'request')
  const error = refusal(() => holding.take(40, purpose))
  expect(error).toMatchObject({ ...expected, headers: {} })
  expect(budget.used).toBe(20)
})

test('The memory for JSON grows with its characters and with its values, but not with what its texts contain.', () => {
  const plain = workingBytes(JSON.stringify({ a: 'x'.repeat(100) }))
  const signs = workingBytes(JSON.stringify({ a: `${',{['.repeat(33)}x` }))
  const values = workingBytes(JSON.stringify({ a: Array.from({ length: 50 }, () => 1) }))
  expect(signs).toBe(plain)
  expect(values).toBeGreaterThan(plain + 40 * 275)
  expect(workingBytes(String.raw`{"a":"\\","b":"\",{["}`)).toBe(workingBytes('{"a":"xx","b":"xx,{["}'))
  expect(workingBytes('{"a":"never ends')).toBeGreaterThan(0)
})
