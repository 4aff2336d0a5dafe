/**
 * A client that lets a response be worked on in the background: it polls, listens again from where it was, cancels or
 * deletes. The events that it hears twice are the same, and none is missing between those that it hears.
 */

import { eventsOf } from '../../support/faults/wires.ts'
import { ownJson } from '../../support/soak/json-work.ts'
import { makePlan } from '../../support/soak/plan.ts'
import type { Random } from '../../support/soak/random.ts'
import type { Process } from '../cluster.ts'
import type { Actor, World } from '../contract.ts'
import type { Entry } from '../ledger.ts'
import { terminal } from '../ledger.ts'
import type { Received } from '../network.ts'
import { isUnavailable } from '../network.ts'
import { playExchange } from '../play-exchange.ts'
import { ask, cancel, erase, pickUpstream, reread } from './stored.ts'

/** Events by their number. */
type Heard = Map<number, string>

export const backgroundActor: Actor = {
  name: 'background',
  weight: 4,
  async play(world, random) {
    const { settings } = world
    const upstream = pickUpstream(world, random)
    const form = random.pick(['background', 'background stream', 'background stream'])
    const fixed = { client: 'responses', upstream, stores: true, form } as const
    const plan = makePlan(world.nextNumber(), random, settings, fixed)
    // Most listeners leave, and come back.
    const behaviour = form === 'background stream' && random.chance(0.6) ? 'leaves' : plan.behaviour
    const leavesAfter = random.below(4_000)
    const { entry, received } = await playExchange(world, { ...plan, behaviour, leavesAfter })
    if (entry === undefined || received === undefined) return
    const heard: Heard = new Map()
    if (form === 'background stream') hear(world, entry, heard, received, 0)
    await follow(world, random, entry, received.process, heard)
  },
}

/** Until it has ended, is deleted, or has had more than enough time. */
async function follow(
  world: World,
  random: Random,
  entry: Entry,
  runner: Process,
  heard: Heard,
): Promise<void> {
  for (let polls = 0; polls < 60; polls++) {
    await world.pause(random.between(100, 3_000 + polls * 300))
    const act = random.next()
    if (act < 0.06) {
      await erase(world, entry, { random })
      return
    }
    const status = await (act < 0.14 ? cancel : reread)(world, entry, { random })
    if (act > 0.5 && heard.size > 0) await resume(world, random, entry, runner, heard)
    if (status !== undefined && terminal.has(status)) return
  }
}

async function resume(
  world: World,
  random: Random,
  entry: Entry,
  preferred: Process,
  heard: Heard,
): Promise<void> {
  const from = random.chance(0.5) ? Math.max(...heard.keys()) : random.below(Math.max(...heard.keys()) + 1)
  const query = `?stream=true&starting_after=${from}`
  const received = await ask(world, 'get', entry, { random, preferred, query })
  if (received === undefined || received.how !== 'whole') return
  world.count(`resume ${received.status}`)
  if (received.status === 200) hear(world, entry, heard, received, from + 1)
  else if (
    !isUnavailable(received) &&
    !/events_gone|not found|store_unavailable|shutting_down/.test(received.text)
  )
    world.report(`resuming ${entry.id} was answered with ${received.status} ${received.text}`)
}

/** Compares the events with those heard before. */
function hear(world: World, entry: Entry, heard: Heard, received: Received, first: number): void {
  const { text, startedAt } = received
  let next = first
  const events = eventsOf(text.slice(0, text.lastIndexOf('\n\n') + 2))
  for (const [at, { data, event }] of events.entries()) {
    // A listener that is sent away gets an error of its own, with nothing after it.
    const isAway = event === 'error' && at === events.length - 1
    if (data === '[DONE]' || isAway) continue
    const {
      sequence_number: number,
      type,
      response,
    } = ownJson.parse(data) as {
      sequence_number: number
      type: string
      response?: Record<string, unknown>
    }
    if (number !== next) world.report(`${entry.id}: event ${number} came in place of ${next}`)
    next = number + 1
    const before = heard.get(number)
    if (before !== undefined && before !== data) world.report(`${entry.id}: event ${number} has changed`)
    heard.set(number, data)
    if (response === undefined || !/^response\.(completed|failed|incomplete)$/.test(type)) continue
    // Streams have no other end for what was cancelled.
    const isCancelled = type === 'response.failed' && data.includes('The response was cancelled.')
    world.ledger.judgeBody(entry, isCancelled ? { ...response, status: 'cancelled' } : response, startedAt)
  }
}
