/** What has ended must not be taken for used until all of the heap is collected. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Diagnostic } from '@toolwire/core'
import { expect, test } from 'vitest'
import { factsOf, pass, wholeExchange } from '../exchange.test-helper.ts'
import { createMetrics } from '../metrics.ts'
import { ObserverBatches } from '../observer-batches.ts'
import { createTraceRing } from './trace-ring.ts'

setFlagsFromString('--expose-gc')
const collect: (kind: { readonly type: 'major' | 'minor' }) => void = runInNewContext('gc')

/** What is young and used becomes old with the second collection. */
function oldBytes(): number {
  collect({ type: 'minor' })
  collect({ type: 'minor' })
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0
}

test('Exchanges that pass through all that watches leave nothing among what is old, however many they are.', () => {
  const batches: ObserverBatches = new ObserverBatches([
    createMetrics({ running: () => batches.running() }).observer,
    createTraceRing(),
  ])
  const body = Buffer.alloc(1000, 'x')
  const passMany = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const losses: Diagnostic[] = [
        { code: 'field_dropped', severity: 'warning', path: ['a', i], message: `${i}` },
      ]
      pass(batches, { ...wholeExchange, id: `req_${i}`, losses }, observation => {
        observation.viewHead('client-request', { line: 'POST /', headers: { number: `${i}`, accept: '*/*' } })
        observation.view('client-request', body)
      })
      if (i % 300 === 0) collect({ type: 'minor' })
    }
    batches.flush()
  }
  const others = Array.from({ length: 20 }, (_, i) => batches.begin(factsOf({ id: `other_${i}` })))
  passMany(1000)
  // What is used now becomes old, and with it whatever refers to what comes.
  collect({ type: 'major' })
  const before = oldBytes()
  const exchanges = 12_000
  passMany(exchanges)
  expect((oldBytes() - before) / exchanges).toBeLessThan(150)
  for (const other of others) other.end()
  batches.close()
})
