/** Requests about stored responses, as several actors make them. */

import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Random } from '../../support/soak/random.ts'
import type { Process } from '../cluster.ts'
import type { World } from '../contract.ts'
import type { Entry } from '../ledger.ts'
import { terminal } from '../ledger.ts'
import type { Received } from '../network.ts'
import { isUnavailable, send } from '../network.ts'

export type Verb = 'get' | 'delete' | 'cancel' | 'input_items'

const forms = {
  get: { method: 'GET', rest: '' },
  delete: { method: 'DELETE', rest: '' },
  cancel: { method: 'POST', rest: '/cancel' },
  input_items: { method: 'GET', rest: '/input_items' },
} as const

/** A wire whose responses the gateways store. */
export function pickUpstream({ settings }: World, random: Random): Wire {
  return settings.storesResponses
    ? random.pick(['chat', 'messages', 'responses'])
    : random.pick(['chat', 'messages'])
}

export interface AskOptions {
  readonly random: Random
  readonly owner?: number
  readonly preferred?: Process | undefined
  readonly query?: string
}

export function ask(
  world: World,
  verb: Verb,
  { id, exchange }: Entry,
  { random, owner = exchange.plan.owner, preferred, query = '' }: AskOptions,
): Promise<Received | undefined> {
  const { method, rest } = forms[verb]
  const target = `/v1/responses/${id}${rest}${query}`
  return send(world, { name: `${verb} ${id} by ${owner}`, owner, method, target, random, preferred })
}

/** Reads it, and judges what comes. Returns its status if it is there. */
export async function reread(world: World, entry: Entry, options: AskOptions): Promise<string | undefined> {
  return world.ledger.judge(entry, await ask(world, 'get', entry, options))
}

/** Deletes it, and notes what is known of that afterwards. */
export async function erase(world: World, entry: Entry, options: AskOptions): Promise<void> {
  if (entry.deletion === 'none') entry.deletion = 'asked'
  const received = await ask(world, 'delete', entry, options)
  if (received?.how !== 'whole') return
  if (received.status === 200) entry.deletion = { at: world.clock.now() }
  else if (received.status !== 404 && !isUnavailable(received))
    world.report(`deleting ${entry.id} was answered with ${received.status} ${received.text}`)
}

/** Cancels it. Whoever runs it has ended it when the answer comes. */
export async function cancel(world: World, entry: Entry, options: AskOptions): Promise<string | undefined> {
  const received = await ask(world, 'cancel', entry, options)
  const status = world.ledger.judge(entry, received)
  const mayFail = ['store fails', 'store stalls'].some(kind => world.tally.has(kind))
  if (status !== undefined && !terminal.has(status) && !mayFail)
    world.report(`${entry.id} is ${status} after it was cancelled`)
  return status
}
