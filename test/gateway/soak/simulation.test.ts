/**
 * Whole worlds on clocks of their own: clients of each wire, a gateway, upstreams of each wire, a store and tools, with
 * faults from a seed. `SOAK_SEED=7 npx vitest run test/gateway/soak/simulation.test.ts` shows one world again, and
 * `SOAK_RUNS=500` explores as many beyond those that are always run.
 */
import { describe, expect, test } from 'vitest'
import { faultKinds } from '../../support/soak/plan.ts'
import type { SimulationOptions, SimulationReport } from '../../support/soak/simulation.ts'
import { runSimulation } from '../../support/soak/simulation.ts'

const { SOAK_SEED, SOAK_RUNS = '6' } = process.env

/** Everything about a world follows from its seed. */
function worldOf(seed: number): SimulationOptions {
  return {
    seed,
    exchanges: 200,
    faultRate: 0.4,
    hasTools: (seed & 1) === 1,
    storesResponses: (seed & 2) === 2,
    drains: (seed & 4) === 4,
    // Some clients trickle in, and some all come at once.
    spreadMs: seed % 3 === 0 ? 500 : 60_000,
  }
}

function expectPeace(seed: number, { violations }: SimulationReport): void {
  const shown = violations.slice(0, 10).map(text => text.slice(0, 2_000))
  expect(shown, `${violations.length} violations. Again: SOAK_SEED=${seed}`).toEqual([])
}

const seeds =
  SOAK_SEED === undefined ? Array.from({ length: Number(SOAK_RUNS) }, (_, i) => i + 1) : [Number(SOAK_SEED)]

test.each(seeds)('In the simulated world of seed %i nothing is lost, and everything ends.', async seed => {
  expectPeace(seed, await runSimulation(worldOf(seed)))
})

describe('the worlds', () => {
  test('The simulated worlds are crowded, and full of everything that can go wrong.', async () => {
    const seed = 1_003
    const report = await runSimulation({ ...worldOf(seed), exchanges: 800, spreadMs: 500 })
    expectPeace(seed, report)
    expect(report.mostActive).toBeGreaterThan(600)
    for (const count of Object.values(report.endings)) expect(count).toBeGreaterThan(25)
    expect(report.toolRuns).toBeGreaterThan(300)
    expect(report.saved).toBeGreaterThan(100)
    const moods = ['slow', 'frozen', 'leaves', 'leaves early']
    const troubles = ['429', 'later', '500', '503', '529', '400', 'page', 'unreachable', 'refused', 'mute']
    expect([...report.faults]).toEqual(expect.arrayContaining([...faultKinds, ...moods, ...troubles]))
  })

  test('Everything succeeds in a simulated world without faults.', async () => {
    const seed = 2_003
    const report = await runSimulation({ ...worldOf(seed), faultRate: 0, drains: false })
    expectPeace(seed, report)
    const { good, failed, left } = report.endings
    expect({ failed, left }).toEqual({ failed: 0, left: 0 })
    expect(good).toBeGreaterThanOrEqual(200)
  })

  test('A simulated world is the same whenever it is run.', async () => {
    const world = { ...worldOf(7), exchanges: 60 }
    const [one, two] = [await runSimulation(world), await runSimulation(world)]
    expect(one.transcript).toBe(two.transcript)
    expect((await runSimulation({ ...world, seed: 8 })).transcript).not.toBe(one.transcript)
  })
})
