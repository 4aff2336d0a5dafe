/** Nothing is done twice: no call of a tool, and no turn of a model beyond those that failed before their first byte. */
import type { Check } from '../contract.ts'

export const onceOnly: Check = {
  name: 'once only',
  atEnd(world) {
    for (const [token, runs] of world.toolRuns)
      if (runs > 1) world.report(`the call ${token} was run ${runs} times`)
    for (const { plan, begun, attempts } of world.exchanges.values()) {
      if (begun > plan.turns.length) world.report(`exchange ${plan.n} requested ${begun} turns`)
      if (attempts > plan.turns.length + plan.failures.length)
        world.report(`exchange ${plan.n} made ${attempts} requests to its upstream`)
    }
  },
}
