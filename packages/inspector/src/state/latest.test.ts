import { expect, test } from 'vitest'
import { createLatest } from './latest.ts'

/** Loads that the test ends. */
function staged() {
  const loads: { resolve(value: string): void; reject(error: Error): void }[] = []
  const shown: string[] = []
  const latest = createLatest<string>({
    load: () => new Promise((resolve, reject) => loads.push({ resolve, reject })),
    show: value => shown.push(value),
    fail: error => shown.push(String(error)),
  })
  const settle = () => new Promise<void>(resolve => setTimeout(resolve))
  return { latest, loads, shown, settle }
}

test('A slow load is shown although newer ones were asked for meanwhile, and then the newest is loaded, once.', async () => {
  const { latest, loads, shown, settle } = staged()
  latest.want()
  for (let i = 0; i < 5; i++) latest.want()
  expect(loads).toHaveLength(1)
  loads[0]?.resolve('beginning')
  await settle()
  expect(shown).toEqual(['beginning'])
  expect(loads).toHaveLength(2)
  loads[1]?.resolve('end')
  await settle()
  expect(shown).toEqual(['beginning', 'end'])
  expect(loads).toHaveLength(2)
})

test('A load that fails is told of, and does not keep the next one from being made.', async () => {
  const { latest, loads, shown, settle } = staged()
  latest.want()
  latest.want()
  loads[0]?.reject(new Error('gone'))
  await settle()
  loads[1]?.resolve('end')
  await settle()
  expect(shown).toEqual(['Error: gone', 'end'])
})

test('Once it is closed nothing is shown and nothing is loaded.', async () => {
  const { latest, loads, shown, settle } = staged()
  latest.want()
  latest.want()
  latest.close()
  loads[0]?.resolve('late')
  await settle()
  latest.want()
  expect(shown).toEqual([])
  expect(loads).toHaveLength(1)
})
