/** Plans one exchange over real sockets at random. */
import type { Plan } from './plan.ts'
import { makePlan } from './plan.ts'
import type { Random } from './random.ts'

export interface LoopbackPlan {
  readonly plan: Plan
  /** How the upstream answers. */
  readonly behaviour: 'plainly' | 'slowly' | 'stalls' | 'resets' | 'ends early' | 'hangs'
  /** The position of the fault in the answer, from 0 to 1. */
  readonly where: number
  /** The client disconnects after this many bytes. */
  readonly leavesAfter: number | undefined
  /** The client pauses after each chunk. */
  readonly isSlow: boolean
}

export function makeLoopbackPlan(n: number, random: Random): LoopbackPlan {
  const plan = makePlan(n, random, { hasTools: false, faultRate: 0, storesResponses: false })
  const plain = { plan: { ...plan, form: 'streamed' } as const, isSlow: random.chance(0.2) }
  // A hanging upstream is only released when its client leaves, so that client leaves at the first byte.
  if (random.chance(0.05)) return { ...plain, behaviour: 'hangs', where: 0.5, leavesAfter: 0 }
  return {
    ...plain,
    behaviour: random.pick([
      'plainly',
      'plainly',
      'plainly',
      'slowly',
      'slowly',
      'stalls',
      'resets',
      'ends early',
    ]),
    // Never so late that the answer is already complete.
    where: random.next() * 0.6,
    leavesAfter: random.chance(0.1) ? random.below(3_000) : undefined,
  }
}
