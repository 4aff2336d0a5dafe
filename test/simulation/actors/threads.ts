/** A client of Messages with a thread: it sends only what is new, sometimes twice at once, and each answer is continued once. */
import { wires } from '../../support/faults/wires.ts'
import { promptOf } from '../../support/soak/bodies.ts'
import type { Plan } from '../../support/soak/plan.ts'
import { makePlan } from '../../support/soak/plan.ts'
import type { Random } from '../../support/soak/random.ts'
import type { ReadAnswer } from '../../support/soak/reader.ts'
import type { Actor, World } from '../contract.ts'
import type { Played } from '../play-exchange.ts'
import { playExchange } from '../play-exchange.ts'

export const threadActor: Actor = {
  name: 'thread',
  weight: 3,
  async play(world, random) {
    const upstream = wires[random.below(wires.length)] ?? 'chat'
    const fixed = { client: 'messages', upstream, owner: random.below(5), stores: false } as const
    const plan = (): Plan => makePlan(world.nextNumber(), random, world.settings, fixed)
    let last = await playExchange(world, plan(), { more: { thread: { type: 'create' } } })
    for (let turns = random.between(1, 3); turns > 0 && last.ending === 'good'; turns--) {
      await world.pause(random.below(2_000))
      const rivals = Array.from({ length: random.chance(0.3) ? 2 : 1 }, plan)
      const played = await Promise.all(rivals.map(rival => goOn(world, rival, last)))
      const good = played.filter(({ ending }) => ending === 'good')
      if (good.length > 1) world.report(`an answer of exchange ${last.exchange.plan.n} was continued twice`)
      world.count(`thread ${good.length} of ${rivals.length}`)
      const [next] = good
      if (next === undefined) return
      await repeat(world, random, plan(), last)
      last = next
    }
  },
}

function goOn(world: World, plan: Plan, { exchange, answer }: Played): Promise<Played> {
  if (answer === undefined) throw new Error('There is an answer.')
  return playExchange(world, plan, {
    continues: { from: exchange, answer },
    more: {
      thread: { type: 'continue', previous_message_id: answer.responseId },
      messages: [{ role: 'user', content: contentOf(plan, answer) }],
    },
  })
}

function contentOf(plan: Plan, { calls }: ReadAnswer): object[] {
  const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: `done ${id}` }))
  return [...results, { type: 'text', text: promptOf(plan) }]
}

/** Once continued, an answer cannot be continued again. */
async function repeat(world: World, random: Random, plan: Plan, last: Played): Promise<void> {
  if (!random.chance(0.3)) return
  const { ending } = await goOn(world, plan, last)
  if (ending === 'good') world.report(`an answer of exchange ${last.exchange.plan.n} was continued again`)
  world.count('thread repeated')
}
