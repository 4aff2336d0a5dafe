/**
 * A scripted model behind the clients of `test/clients`, on one wire. It shares no code with the library's codecs, so
 * that it can prove them wrong. Its first turn is a text and three parallel calls; its second repeats each call's result.
 * A request that its wire would not accept is refused, and the refusal is recorded.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { scriptedChat } from './scripted-chat.ts'
import { scriptedMessages } from './scripted-messages.ts'
import { scriptedResponses } from './scripted-responses.ts'
import type { Call, ReceivedRequest, ScriptedWire } from './scripted-wire.ts'
import { refuseUnless } from './scripted-wire.ts'

export const prompts = { system: 'Answer briefly.', user: 'How is the weather in Oslo and Rome?' } as const
export const firstText = 'Let me look.'

export const scriptedWires: Record<Wire, ScriptedWire> = {
  chat: scriptedChat,
  responses: scriptedResponses,
  messages: scriptedMessages,
}

const plan = [
  { name: 'get_weather', input: { city: 'Oslo' } },
  { name: 'get_weather', input: { city: 'Rome' } },
  { name: 'broken_tool', input: {} },
]

type Reply = { readonly refusal: string } | { readonly whole: object } | { readonly events: string }

export interface Model {
  /** The answer to a request, or the reason for its refusal. */
  reply(body: unknown): Reply
  readonly received: readonly ReceivedRequest[]
  readonly refusals: readonly string[]
  /** The text of each turn. */
  readonly texts: readonly string[]
}

export function createModel(wire: Wire): Model {
  const scripted = scriptedWires[wire]
  const calls = plan.map((call, n) => ({ id: scripted.callId(n), ...call }))
  const received: ReceivedRequest[] = []
  const refusals: string[] = []
  const texts: string[] = []

  const answer = (body: unknown): Reply => {
    const request = scripted.readRequest(body)
    received.push(request)
    const id = `${received.length}`
    const turn =
      received.length === 1 ? { text: firstText, calls } : { text: summary(request, calls), calls: [] }
    texts.push(turn.text)
    const full = { id, usage: request.usage, ...turn }
    return request.stream ? { events: scripted.encodeStream(full) } : { whole: scripted.encodeAnswer(full) }
  }

  return { received, refusals, texts, reply: orRefuse(answer, refusals) }
}

/** Answers a request, or refuses it with the error that `answer` throws, and records the refusal. */
export function orRefuse(answer: (body: unknown) => Reply, refusals: string[]): Model['reply'] {
  return body => {
    try {
      return answer(body)
    } catch (error) {
      const refusal = `${error instanceof Error ? error.message : error}\n${JSON.stringify(body, null, 1)}`
      refusals.push(refusal)
      return { refusal }
    }
  }
}

/** The text of the second turn: the result of each call, paired by the call's id. */
function summary({ before }: ReceivedRequest, calls: readonly Call[]): string {
  refuseUnless(before !== undefined, 'The second request has no turn of the assistant.')
  same('calls', before.calls, calls)
  const ids = calls.map(({ id }) => id)
  same(
    'results, in the order of their calls',
    before.results.map(({ id }) => id),
    ids,
  )
  const results = before.results.map(({ text }) => text)
  return calls.map(({ name, input }, n) => `${name}(${Object.values(input)}) said: ${results[n]}`).join('\n')
}

function same(what: string, found: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)]
  refuseUnless(left === right, `Wrong ${what}: ${left}, not ${right}.`)
}
