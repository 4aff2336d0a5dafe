/** How cost grows with size: four sizes, measured in turns, and the exponent that fits them. */
import { growthExponent } from '../lib/stats.mjs'
import { pairs } from '../work/wires.mjs'
import { answerCase, definitionsCase, requestCase, streamCase } from './cases.mjs'
import { burn } from './measure.mjs'

const kinds = {
  'definitions by tools': {
    sizes: [100, 200, 400, 800],
    make: (pair, n) => definitionsCase(pair, `${n}`, n),
  },
  'requests by items': {
    sizes: [500, 1000, 2000, 4000],
    make: (pair, n) => requestCase(pair, `${n}`, { tools: 20, items: n }),
  },
  'answers by the length of an argument': {
    sizes: [1, 2, 4, 8],
    make: (pair, n) => answerCase(pair, `${n} MB`, { text: 0, calls: 1, argument: n * 2 ** 20 }),
  },
  'streams by deltas': {
    sizes: [2500, 5000, 10_000, 20_000],
    make: (pair, n) =>
      streamCase(pair, `${n}`, {
        answer: { text: 0, calls: 1, argument: n * 20 },
        cuts: { text: 1, argument: n },
        packet: 20,
      }),
  },
  'streams by the length of an argument': {
    sizes: [1, 2, 4, 8],
    make: (pair, n) =>
      streamCase(pair, `${n} MB`, {
        answer: { text: 0, calls: 1, argument: n * 2 ** 20 },
        cuts: { text: 1, argument: n * 256 },
        packet: 4,
      }),
  },
}

function measurePair(kind, pair, { sizes, make }, { rounds, roundMs }) {
  const cases = sizes.map(size => ({ made: make(pair, size), subject: [], floor: [] }))
  for (const { made } of cases) {
    burn(made.subject, roundMs)
    burn(made.floor, roundMs)
  }
  for (let round = 0; round < rounds; round++) {
    for (const { made, subject, floor } of cases) {
      subject.push(burn(made.subject, roundMs).cpuUs)
      floor.push(burn(made.floor, roundMs).cpuUs)
    }
  }
  // Whatever else the machine does only adds, so the least is the nearest to the truth.
  const exponentOf = side =>
    growthExponent(cases.map(one => ({ size: one.made.bytes, cost: Math.min(...one[side]) })))
  return { kind, ...pair, exponent: exponentOf('subject'), floorExponent: exponentOf('floor') }
}

/**
 * @param {{ rounds: number, roundMs: number }} plan
 * @param {(label: object, work: () => object) => object} attempt
 * @param {(kind: string) => void} onDone
 */
export function measureGrowth(plan, attempt, onDone) {
  const out = []
  for (const [kind, sized] of Object.entries(kinds)) {
    for (const pair of pairs) out.push(attempt({ kind, ...pair }, () => measurePair(kind, pair, sized, plan)))
    onDone(kind)
  }
  return out
}
