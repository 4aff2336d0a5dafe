/** Clients that use several gateways as one: each request goes to any of them. */
import type { Random } from '../support/soak/random.ts'
import { type Entry, isWhole, marksOf, observe, textOf } from './history.ts'
import type { Member, Reply } from './members.ts'

export interface Stage {
  readonly members: readonly Member[]
  readonly entries: Entry[]
  readonly violations: string[]
  readonly counts: Record<string, number>
  /** A number that no question has yet. */
  nextNumber(): number
  isOver(): boolean
}

type Body = Record<string, unknown>

export async function useGateways(stage: Stage, random: Random): Promise<void> {
  while (!stage.isOver()) {
    const act = random.next()
    if (act < 0.3) await respond(stage, random, false)
    else if (act < 0.55) await respond(stage, random, true)
    else if (act < 0.7) await background(stage, random)
    else if (act < 0.85) await resumeElsewhere(stage, random)
    else if (act < 0.93) await cancel(stage, random)
    else await erase(stage, random)
  }
}

const anyOf = ({ members }: Stage, random: Random): Member => random.pick(members as [Member, ...Member[]])

const count = ({ counts }: Stage, what: string): void => {
  counts[what] = (counts[what] ?? 0) + 1
}

/** Statuses with which a gateway refuses while it or its store is in trouble. */
const isTrouble = ({ status }: Reply): boolean => status === 0 || status >= 500

interface Asked {
  readonly owner: number
  readonly mark: string
  readonly before: Entry | undefined
  readonly body: Body
}

function question(stage: Stage, random: Random, more: Body): Asked {
  const settled = stage.entries.filter(entry => entry.end?.status === 'completed' && isWhole(entry))
  const before = random.chance(0.6) ? settled[random.below(Math.max(1, settled.length))] : undefined
  const owner = before?.owner ?? random.below(4)
  const mark = `q${owner}-${stage.nextNumber()}`
  const previous = before === undefined ? {} : { previous_response_id: before.id }
  return { owner, mark, before, body: { model: 'm', input: `${mark} and so on`, ...previous, ...more } }
}

function entryOf({ owner, mark, before }: Asked, id: string, isAcknowledged: boolean): Entry {
  return { id, owner, mark, before, isAcknowledged, deletion: 'none' }
}

/** Whether there is an answer to look at. What is refused for no reason is a violation. */
function isAnswered(stage: Stage, { before, mark }: Asked, reply: Reply): boolean {
  if (reply.status === 200) return true
  // Another client may have deleted what this one continues.
  if (!isTrouble(reply) && (before === undefined || isWhole(before))) {
    stage.violations.push(`${mark} after ${before?.id}: ${reply.status} ${reply.text}`)
  }
  count(stage, 'refused or cut off')
  return false
}

async function respond(stage: Stage, random: Random, stream: boolean): Promise<void> {
  const asked = question(stage, random, { stream })
  const reply = await anyOf(stage, random).ask('/v1/responses', asked.owner, { body: asked.body })
  if (!isAnswered(stage, asked, reply)) return
  const ended = stream ? endOf(reply.text) : reply.isWhole ? (JSON.parse(reply.text) as Body) : undefined
  const id = String(ended?.id ?? idIn(reply.text))
  const entry = entryOf(asked, id, ended !== undefined)
  stage.entries.push(entry)
  if (ended !== undefined) stage.violations.push(...observe(entry, ended, undefined))
  if (stream) stage.violations.push(...faultsOf(entry, reply.text, 0))
  count(stage, stream ? 'streamed' : 'whole')
}

async function background(stage: Stage, random: Random): Promise<void> {
  const asked = question(stage, random, { background: true })
  const reply = await anyOf(stage, random).ask('/v1/responses', asked.owner, { body: asked.body })
  if (!isAnswered(stage, asked, reply) || !reply.isWhole) return
  const entry = entryOf(asked, String((JSON.parse(reply.text) as Body).id), true)
  stage.entries.push(entry)
  count(stage, 'background')
  if (random.chance(0.5)) await look(stage, random, entry)
}

async function look(stage: Stage, random: Random, entry: Entry): Promise<void> {
  const known = entry.end
  const found = await anyOf(stage, random).ask(`/v1/responses/${entry.id}`, entry.owner)
  if (found.status === 200 && found.isWhole) {
    stage.violations.push(...observe(entry, JSON.parse(found.text), known))
  } else if (found.status === 404 && entry.deletion === 'none')
    stage.violations.push(`${entry.id}: it is lost`)
}

/** Listens to the beginning of a background response at one gateway, and to the rest at another. */
async function resumeElsewhere(stage: Stage, random: Random): Promise<void> {
  const asked = question(stage, random, { background: true, stream: true })
  const most = random.between(1, 6)
  const first = await anyOf(stage, random).ask('/v1/responses', asked.owner, {
    body: asked.body,
    enough: text => eventsIn(text).length > most,
  })
  if (!isAnswered(stage, asked, first)) return
  const heard = eventsIn(first.text)
  if (heard.length === 0) return
  const entry = entryOf(asked, idIn(first.text), true)
  stage.entries.push(entry)
  stage.violations.push(...faultsOf(entry, first.text, 0))
  const path = `/v1/responses/${entry.id}?stream=true&starting_after=${heard.length - 1}`
  const known = entry.end
  const rest = await anyOf(stage, random).ask(path, entry.owner)
  count(stage, 'resumed elsewhere')
  if (rest.status !== 200) {
    // The events of a gateway that died at once may not have reached the store, but the response has.
    if (rest.status === 404 && entry.deletion === 'none')
      stage.violations.push(`${entry.id}: its events are lost with it`)
    return count(stage, 'not resumed')
  }
  stage.violations.push(...faultsOf(entry, rest.text, heard.length))
  const ended = endOf(rest.text)
  if (ended === undefined) return
  stage.violations.push(...observe(entry, ended, known))
  const deltas = [...heard, ...eventsIn(rest.text)].map(({ delta }) => delta ?? '').join('')
  if (ended.status === 'completed' && textOf(ended) !== deltas) {
    stage.violations.push(`${entry.id}: the events say ${deltas}, and the response ${textOf(ended)}`)
  }
}

async function cancel(stage: Stage, random: Random): Promise<void> {
  const open = stage.entries.filter(
    ({ end, isAcknowledged, deletion }) => !end && isAcknowledged && deletion === 'none',
  )
  // The latest are most likely under way, and some of them are listened to.
  const entry = open.at(-1 - random.below(Math.max(1, Math.min(4, open.length))))
  if (entry === undefined) return background(stage, random)
  const known = entry.end
  const reply = await anyOf(stage, random).ask(`/v1/responses/${entry.id}/cancel`, entry.owner, { body: {} })
  count(stage, 'cancelled')
  if (reply.status === 200 && reply.isWhole) {
    stage.violations.push(...observe(entry, JSON.parse(reply.text), known))
  }
}

async function erase(stage: Stage, random: Random): Promise<void> {
  const there = stage.entries.filter(({ deletion, isAcknowledged }) => deletion === 'none' && isAcknowledged)
  const entry = there[random.below(Math.max(1, there.length))]
  if (entry === undefined) return
  entry.deletion = 'asked'
  const reply = await anyOf(stage, random).ask(`/v1/responses/${entry.id}`, entry.owner, { method: 'DELETE' })
  if (reply.status === 200) entry.deletion = 'done'
  count(stage, 'deleted')
}

const idIn = (text: string): string => /"id":"(resp_\w+)"/.exec(text)?.[1] ?? ''

interface Event {
  readonly type?: string
  readonly sequence_number?: number
  readonly delta?: string
  readonly response?: Body
}

/** Those that have come completely, without the error that ends the listening and not the response. */
function eventsIn(text: string): Event[] {
  const events = [...text.matchAll(/^data: (\{.*\})\n\n/gm)].map(
    ([, json = '{}']) => JSON.parse(json) as Event,
  )
  return events.at(-1)?.type === 'error' ? events.slice(0, -1) : events
}

function endOf(text: string): Body | undefined {
  return eventsIn(text).find(({ type = '' }) =>
    /^response\.(completed|failed|incomplete|cancelled)$/.test(type),
  )?.response
}

/** Events are numbered without gaps, from this number on, and there is one end at most. */
function faultsOf({ id, ...entry }: Entry, text: string, first: number): string[] {
  const numbers = eventsIn(text).map(event => event.sequence_number)
  const expected = numbers.map((_, index) => first + index)
  const isInOrder = numbers.every((number, index) => number === expected[index])
  return isInOrder
    ? []
    : [`${id} (${marksOf({ id, ...entry }).at(-1)}): events ${numbers.join(' ')} from ${first} on`]
}
