/** Times a subject and its floor in turns, so that whatever else the machine does falls on both. */
import { spread } from '../lib/stats.mjs'

/** Runs it for at least so long; CPU time of the whole process, garbage collection and compilation included. */
export function burn(work, minimumMs) {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let runs = 0
  let elapsed = 0
  do {
    work()
    runs++
    elapsed = performance.now() - start
  } while (elapsed < minimumMs)
  const { user, system } = process.cpuUsage(cpu)
  return { runs, wallUs: (elapsed * 1000) / runs, cpuUs: (user + system) / runs }
}

/** Until it gets no faster: the compiler takes a long time over some cases, and none over others. */
function warm(work, windowMs) {
  let least = Number.POSITIVE_INFINITY
  for (let window = 0; window < 8; window++) {
    const { cpuUs } = burn(work, windowMs)
    if (cpuUs > 0.95 * least) return
    least = cpuUs
  }
}

/**
 * @param {import('./cases.mjs').Case} given
 * @param {{ rounds: number, roundMs: number, warmMs: number }} plan
 */
export function measureCase(given, { rounds, roundMs, warmMs }) {
  const { kind, size, from, to, bytes, units, subject, floor } = given
  const right = given.isRight()
  warm(subject, warmMs)
  warm(floor, warmMs)
  const samples = []
  for (let round = 0; round < rounds; round++) {
    // Whoever goes first finds the heap as the other left it, so they take turns.
    const first = round % 2 === 0
    const a = first ? burn(subject, roundMs) : undefined
    const b = burn(floor, roundMs)
    samples.push({ subject: a ?? burn(subject, roundMs), floor: b })
  }
  return {
    kind,
    size,
    from,
    to,
    bytes,
    units,
    right,
    perSecond: spread(samples.map(sample => (units * 1e6) / sample.subject.wallUs)),
    floorPerSecond: spread(samples.map(sample => (units * 1e6) / sample.floor.wallUs)),
    cpuUs: spread(samples.map(sample => sample.subject.cpuUs / units)),
    /** Cost over the floor's cost, by CPU time. */
    ratio: spread(samples.map(sample => sample.subject.cpuUs / sample.floor.cpuUs)),
  }
}
