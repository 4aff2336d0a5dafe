/**
 * Whole worlds from seeds: clients, gateways that are killed at any await, one store, upstreams and tools, on one clock.
 * `npm run simulate -- --seeds 10000` runs more of them, and `npm run simulate -- --seed 7 --log` one of them again.
 */
import { expect, test } from 'vitest'
import { faultKinds } from '../support/soak/plan.ts'
import { actors } from './actors/index.ts'
import type { Fault } from './contract.ts'
import { describeViolations } from './simulate.ts'
import { runWorld, settingsOf } from './world.ts'

const seeds = 200

test('In two hundred simulated worlds nothing is lost, doubled, torn, foreign or silent, and everything ends.', {
  timeout: 600_000,
}, async () => {
  const wrong: string[] = []
  const tally = new Map<string, number>()
  for (let seed = 1; seed <= seeds; seed++) {
    const report = await runWorld(settingsOf(seed))
    if (report.violations.length > 0) wrong.push(describeViolations(report))
    for (const [what, times] of report.tally) tally.set(what, (tally.get(what) ?? 0) + times)
  }
  expect(wrong).toEqual([])
  const happened = [...tally.keys()]
  expect(happened).toEqual(expect.arrayContaining(actors.map(({ name }) => `actor ${name}`)))
  expect(happened).toEqual(expect.arrayContaining(faultKinds.map(kind => `upstream ${kind}`)))
  const failures = ['429', 'later', '500', '503', '529', '400', 'page', 'unreachable', 'refused', 'mute']
  expect(happened).toEqual(expect.arrayContaining(failures.map(kind => `upstream ${kind}`)))
  const moods = ['calm', 'slow', 'frozen', 'leaves', 'leaves early']
  expect(happened).toEqual(expect.arrayContaining(moods.map(mood => `client ${mood}`)))
  const faults = ['kill', 'drain', 'store fails', 'store stalls', 'store is lost', 'resume 200', 'resume 400']
  expect(happened).toEqual(expect.arrayContaining(faults))
  const ends = ['good', 'failed', 'refused', 'left', 'cut', 'killed']
  for (const end of ends) expect(tally.get(`ending ${end}`)).toBeGreaterThan(10)
})

test('A simulated world is the same whenever it is run, byte for byte.', async () => {
  for (const seed of [7, 12, 33]) {
    const [one, two] = [await runWorld(settingsOf(seed)), await runWorld(settingsOf(seed))]
    expect(two.log).toEqual(one.log)
    expect(two.digest).toBe(one.digest)
    expect(one.log.length).toBeGreaterThan(100)
    expect((await runWorld(settingsOf(seed + 1))).digest).not.toBe(one.digest)
  }
})

test('Everything succeeds in simulated worlds without faults.', async () => {
  for (let seed = 1_001; seed <= 1_010; seed++) {
    const { violations, tally } = await runWorld({
      ...settingsOf(seed),
      faultRate: 0,
      scenes: 40,
      memoryBytes: 64_000_000,
    })
    expect(violations).toEqual([])
    for (const end of ['failed', 'killed', 'cut']) expect(tally.get(`ending ${end}`)).toBeUndefined()
    expect(tally.get('ending good')).toBeGreaterThan(30)
  }
})

test('The simulation notices a store that acknowledges what it does not keep.', async () => {
  const liar: Fault = {
    name: 'the store lies',
    begin: world =>
      world.store.intercept(({ name }) => (name === 'saveResponse' ? { kind: 'lies' } : undefined)),
  }
  const settings = { ...settingsOf(1_003), storesResponses: true, faultRate: 0.1, scenes: 30 }
  const { violations } = await runWorld(settings, [liar])
  expect(violations.join('\n')).toContain('is lost')
  expect(violations.join('\n')).toContain('before it was stored')
})
