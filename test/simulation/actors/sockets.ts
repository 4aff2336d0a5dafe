/** A client on a WebSocket: chains of responses on two lanes, stored or remembered by the connection alone. */
import { makePlan } from '../../support/soak/plan.ts'
import type { Random } from '../../support/soak/random.ts'
import type { Actor, World } from '../contract.ts'
import type { Played } from '../play-exchange.ts'
import { playExchange } from '../play-exchange.ts'
import { SimulatedSocket } from '../socket.ts'
import { pickUpstream } from './stored.ts'

export const socketActor: Actor = {
  name: 'socket',
  weight: 4,
  async play(world, random) {
    const owner = random.below(5)
    const socket = await SimulatedSocket.open(world, owner, random)
    if (socket === undefined) return
    const lanes = random.chance(0.5) ? ['a', 'b'] : ['a']
    await Promise.all(
      lanes.map(lane => playChain(world, random.fork(lane === 'a' ? 1 : 2), socket, { lane, owner })),
    )
    socket.disconnect()
  },
}

async function playChain(
  world: World,
  random: Random,
  socket: SimulatedSocket,
  { lane, owner }: { readonly lane: string; readonly owner: number },
): Promise<void> {
  const stores = random.chance(0.5)
  const fixed = {
    client: 'responses',
    form: 'streamed',
    upstream: pickUpstream(world, random),
    stores,
    owner,
  } as const
  let last: Played | undefined
  for (let length = random.between(2, 4); length > 0 && !socket.isClosed; length--) {
    const plan = makePlan(world.nextNumber(), random, world.settings, fixed)
    const { exchange, answer } = last ?? {}
    const continues = exchange !== undefined && answer !== undefined ? { from: exchange, answer } : undefined
    const played = await playExchange(world, plan, {
      ...(continues !== undefined && { continues }),
      via: call => socket.ask(lane, call),
    })
    // What a failed turn continued is forgotten, unless it is stored.
    if (played.ending === 'good') last = played
    else if (!stores) last = undefined
    world.count(`socket ${played.ending}`)
    await world.pause(random.below(3_000))
  }
}
