/**
 * A client with a conversation: it appends items, has responses made in it, deletes items and lists them. What was
 * acknowledged is in the list, once and in order; what failed is not.
 */

import { promptOf } from '../../support/soak/bodies.ts'
import { ownJson } from '../../support/soak/json-work.ts'
import { makePlan } from '../../support/soak/plan.ts'
import type { Random } from '../../support/soak/random.ts'
import type { Actor, World } from '../contract.ts'
import type { Received } from '../network.ts'
import { isUnavailable, send } from '../network.ts'
import { playExchange } from '../play-exchange.ts'

interface State {
  readonly id: string
  readonly owner: number
  /** Marks of what the list must have, in this order. */
  readonly must: string[]
  /** Marks of what it may have, as nobody was told whether it was stored. */
  readonly may: Set<string>
}

export const conversationActor: Actor = {
  name: 'conversation',
  weight: 3,
  async play(world, random) {
    const owner = random.below(5)
    const created = await request(world, random, owner, 'POST', '/v1/conversations', { items: [] })
    if (created?.status !== 200 || created.how !== 'whole') return
    const { id } = ownJson.parse(created.text) as { id: string }
    const state: State = { id, owner, must: [], may: new Set() }
    for (let steps = random.between(2, 5); steps > 0; steps--) {
      const step = random.pick([respond, respond, append, remove])
      await step(world, random, state)
      await world.pause(random.below(2_000))
      await list(world, random, state)
    }
  },
}

function request(
  world: World,
  random: Random,
  owner: number,
  method: 'GET' | 'POST' | 'DELETE',
  target: string,
  body?: object,
): Promise<Received | undefined> {
  const name = `${method} ${target} by ${owner}`
  return send(world, { name, owner, method, target, random, ...(body !== undefined && { body }) })
}

/** A mark of its own for each text, which stands in the list as often as the text does. */
async function respond(world: World, random: Random, state: State): Promise<void> {
  const upstream = random.pick(['chat', 'messages'])
  const { owner } = state
  const fixed = { client: 'responses', upstream, stores: true, owner } as const
  const plan = { ...makePlan(world.nextNumber(), random, world.settings, fixed) }
  const [last] = plan.turns.slice(-1)
  const turns =
    last === undefined || last.calls.length > 0
      ? [{ text: `[@${owner}.${plan.n}@0]`, calls: [] }]
      : plan.turns
  const fault = plan.fault === undefined ? undefined : { ...plan.fault, turn: 0 }
  const { ending, received } = await playExchange(
    world,
    { ...plan, turns, fault },
    { more: { conversation: state.id } },
  )
  if (ending === 'good') state.must.push(promptOf(plan))
  else if (received !== undefined && (ending === 'left' || world.tally.has('store stalls')))
    state.may.add(promptOf(plan))
}

async function append(world: World, random: Random, state: State): Promise<void> {
  const text = promptOf({ owner: state.owner, n: world.nextNumber() })
  const items = [{ type: 'message', role: 'user', content: text }]
  const target = `/v1/conversations/${state.id}/items`
  const received = await request(world, random, state.owner, 'POST', target, { items })
  if (received === undefined) return
  if (received.how === 'whole' && received.status === 200) state.must.push(text)
  else state.may.add(text)
}

async function remove(world: World, random: Random, state: State): Promise<void> {
  const page = await request(world, random, state.owner, 'GET', itemsOf(state))
  if (page?.status !== 200 || page.how !== 'whole') return
  const { data } = ownJson.parse(page.text) as { data: { id: string; content?: unknown }[] }
  const [first] = data
  const mark = state.must.find(text => ownJson.stringify(first?.content ?? '').includes(text))
  if (first === undefined || mark === undefined) return
  state.must.splice(state.must.indexOf(mark), 1)
  state.may.add(mark)
  const target = `/v1/conversations/${state.id}/items/${first.id}`
  const received = await request(world, random, state.owner, 'DELETE', target)
  if (received?.how === 'whole' && received.status === 200) state.may.delete(mark)
}

const itemsOf = ({ id }: State): string => `/v1/conversations/${id}/items?order=asc&limit=100`

async function list(world: World, random: Random, state: State): Promise<void> {
  const received = await request(world, random, state.owner, 'GET', itemsOf(state))
  if (received?.how !== 'whole' || isUnavailable(received)) return
  if (received.status !== 200) {
    world.report(`listing ${state.id} was answered with ${received.status} ${received.text}`)
    return
  }
  const { data } = ownJson.parse(received.text) as { data: { role?: string; content?: unknown }[] }
  const asked = data.flatMap(({ role, content }) =>
    role === 'user'
      ? [...JSON.stringify(content).matchAll(/@\d+\.\d+@ How is the weather\?/g)].map(String)
      : [],
  )
  if (new Set(asked).size < asked.length) world.report(`${state.id} has an item twice: ${asked}`)
  const found = asked.filter(text => state.must.includes(text))
  if (found.join() !== state.must.join()) world.report(`${state.id} has ${found} in place of ${state.must}`)
  for (const text of asked)
    if (!state.must.includes(text) && !state.may.has(text))
      world.report(`${state.id} has ${text}, which failed`)
}
