import { test } from 'vitest'
import { runWorld, settingsOf } from './world.ts'

test('x', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const r = await runWorld(settingsOf(seed))
    console.log(
      seed,
      r.violations.length,
      r.violations.slice(0, 3),
      JSON.stringify(settingsOf(seed)),
      JSON.stringify([...r.tally]),
      JSON.stringify([...r.peaks]),
    )
  }
})
