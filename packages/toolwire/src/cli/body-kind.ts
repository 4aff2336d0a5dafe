/** What a JSON document holds, and which wire an answer is written for, by the fields that only one of them has. */
import type { BuiltInWire as Wire } from '@toolwire/core'

export type Body = { readonly [key: string]: unknown }

export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const answerMarks: readonly (readonly [wire: Wire, shows: (body: Body) => boolean])[] = [
  ['chat', ({ object, choices }) => object === 'chat.completion' || Array.isArray(choices)],
  ['responses', ({ object, output }) => object === 'response' || Array.isArray(output)],
  ['messages', ({ type, error }) => type === 'error' && isBody(error)],
  ['messages', ({ role, content }) => role === 'assistant' && Array.isArray(content)],
  // Both wires of OpenAI word an error alike; as Chat it is read in full.
  ['chat', ({ error }) => isBody(error)],
]

/** The wire of an answer or an error body; `undefined` when nothing shows it, or it is no answer. */
export function guessAnswerWire(value: unknown): Wire | undefined {
  return isBody(value) ? answerMarks.find(([, shows]) => shows(value))?.[0] : undefined
}

/** Fields of a request that are neither about its tools nor in any answer. */
const requestKeys = ['messages', 'input', 'system', 'instructions', 'prompt', 'previous_response_id']

/** `tools` is a bare list; a body that declares nothing but tools is none of the three. */
export function kindOf(value: unknown): 'tools' | 'request' | 'answer' | undefined {
  if (Array.isArray(value)) return 'tools'
  if (!isBody(value)) return undefined
  if (guessAnswerWire(value) !== undefined) return 'answer'
  return requestKeys.some(key => Object.hasOwn(value, key)) ? 'request' : undefined
}

/** Somebody's stream, where JSON was expected. */
export function looksLikeEvents(text: string): boolean {
  return /^\s*(?:(?:event|data|id|retry):|:)/.test(text)
}
