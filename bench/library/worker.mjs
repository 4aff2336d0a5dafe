/** The library's part, in a process of its own. Sends progress and its result to the process that started it. */
import { libraryCases } from './cases.mjs'
import { measureGrowth } from './growth.mjs'
import { burn, measureCase } from './measure.mjs'

const isQuick = process.argv.includes('--quick')
const plan = isQuick ? { rounds: 3, roundMs: 15, warmMs: 30 } : { rounds: 5, roundMs: 30, warmMs: 350 }
const growthPlan = isQuick ? { rounds: 3, roundMs: 5 } : { rounds: 12, roundMs: 10 }

/** A case that breaks is a finding, and the others are measured all the same. */
function attempt(label, work) {
  try {
    return work()
  } catch (error) {
    return { ...label, failed: error instanceof Error ? error.message : String(error) }
  }
}

/** A process that has served for a while: every pair has been through the compiler, and none gets it to itself. */
function warmUp() {
  const typical = libraryCases()
    .filter(({ size }) => size.startsWith('typical'))
    .flatMap(({ make, ...label }) => attempt(label, make).subject ?? [])
  for (let pass = 0; pass < 2; pass++) for (const subject of typical) burn(subject, isQuick ? 60 : 600)
}

warmUp()
process.send?.({ progress: 'warmed up' })
const cases = libraryCases().map(({ make, ...label }) => attempt(label, () => measureCase(make(), plan)))
process.send?.({ progress: `${cases.length} cases measured` })
const growth = measureGrowth(growthPlan, attempt, kind => process.send?.({ progress: `growth of ${kind}` }))
process.send?.({ result: { cases, growth } })
process.disconnect?.()
