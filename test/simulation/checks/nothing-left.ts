/** When all has ended, nothing runs, waits or listens any more, and every response has a final status. */
import { describePlan } from '../../support/soak/plan.ts'
import type { Check } from '../contract.ts'

export const nothingLeft: Check = {
  name: 'nothing left',
  atEnd(world) {
    for (const { plan, flows } of world.exchanges.values()) {
      if (flows.some(({ how }) => how === 'open'))
        world.report(`${describePlan(plan)}: a request to the upstream is left open`)
    }
    for (const { name, gateway, timers } of world.cluster.processes) {
      if (gateway.active !== 0) world.report(`${name} still answers ${gateway.active} requests`)
      if (gateway.sockets !== 0) world.report(`${name} still has ${gateway.sockets} sockets`)
      const { memoryUsed } = gateway
      if (memoryUsed !== 0) world.report(`${memoryUsed} bytes of the memory of ${name} were not given back`)
      if (timers.waiting !== 0) world.report(`${timers.waiting} timers of ${name} still wait`)
    }
  },
}
