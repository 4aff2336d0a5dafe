/** A store whose operations fail, stall, find the disk full, or are lost with the process that called them. */
import type { Random } from '../../support/soak/random.ts'
import type { Fault, World } from '../contract.ts'
import type { Disturbance, Operation } from '../shared-store.ts'

function disturb(world: World, interceptor: (operation: Operation) => Disturbance | undefined): void {
  world.store.intercept(operation => (world.isTroubled ? interceptor(operation) : undefined))
}

/** Numbers of operations, among as many as there usually are. */
function someOf(random: Random, most: number): ReadonlySet<number> {
  return new Set(Array.from({ length: random.below(most + 1) }, () => random.between(1, 150)))
}

export const storeFails: Fault = {
  name: 'the store fails',
  begin(world, random) {
    const chosen = someOf(random, 6)
    const code = random.pick(['unavailable', 'busy'])
    disturb(world, ({ number }) => (chosen.has(number) ? { kind: 'fails', code } : undefined))
  },
}

export const storeStalls: Fault = {
  name: 'the store stalls',
  begin(world, random) {
    const chosen = someOf(random, 3)
    disturb(world, ({ number }) =>
      chosen.has(number)
        ? {
            kind: 'stalls',
            milliseconds: random.chance(0.3) ? Number.POSITIVE_INFINITY : random.between(1_000, 40_000),
            isDone: random.chance(0.5),
          }
        : undefined,
    )
  },
}

/** For a while nothing more can be written; reading and deleting go on. */
export const storeFull: Fault = {
  name: 'the store is full',
  begin(world, random) {
    if (random.chance(0.7)) return
    const from = random.below(world.settings.spreadMs)
    const until = from + random.between(1_000, 45_000)
    disturb(world, ({ name, isWrite }) => {
      const now = world.clock.now()
      const isRefused = isWrite && !name.startsWith('delete')
      return isRefused && now >= from && now < until ? { kind: 'fails', code: 'unavailable' } : undefined
    })
  },
}

export const storeLost: Fault = {
  name: 'an operation is lost with its process',
  begin(world, random) {
    const chosen = someOf(random, 3)
    disturb(world, ({ number }) =>
      chosen.has(number) ? { kind: 'is lost', isDone: random.chance(0.5) } : undefined,
    )
  },
}
