/** A client that deletes its responses, and then finds them gone at every gateway. */
import { isBackground } from '../../support/soak/plan.ts'
import type { Actor } from '../contract.ts'
import { erase, reread } from './stored.ts'

export const eraserActor: Actor = {
  name: 'eraser',
  weight: 1,
  async play(world, random) {
    for (let times = 2; times > 0; times--) {
      const entry = world.ledger.pick(
        random,
        ({ exchange, final }) => !isBackground(exchange.plan) && final?.status === 'completed',
      )
      if (entry !== undefined) {
        await erase(world, entry, { random })
        await reread(world, entry, { random })
      }
      await world.pause(random.below(10_000))
    }
  },
}
