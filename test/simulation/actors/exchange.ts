/** A client of any wire that sends one request to a model of any wire. */
import { makePlan } from '../../support/soak/plan.ts'
import type { Actor } from '../contract.ts'
import { playExchange } from '../play-exchange.ts'

export const exchangeActor: Actor = {
  name: 'exchange',
  weight: 14,
  async play(world, random) {
    await playExchange(world, makePlan(world.nextNumber(), random, world.settings))
  },
}
