/** A client that uses ids of other owners: for it they do not exist. */
import { makePlan } from '../../support/soak/plan.ts'
import type { Random } from '../../support/soak/random.ts'
import type { Actor, World } from '../contract.ts'
import { createExchangeState } from '../exchange-state.ts'
import type { Entry } from '../ledger.ts'
import type { Received } from '../network.ts'
import { send } from '../network.ts'
import { ask } from './stored.ts'

const verbs = ['get', 'delete', 'cancel', 'input_items', 'resume', 'continue', 'refer'] as const

export const strangerActor: Actor = {
  name: 'stranger',
  weight: 2,
  async play(world, random) {
    for (let times = 4; times > 0; times--) {
      const entry = world.ledger.pick(random, () => true)
      if (entry !== undefined) await intrude(world, entry, random)
      await world.pause(random.below(8_000))
    }
  },
}

async function intrude(world: World, entry: Entry, random: Random): Promise<void> {
  const owner = entry.exchange.plan.owner + 1
  const verb = random.pick(verbs)
  const received =
    verb === 'continue' || verb === 'refer'
      ? await useId(world, verb, entry, owner, random)
      : verb === 'resume'
        ? await ask(world, 'get', entry, { random, owner, query: '?stream=true' })
        : await ask(world, verb, entry, { random, owner })
  if (received?.how !== 'whole' || received.status === 503) return
  if (!/not found/.test(received.text))
    world.report(
      `${entry.id}: ${verb} by another owner was answered with ${received.status} ${received.text}`,
    )
}

async function useId(
  world: World,
  verb: 'continue' | 'refer',
  { id }: Entry,
  owner: number,
  random: Random,
): Promise<Received | undefined> {
  const plan = makePlan(world.nextNumber(), random, world.settings, { client: 'responses', upstream: 'chat' })
  const exchange = createExchangeState({ ...plan, owner })
  world.exchanges.set(plan.n, exchange)
  const body = {
    model: `chat-${plan.n}`,
    ...(verb === 'continue'
      ? { previous_response_id: id, input: 'Go on.' }
      : { input: [{ type: 'item_reference', id: world.store.peek(id)?.output[0]?.id ?? 'msg_none' }] }),
  }
  const target = '/v1/responses'
  const received = await send(world, {
    name: `${verb} ${id} by ${owner}`,
    owner,
    method: 'POST',
    target,
    body,
    random,
  })
  if (exchange.flows.length > 0) world.report(`${id}: the upstream was asked to ${verb} it for another owner`)
  return received
}
