/** The gateways of a simulation, each in a process that can be killed or stopped, and is then started again. */
import { createGateway, type Gateway } from '../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Upstream } from '../../packages/toolwire/src/gateway/settings.ts'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { wires } from '../support/faults/wires.ts'
import { keyOf } from '../support/soak/bodies.ts'
import type { SimulationClock, TimerGroup } from '../support/soak/clock.ts'
import type { Random } from '../support/soak/random.ts'
import type { World } from './contract.ts'
import type { Gate, SimulatedTool } from './gate.ts'
import { createGate, gateClock, gateTool, gateTransport } from './gate.ts'
import type { StoreUser } from './shared-store.ts'
import { createTransport } from './upstreams.ts'

export interface Process extends StoreUser {
  readonly gateway: Gateway
  readonly timers: TimerGroup
  readonly store: Store
  /** It is being stopped in good order, and takes no new connections. */
  isStopping: boolean
}

export interface Cluster {
  /** Those that live, stopping ones included. */
  readonly processes: readonly Process[]
  /** One that takes connections, the preferred one if it can. */
  pick(random: Random, preferred?: Process): Process | undefined
  kill(process: Process, why: string): void
  /** Stops it in good order. */
  drain(process: Process): Promise<void>
}

export const timeouts = {
  connectMs: 5_000,
  firstByteMs: 20_000,
  idleMs: 30_000,
  pingMs: 60_000,
  totalMs: 400_000,
}
/** One more than those that own something: a stranger is the next. */
const owners = [0, 1, 2, 3, 4, 5]
const drainMs = 15_000
/** Up to three consecutive timeouts of a store that does not answer. */
const storesMs = 30_000

export interface ClusterOptions {
  readonly time: SimulationClock
  readonly random: Random
  readonly tools: readonly SimulatedTool[]
}

export function createCluster(world: World, { time, random, tools }: ClusterOptions): Cluster {
  const processes = new Map<number, Process>()
  let ids = 0
  let lives = 0

  const start = (slot: number): void => {
    const gate = createGate()
    const timers = time.group()
    const user: StoreUser = {
      name: `g${slot}.${++lives}`,
      gate,
      kill: why => cluster.kill(process, why),
    }
    const store = world.store.open(user)
    const process: Process = {
      ...user,
      timers,
      store,
      isStopping: false,
      gateway: createGateway({
        upstreams: upstreamsOf(world, gate),
        store,
        ttlMs: world.settings.ttlMs,
        // One of chance would make every world another.
        sealKeys: ['the seal of all simulated gateways'],
        ...(world.settings.hasKeys && { keys: owners.map(keyOf) }),
        clock: gateClock(gate, timers),
        random: random.fork(lives).next,
        newId: prefix => `${prefix}${++ids}`,
        heartbeatMs: 5_000,
        toolTimeoutMs: 10_000,
        limits: { clientStallMs: 60_000, memoryBytes: world.settings.memoryBytes },
        ...(world.settings.hasTools && { tools: tools.map(tool => gateTool(gate, tool)) }),
      }),
    }
    processes.set(slot, process)
    world.note(`start ${user.name}`)
  }
  const replace = (process: Process): void => {
    for (const [slot, found] of processes) {
      if (found !== process) continue
      processes.delete(slot)
      world.clock.after(random.between(10, 5_000), () => start(slot))
    }
  }

  const cluster: Cluster = {
    get processes() {
      return [...processes.values()]
    },
    pick(chance, preferred) {
      if (preferred?.gate.isOpen && !preferred.isStopping) return preferred
      const [first, ...rest] = cluster.processes.filter(({ isStopping }) => !isStopping)
      return first === undefined ? undefined : chance.pick([first, ...rest])
    },
    kill(process, why) {
      if (!process.gate.isOpen) return
      world.note(`kill ${process.name} ${why}`)
      world.count('kill')
      process.gate.close()
      replace(process)
    },
    async drain(process) {
      if (process.isStopping) return
      process.isStopping = true
      const begun = world.clock.now()
      world.note(`drain ${process.name}`)
      world.count('drain')
      await process.gate.guard(process.gateway.drain(drainMs))
      await process.gate.guard(process.gateway.close())
      const took = world.clock.now() - begun
      if (took > drainMs + storesMs) world.report(`stopping ${process.name} took ${took} ms`)
      process.gate.close()
      await world.store.leave(process)
      replace(process)
    },
  }
  for (let slot = 0; slot < world.settings.gateways; slot++) start(slot)
  return cluster
}

function upstreamsOf(world: World, gate: Gate): Upstream[] {
  return wires.map(wire => ({
    name: wire,
    wire,
    baseUrl: `http://${wire}.test/v1`,
    models: [`${wire}-*`],
    timeouts,
    transport: gateTransport(gate, createTransport(wire, world)),
    ...(world.settings.storesResponses && { state: 'gateway' as const }),
  }))
}
