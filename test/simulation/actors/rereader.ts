/** A client that reads responses again that it or others with its key have got. */
import type { Actor } from '../contract.ts'
import { ask, reread } from './stored.ts'

export const rereaderActor: Actor = {
  name: 'rereader',
  weight: 2,
  async play(world, random) {
    for (let times = 4; times > 0; times--) {
      const entry = world.ledger.pick(random, () => true)
      if (entry !== undefined && random.chance(0.2)) await ask(world, 'input_items', entry, { random })
      else if (entry !== undefined) await reread(world, entry, { random })
      await world.pause(random.below(8_000))
    }
  },
}
