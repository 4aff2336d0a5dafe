/** What clients know of stored responses, and whether what they read later agrees with it. */

import { checkContent, checkPrefix } from '../support/soak/content.ts'
import { ownJson } from '../support/soak/json-work.ts'
import { describePlan } from '../support/soak/plan.ts'
import type { Random } from '../support/soak/random.ts'
import { readAnswer } from '../support/soak/reader.ts'
import type { World } from './contract.ts'
import type { ExchangeState } from './exchange-state.ts'
import type { Received } from './network.ts'
import { isUnavailable } from './network.ts'

export interface Entry {
  readonly id: string
  readonly exchange: ExchangeState
  /** A client got its receipt or its end, so that it must be found. */
  readonly isAcknowledged: boolean
  /** When its request was sent, and when its id was learned. */
  readonly sentAt: number
  readonly learnedAt: number
  /** The final status that a client has seen, and when. */
  final: { readonly status: string; readonly at: number } | undefined
  /** `asked`: its deletion was requested, with an unknown result. */
  deletion: 'none' | 'asked' | { readonly at: number }
}

export interface Ledger {
  readonly entries: readonly Entry[]
  add(entry: Omit<Entry, 'deletion' | 'learnedAt'>): Entry
  pick(random: Random, fits: (entry: Entry) => boolean): Entry | undefined
  /** Judges the answer to a request for the response; returns its status if there was one. */
  judge(entry: Entry, received: Received | undefined): string | undefined
  /** Judges the response itself, which a client has got at this time. */
  judgeBody(entry: Entry, body: Record<string, unknown>, startedAt: number): string
}

export const terminal: ReadonlySet<string> = new Set(['completed', 'incomplete', 'failed', 'cancelled'])

export function createLedger(world: Pick<World, 'clock' | 'settings' | 'report' | 'tally'>): Ledger {
  const entries: Entry[] = []
  const { clock, settings } = world
  const fault = ({ id, exchange }: Entry, what: string): void =>
    world.report(`${id} of ${describePlan(exchange.plan)}: ${what}`)
  /** A store in trouble leaves the end of a response in the memory of one gateway (decision 11). */
  const mayChange = (from: string, to: string): boolean => {
    if (from === 'completed') return false
    const hasStalled = world.tally.has('store stalls')
    return hasStalled || (to !== 'completed' && world.tally.has('store fails'))
  }

  const judgeBody: Ledger['judgeBody'] = (entry, body, startedAt) => {
    const { exchange, final, deletion } = entry
    const status = String(body.status)
    if (body.id !== entry.id) fault(entry, `it was answered with ${body.id}`)
    if (typeof deletion === 'object' && deletion.at < startedAt) fault(entry, 'it is there although deleted')
    if (startedAt > entry.learnedAt + settings.ttlMs) fault(entry, 'it is there although it has expired')
    const answer = readAnswer('responses', body)
    if (status === 'completed') {
      if (exchange.isBroken) fault(entry, 'a broken answer is completed')
      checkContent(exchange.plan, answer, what => fault(entry, what))
    } else checkPrefix(exchange.plan, answer, what => fault(entry, what))
    if (final !== undefined && final.at < startedAt && final.status !== status)
      if (!mayChange(final.status, status)) fault(entry, `it was ${final.status} and is ${status}`)
    if (terminal.has(status)) entry.final ??= { status, at: clock.now() }
    return status
  }

  return {
    entries,
    add(given) {
      const entry: Entry = { ...given, deletion: 'none', learnedAt: clock.now() }
      entries.push(entry)
      return entry
    },
    pick(random, fits) {
      const [first, ...rest] = entries.filter(fits)
      return first === undefined ? undefined : random.pick([first, ...rest])
    },
    judgeBody,
    judge(entry, received) {
      if (received === undefined || received.how !== 'whole') return undefined
      const { status, text, startedAt } = received
      if (status === 200) return judgeBody(entry, ownJson.parse(text) as Record<string, unknown>, startedAt)
      if (status === 404) {
        const isExpired = clock.now() >= entry.sentAt + settings.ttlMs
        if (entry.isAcknowledged && entry.deletion === 'none' && !isExpired)
          fault(entry, `it is lost: ${text}`)
      } else if (!isUnavailable(received)) fault(entry, `it was answered with ${status} ${text}`)
      return undefined
    },
  }
}
