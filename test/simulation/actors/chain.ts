/** A client of Responses that continues its own stored answers, at whichever gateway takes its request. */
import { makePlan } from '../../support/soak/plan.ts'
import type { Actor } from '../contract.ts'
import type { Played } from '../play-exchange.ts'
import { playExchange } from '../play-exchange.ts'
import { pickUpstream } from './stored.ts'

export const chainActor: Actor = {
  name: 'chain',
  weight: 4,
  async play(world, random) {
    const { settings } = world
    const upstream = pickUpstream(world, random)
    const fixed = { client: 'responses', upstream, stores: true, owner: random.below(5) } as const
    let last: Played | undefined
    for (let length = random.between(2, 4); length > 0; length--) {
      const plan = makePlan(world.nextNumber(), random, settings, fixed)
      const { exchange, answer } = last ?? {}
      const continues =
        exchange !== undefined && answer !== undefined ? { from: exchange, answer } : undefined
      const played = await playExchange(world, plan, { ...(continues !== undefined && { continues }) })
      // A client whose request failed sends it again, as the next after the same response.
      if (played.ending === 'good') last = played
      await world.pause(random.below(3_000))
    }
  },
}
