/** A client that uses ids of other owners: for it they do not exist. */
import { ownJson } from '../../support/soak/json-work.ts'
import { makePlan } from '../../support/soak/plan.ts'
import type { Random } from '../../support/soak/random.ts'
import type { Actor, World } from '../contract.ts'
import { createExchangeState } from '../exchange-state.ts'
import type { Entry } from '../ledger.ts'
import type { Received } from '../network.ts'
import { isUnavailable, send } from '../network.ts'
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
  if (received?.how !== 'whole' || isUnavailable(received)) return
  if (!/not found/.test(received.text))
    world.report(
      `${entry.id}: ${verb} by another owner was answered with ${received.status} ${received.text}`,
    )
}

/** Sends a request with the id to a model; no upstream may get it. */
async function useId(
  world: World,
  verb: 'continue' | 'refer',
  { id }: Pick<Entry, 'id'>,
  owner: number,
  random: Random,
): Promise<Received | undefined> {
  const item = world.store.peek(id)?.output[0]?.id ?? id.replace('resp_', 'msg_')
  const reference =
    verb === 'continue'
      ? { previous_response_id: id, input: 'Go on.' }
      : { input: [{ type: 'item_reference', id: item }] }
  return sendForeign(world, `${verb} ${id}`, reference, { upstream: 'chat', owner, random })
}

interface Foreign {
  readonly upstream: 'chat' | 'responses'
  readonly owner: number
  readonly random: Random
}

async function sendForeign(
  world: World,
  what: string,
  reference: object,
  { upstream, owner, random }: Foreign,
): Promise<Received | undefined> {
  const plan = makePlan(world.nextNumber(), random, world.settings, { client: 'responses', upstream, owner })
  const exchange = createExchangeState(plan)
  world.exchanges.set(plan.n, exchange)
  const received = await send(world, {
    name: `${what} by ${owner}`,
    owner,
    method: 'POST',
    target: '/v1/responses',
    body: { model: `${upstream}-${plan.n}`, ...reference },
    random,
  })
  if (exchange.flows.length > 0) world.report(`the upstream was asked to ${what} for another owner`)
  return received
}

/** With several keys, what an upstream holds has owners too. */
export const heldIdsActor: Actor = {
  name: 'held ids',
  weight: 1,
  async play(world, random) {
    for (let times = 4; times > 0 && world.settings.hasKeys; times--) {
      const [first, ...rest] = world.heldIds
      if (first !== undefined) {
        const { id, owner } = random.pick([first, ...rest])
        const reference = random.pick([
          { previous_response_id: id, input: 'Go on.' },
          { input: [{ type: 'item_reference', id: id.replace('resp_', 'msg_') }] },
        ])
        const what = `use ${ownJson.stringify(reference)}`
        const options = { upstream: 'responses', owner: owner + 1, random } as const
        const received = await sendForeign(world, what, reference, options)
        world.count('held id tried')
        if (received?.how === 'whole' && !isUnavailable(received) && !/not found/.test(received.text))
          world.report(`${what} by another owner was answered with ${received.status} ${received.text}`)
      }
      await world.pause(random.below(8_000))
    }
  },
}
