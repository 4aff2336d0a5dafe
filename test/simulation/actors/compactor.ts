/** A client of Responses that has its conversation summarised and goes on from there, at whichever gateway takes it. */

import { isObject } from '@toolwire/core/json'
import { ownJson } from '../../support/soak/json-work.ts'
import { makePlan } from '../../support/soak/plan.ts'
import type { Random } from '../../support/soak/random.ts'
import type { Actor, World } from '../contract.ts'
import type { ExchangeState } from '../exchange-state.ts'
import { createExchangeState } from '../exchange-state.ts'
import type { Received } from '../network.ts'
import { send } from '../network.ts'

type Json = Readonly<Record<string, unknown>>

interface Asked {
  readonly exchange: ExchangeState
  readonly received: Received | undefined
}

export const compactorActor: Actor = {
  name: 'compactor',
  weight: 2,
  async play(world, random) {
    const owner = random.below(5)
    const input = [
      { role: 'user', content: `A question @${owner}.0@` },
      { role: 'assistant', content: `An answer @${owner}.0@` },
    ]
    const isWindow = random.chance(0.3)
    const asked = isWindow ? input : [...input, { type: 'compaction_trigger' }]
    const { exchange, received } = await ask(world, random, owner, asked, isWindow)
    const items = itemsOf(received)
    if (items === undefined) return
    world.count('compacted')
    const compactions = items.filter(({ type }) => type === 'compaction')
    if (compactions.length !== 1)
      world.report(`exchange ${exchange.plan.n}: ${compactions.length} compactions in ${received?.text}`)
    await world.pause(random.below(5_000))
    const next = [...items, { role: 'user', content: `Go on. @${owner}.0@` }]
    const own = await ask(world, random, owner, next, false)
    const isRead = own.exchange.received.map(history => ownJson.stringify(history).includes('so far:'))
    if (isRead.includes(false)) world.report(`exchange ${own.exchange.plan.n}: the summary was not read`)
    // Of another owner: whatever the upstream gets is searched for texts of others.
    const foreign = await ask(world, random, owner + 1, compactions, false)
    if (foreign.exchange.received.some(history => ownJson.stringify(history).includes('so far:')))
      world.report(`exchange ${foreign.exchange.plan.n}: the summary of another owner was read`)
  },
}

async function ask(
  world: World,
  random: Random,
  owner: number,
  input: readonly Json[],
  isWindow: boolean,
): Promise<Asked> {
  const upstream = random.pick(['chat', 'messages'] as const)
  const planned = makePlan(world.nextNumber(), random, world.settings, {
    client: 'responses',
    upstream,
    owner,
  })
  const [first] = planned.turns
  const plan = { ...planned, turns: first === undefined ? [] : [{ ...first, calls: [] }] }
  const exchange = createExchangeState(plan)
  world.exchanges.set(plan.n, exchange)
  const received = await send(world, {
    name: `compaction ${plan.n}`,
    owner,
    method: 'POST',
    target: isWindow ? '/v1/responses/compact' : '/v1/responses',
    body: { model: `${upstream}-${plan.n}`, input, store: false, stream: !isWindow && random.chance(0.5) },
    random,
  })
  return { exchange, received }
}

/** The items of an answer that is complete. */
function itemsOf(received: Received | undefined): readonly Json[] | undefined {
  if (received?.how !== 'whole' || received.status !== 200) return undefined
  const { text } = received
  const last = text.startsWith('{')
    ? text
    : text
        .split('\n')
        .findLast(line => line.startsWith('data: {"type":"response.completed"'))
        ?.slice(6)
  const value: unknown = last === undefined ? undefined : ownJson.parse(last)
  if (!isObject(value)) return undefined
  const response = isObject(value.response) ? value.response : value
  const { status = 'completed', output } = response
  return status === 'completed' && Array.isArray(output) ? (output as Json[]) : undefined
}
