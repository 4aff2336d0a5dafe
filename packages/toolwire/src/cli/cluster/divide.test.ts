import { expect, test } from 'vitest'
import type { Settings } from '../../config/config.ts'
import { resolveLimits } from '../../gateway/settings.ts'
import { divideAmong } from './divide.ts'
import { workerFlags } from './start-workers.ts'

const settings = (parts: Partial<Settings>): Settings =>
  ({ keys: [], limits: {}, trace: {}, ...parts }) as Settings

test('Worker processes have together the memory, places and connections that one would have.', () => {
  const { limits } = divideAmong(settings({ limits: { exchanges: 101, connections: 10 } }), 4)
  const whole = resolveLimits({}, 0)
  expect(limits).toMatchObject({
    memoryBytes: Math.ceil(whole.memoryBytes / 4),
    exchanges: 26,
    connections: 3,
    addressConnections: 2000,
    bodyBytes: whole.bodyBytes,
    workers: 1,
  })
})

test('Where the limits of a key are a part of the whole, they stay that part.', () => {
  const { limits } = divideAmong(settings({ limits: { exchanges: 100, keyBackground: 4, workers: 0 } }), 2)
  expect(limits).toMatchObject({ exchanges: 50, keyBackground: 2, workers: 0 })
  // However many keys there are, and come while it runs.
  expect(resolveLimits(limits, 1).keyExchanges).toBe(50)
  expect(resolveLimits(limits, 2).keyExchanges).toBe(25)
})

test('Traces are kept in parts, or by nobody.', () => {
  expect(divideAmong(settings({ trace: { bodies: false, entries: 10 } }), 2).trace).toEqual({
    bodies: false,
    entries: 5,
    bytes: 16 * 1024 * 1024,
  })
  expect(divideAmong(settings({ trace: false }), 2).trace).toBe(false)
})

test('Worker processes have more room for what is young, unless somebody says how much.', () => {
  expect(workerFlags([])).toEqual(['--max-semi-space-size=32'])
  expect(workerFlags(['--max-semi-space-size=8'])).toEqual([
    '--max-semi-space-size=32',
    '--max-semi-space-size=8',
  ])
  for (const inOptions of ['--max-semi-space-size=8', '--max_semi_space_size=8'])
    expect(workerFlags(['--inspect'], inOptions)).toEqual(['--inspect'])
})
