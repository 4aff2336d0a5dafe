/** A scripted model that says what the test wrote for each turn, on any wire, and keeps what it understood. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Model } from '../clients/model.ts'
import type { Speech } from '../clients/speech.ts'
import { chatSpeech } from '../clients/speech-chat.ts'
import { messagesSpeech } from '../clients/speech-messages.ts'
import { responsesSpeech } from '../clients/speech-responses.ts'
import type { History } from './history.ts'
import { readChat } from './reader-chat.ts'
import { readMessages } from './reader-messages.ts'
import { readResponses } from './reader-responses.ts'

const speeches: Record<Wire, Speech> = {
  chat: chatSpeech,
  responses: responsesSpeech,
  messages: messagesSpeech,
}

const readers: Record<Wire, (body: unknown, remembered: ReadonlyMap<string, unknown>) => History> = {
  chat: readChat,
  messages: readMessages,
  responses: readResponses,
}

interface Said {
  readonly text: string
  readonly calls?: readonly { readonly name: string; readonly input: { readonly [key: string]: unknown } }[]
}

export type Step = Said | ((history: History) => Said)

export interface Script {
  readonly reply: Model['reply']
  readonly heard: readonly History[]
  readonly refusals: readonly string[]
  /** The ids of all calls so far. */
  readonly callIds: readonly string[]
}

export function createScript(wire: Wire, steps: readonly Step[]): Script {
  const speech = speeches[wire]
  const heard: History[] = []
  const refusals: string[] = []
  const callIds: string[] = []
  const remembered = new Map<string, unknown>()

  const answer = (body: unknown): ReturnType<Model['reply']> => {
    const history = readers[wire](body, remembered)
    const step = steps[heard.length]
    heard.push(history)
    if (step === undefined) throw new Error(`Nothing is written for request ${heard.length}.`)
    const { text, calls = [] } = typeof step === 'function' ? step(history) : step
    const called = calls.map((call, n) => ({ id: speech.callId(callIds.length + n), ...call }))
    callIds.push(...called.map(({ id }) => id))
    const turn = { id: `${heard.length}`, text, calls: called, usage: history.usage }
    const whole = speech.whole(turn)
    for (const item of outputOf(whole)) remembered.set(item.id, item)
    return history.stream ? { events: speech.events(turn) } : { whole }
  }

  return {
    heard,
    refusals,
    callIds,
    reply(body) {
      try {
        return answer(body)
      } catch (error) {
        const refusal = `${error instanceof Error ? error.message : error}\n${JSON.stringify(body, null, 1)}`
        refusals.push(refusal)
        return { refusal }
      }
    },
  }
}

function outputOf(whole: object): readonly { readonly id: string }[] {
  return 'output' in whole ? (whole.output as { id: string }[]) : []
}
