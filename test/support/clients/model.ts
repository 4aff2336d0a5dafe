/**
 * A scripted model behind the clients of `test/clients`. It speaks one wire, in words of its own: nothing here uses
 * the library's readers or writers, so that it can bear witness against them. First it speaks and makes three calls
 * at once; then it says what each call gave. What its wire would not accept it refuses, and the refusal is kept.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Call, Heard, Speech } from './speech.ts'
import { insist } from './speech.ts'
import { chatSpeech } from './speech-chat.ts'
import { messagesSpeech } from './speech-messages.ts'
import { responsesSpeech } from './speech-responses.ts'

export const prompts = { system: 'Answer briefly.', user: 'How is the weather in Oslo and Rome?' } as const
export const firstWords = 'Let me look.'

const speeches: Record<Wire, Speech> = {
  chat: chatSpeech,
  responses: responsesSpeech,
  messages: messagesSpeech,
}

const plan = [
  { name: 'get_weather', input: { city: 'Oslo' } },
  { name: 'get_weather', input: { city: 'Rome' } },
  { name: 'broken_tool', input: {} },
]

type Reply = { readonly refusal: string } | { readonly whole: object } | { readonly events: string }

export interface Model {
  /** An answer to a request, or why it is refused. */
  reply(body: unknown): Reply
  readonly heard: readonly Heard[]
  readonly refusals: readonly string[]
  /** Everything the model said, turn by turn. */
  readonly said: readonly string[]
}

export function createModel(wire: Wire): Model {
  const speech = speeches[wire]
  const calls = plan.map((call, n) => ({ id: speech.callId(n), ...call }))
  const heard: Heard[] = []
  const refusals: string[] = []
  const said: string[] = []

  const answer = (body: unknown): Reply => {
    const request = speech.hear(body)
    heard.push(request)
    const id = `${heard.length}`
    const turn =
      heard.length === 1 ? { text: firstWords, calls } : { text: summary(request, calls), calls: [] }
    said.push(turn.text)
    const full = { id, usage: request.usage, ...turn }
    return request.stream ? { events: speech.events(full) } : { whole: speech.whole(full) }
  }

  return {
    heard,
    refusals,
    said,
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

/** What the model says of its calls, paired by the ids it gave them. */
function summary({ before }: Heard, calls: readonly Call[]): string {
  insist(before !== undefined, 'The second request has no turn of the assistant.')
  same('calls', before.calls, calls)
  const ids = calls.map(({ id }) => id)
  same(
    'results, in the order of their calls',
    before.results.map(({ id }) => id),
    ids,
  )
  const texts = before.results.map(({ text }) => text)
  return calls.map(({ name, input }, n) => `${name}(${Object.values(input)}) said: ${texts[n]}`).join('\n')
}

function same(what: string, found: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)]
  insist(left === right, `Wrong ${what}: ${left}, not ${right}.`)
}
