/**
 * A model that reasons before every call, and refuses a request whose reasoning is altered or another's. One that demands it
 * refuses also if it is missing.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Json, Round, Voice } from './voices.ts'

export interface ReasoningModel {
  reply(body: Json): { whole: Json } | { events: string } | { refusal: string }
  readonly refusals: readonly string[]
  /** The requests that it answered, in order. */
  readonly bodies: readonly Json[]
}

/** `ids`: what its calls are called, which may be what another model calls its own. */
export function createReasoningModel(voice: Voice, name: string, demands = true, ids = name): ReasoningModel {
  const refusals: string[] = []
  const bodies: Json[] = []
  const prefix = `call_${ids}_`
  const roundOf = (callId: string): Round => ({
    name,
    number: Number(callId.slice(prefix.length)),
    callId,
  })
  const flawOf = (body: Json): string | undefined => {
    if (JSON.stringify(body).includes('toolwire-sealed')) return 'An envelope was not opened.'
    for (const [callId, reasoning] of voice.heard(body)) {
      const expected = callId.startsWith(prefix) ? voice.reasoning(roundOf(callId)) : undefined
      const isNone = Object.keys(reasoning as object).length === 0
      if (isNone && (expected === undefined || !demands)) continue
      if (expected !== undefined && isDeepStrictEqual(plain(reasoning), plain(expected))) continue
      return `The reasoning of ${callId} is ${JSON.stringify(reasoning)}, not ${JSON.stringify(expected)}.`
    }
    return undefined
  }
  return {
    refusals,
    bodies,
    reply(body) {
      const flaw = flawOf(body)
      if (flaw !== undefined) {
        refusals.push(flaw)
        return { refusal: flaw }
      }
      bodies.push(body)
      const number = voice.heard(body).filter(([callId]) => callId.startsWith(prefix)).length
      const callId = number < 5 ? `${prefix}${number}` : undefined
      const round = { name, number, callId }
      const told = tellsSealed(body) ? (text: string) => text : withoutSealed
      if (body.stream === true) return { events: told(voice.frames(round)) }
      return { whole: JSON.parse(told(JSON.stringify(voice.whole(round)))) as Json }
    },
  }
}

/** As OpenAI does on Responses: what it does not store, and nobody asks for, is gone. */
function tellsSealed({ input, store, include }: Json): boolean {
  const isAsked = Array.isArray(include) && include.includes('reasoning.encrypted_content')
  return input === undefined || store !== false || isAsked
}

function withoutSealed(text: string): string {
  return text.replaceAll(/"encrypted_content":"[^"]*",?/g, '')
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
