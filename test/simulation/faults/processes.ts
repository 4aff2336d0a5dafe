/** Gateways that are killed at any of their awaits, or stopped in good order. */
import type { Random } from '../../support/soak/random.ts'
import type { Process } from '../cluster.ts'
import type { Fault, World } from '../contract.ts'

function at(world: World, random: Random, count: number, act: (process: Process) => void): void {
  for (let n = 0; n < count; n++) {
    world.clock.after(random.below(world.settings.spreadMs), () => {
      const process = world.cluster.pick(random)
      if (process !== undefined && world.isTroubled) act(process)
    })
  }
}

export const killFault: Fault = {
  name: 'kill',
  begin(world, random) {
    at(world, random, random.below(5), process =>
      process.gate.after(random.between(1, 60), random.below(30), () => {
        if (world.isTroubled) world.cluster.kill(process, 'at a crossing')
      }),
    )
  },
}

export const drainFault: Fault = {
  name: 'drain',
  begin(world, random) {
    if (random.chance(0.3)) at(world, random, 1, process => void world.cluster.drain(process))
  },
}
