/**
 * One build of the library in a process of its own, measured case by case as it is asked to. How often a case runs
 * depends on its size alone, never on time, so that both builds do the same however busy the machine is.
 */
import { serveAsks } from '../lib/children.mjs'
import { libraryCases } from '../library/cases.mjs'

const cases = libraryCases()
/** @type {import('../library/cases.mjs').Case} */
let current

/** @param {number} inputBytes how much the case is to read in all its runs together; it runs at least once */
function run({ subject, bytes, units }, inputBytes) {
  const runs = Math.max(1, Math.round(inputBytes / bytes))
  const before = process.cpuUsage()
  for (let i = 0; i < runs; i++) subject()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (runs * units)
}

serveAsks({
  /** Every pair goes through the compiler before anything counts, as in a process that has served for a while. */
  warmUp({ inputBytes, passes }) {
    const made = cases.filter(({ size }) => !size.startsWith('large')).map(({ make }) => make())
    for (let pass = 0; pass < passes; pass++) for (const one of made) run(one, inputBytes)
  },
  /** Makes a case ready to be measured, and tells whether its output is right where that is asked. */
  prepare({ index, inputBytes, check }) {
    current = cases[index].make()
    const right = !check || current.isRight()
    run(current, inputBytes)
    return { right }
  },
  /** CPU time of one run, or of one event of a stream. No collection is forced before: it would drop compiled code. */
  sample: ({ inputBytes }) => run(current, inputBytes),
})
