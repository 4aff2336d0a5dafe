/**
 * Two thousand streamed exchanges over real sockets, two hundred at a time, with an upstream that misbehaves by seed:
 * nothing is lost, and nothing is left over. `SOAK_SEED=7 npx vitest run test/gateway/soak/loopback.test.ts` replays.
 */
import { Agent } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createNodeServer } from '../../../packages/toolwire/src/gateway/http/node-server.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { wires } from '../../support/faults/wires.ts'
import { close, listen } from '../../support/gateway/upstream.ts'
import { connectionsOf, heapInUse, moreThan, resources, turnsUntil } from '../../support/soak/leaks.ts'
import { checkReceived } from '../../support/soak/loopback-check.ts'
import { sendOverLoopback } from '../../support/soak/loopback-client.ts'
import type { LoopbackPlan } from '../../support/soak/loopback-plan.ts'
import { makeLoopbackPlan } from '../../support/soak/loopback-plan.ts'
import type { LoopbackUpstream } from '../../support/soak/loopback-upstream.ts'
import { startLoopbackUpstream } from '../../support/soak/loopback-upstream.ts'
import { createRandom } from '../../support/soak/random.ts'

const seed = Number(process.env.SOAK_SEED ?? 1)
const exchanges = 2_001
const atOnce = 200
/** Stalled answers are let go on when there are more. */
const mostStalled = 20
/** Over two thirds of all exchanges; a leak of 3 KiB in each of them is more. */
const mostGrowth = 4 * 1024 * 1024

/** It ends by itself, much sooner; a machine that is busy with other tests may need longer. */
const patienceMs = 180_000

interface Tally {
  readonly wrong: string[]
  readonly seen: Set<string>
  mostActive: number
}

/** Sends all, always so many at a time, and resolves when the last has ended. */
function sendAll(
  plans: readonly LoopbackPlan[],
  send: (plan: LoopbackPlan) => Promise<void>,
  onLast: () => void,
): Promise<void> {
  const waiting = plans.values()
  const worker = async (): Promise<void> => {
    for (const plan of waiting) await send(plan)
    onLast()
  }
  return Promise.all(Array.from({ length: atOnce }, worker)).then(() => {})
}

function gatewayOver({ baseUrl }: LoopbackUpstream): Gateway {
  return createGateway({
    upstreams: wires.map(
      (wire): Upstream => ({ name: wire, wire, baseUrl, models: [`${wire}-*`], retries: 0 }),
    ),
    store: createMemoryStore({ maxRecords: 50 }),
  })
}

test(
  'Thousands of streams over real sockets lose nothing and leave nothing behind.',
  async () => {
    const again = `Again: SOAK_SEED=${seed}`
    const before = resources()
    const random = createRandom(seed)
    const planOf = (n: number): LoopbackPlan => makeLoopbackPlan(n, random.fork(n))
    // Once no more requests come, nobody else would let the stalled ones go on.
    let isLast = false
    const upstream = await startLoopbackUpstream(planOf, () => {
      if (isLast || upstream.stalled > mostStalled) upstream.release()
    })
    const gateway = gatewayOver(upstream)
    const server = createNodeServer(gateway)
    await listen(server)
    const { port } = server.address() as AddressInfo
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
    const tally: Tally = { wrong: [], seen: new Set(), mostActive: 0 }

    const send = async (plan: LoopbackPlan): Promise<void> => {
      const received = await sendOverLoopback(port, agent, plan)
      tally.mostActive = Math.max(tally.mostActive, gateway.active)
      tally.seen.add(received.how === 'left' && plan.behaviour !== 'hangs' ? 'left' : plan.behaviour)
      tally.wrong.push(...checkReceived(plan, received))
    }
    const sendThird = async (third: number): Promise<number> => {
      isLast = false
      const length = exchanges / 3
      const plans = Array.from({ length }, (_, i) => planOf(third * length + i))
      await sendAll(plans, send, () => {
        isLast = true
        upstream.release()
      })
      await turnsUntil(() => upstream.open === 0 && gateway.active === 0)
      expect({ open: upstream.open, active: gateway.active }, again).toEqual({ open: 0, active: 0 })
      return heapInUse()
    }

    const first = await sendThird(0)
    await sendThird(1)
    const last = await sendThird(2)
    expect(tally.wrong, again).toEqual([])
    expect(last - first, again).toBeLessThan(mostGrowth)
    expect(tally.mostActive).toBeGreaterThan(atOnce / 2)
    expect([...tally.seen].sort()).toEqual([
      'ends early',
      'hangs',
      'left',
      'plainly',
      'resets',
      'slowly',
      'stalls',
    ])

    // Only connections that are kept for the next request; nobody has more than there were requests at a time.
    expect(await connectionsOf(upstream.server)).toBeLessThanOrEqual(atOnce)
    await gateway.close()
    await turnsUntil(async () => (await connectionsOf(upstream.server)) === 0)
    expect(await connectionsOf(upstream.server), again).toBe(0)
    agent.destroy()
    await turnsUntil(async () => (await connectionsOf(server)) === 0)
    expect(await connectionsOf(server), again).toBe(0)
    await Promise.all([close(server), close(upstream.server)])
    await turnsUntil(() => moreThan(before).length === 0)
    expect(moreThan(before), again).toEqual([])
  },
  patienceMs,
)
