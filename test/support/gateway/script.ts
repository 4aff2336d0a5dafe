/** A scripted model that answers with the turns a test wrote, on any wire, and records the requests it read. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Model } from '../clients/model.ts'
import { orRefuse, scriptedWires } from '../clients/model.ts'
import type { History } from './history.ts'
import { readChat } from './reader-chat.ts'
import { readMessages } from './reader-messages.ts'
import { readResponses } from './reader-responses.ts'

const readers = { chat: readChat, messages: readMessages, responses: readResponses }

/** Reads a request of any wire. `stored` has the items that the server sent before, for references to them. */
export function readHistory(
  wire: Wire,
  body: unknown,
  stored: ReadonlyMap<string, unknown> = new Map(),
): History {
  return readers[wire](body, stored)
}

interface ScriptedTurn {
  readonly text: string
  readonly calls?: readonly { readonly name: string; readonly input: { readonly [key: string]: unknown } }[]
}

export type Step = ScriptedTurn | ((history: History) => ScriptedTurn)

export interface Script {
  readonly reply: Model['reply']
  readonly received: readonly History[]
  readonly refusals: readonly string[]
  /** The ids of all calls so far. */
  readonly callIds: readonly string[]
}

export function createScript(wire: Wire, steps: readonly Step[]): Script {
  const scripted = scriptedWires[wire]
  const received: History[] = []
  const refusals: string[] = []
  const callIds: string[] = []
  const stored = new Map<string, unknown>()

  const answer = (body: unknown): ReturnType<Model['reply']> => {
    const history = readHistory(wire, body, stored)
    const step = steps[received.length]
    received.push(history)
    if (step === undefined) throw new Error(`The script has no step for request ${received.length}.`)
    const { text, calls = [] } = typeof step === 'function' ? step(history) : step
    const called = calls.map((call, n) => ({ id: scripted.callId(callIds.length + n), ...call }))
    callIds.push(...called.map(({ id }) => id))
    const turn = { id: `${received.length}`, text, calls: called, usage: history.usage }
    const whole = scripted.encodeAnswer(turn)
    for (const item of outputOf(whole)) stored.set(item.id, item)
    return history.stream ? { events: scripted.encodeStream(turn) } : { whole }
  }

  return { received, refusals, callIds, reply: orRefuse(answer, refusals) }
}

function outputOf(whole: object): readonly { readonly id: string }[] {
  return 'output' in whole ? (whole.output as { id: string }[]) : []
}
