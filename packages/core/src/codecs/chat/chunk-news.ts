/** What is new in a chunk that says nothing but a piece of one text. */
import type { JsonObject } from '../../model/json.ts'
import { isObject, own } from '../../model/json.ts'

export type ChunkNews =
  | { readonly kind: 'speech'; readonly key: string }
  | { readonly kind: 'arguments'; readonly call: JsonObject; readonly callee: JsonObject }

/** Fields that say something of their own each time they come. */
const eventful = {
  chunk: ['usage', 'error'],
  choice: ['finish_reason', 'logprobs', 'usage', 'error', 'message'],
}
const spoken = ['content', 'reasoning_content', 'reasoning']

/** Nothing when anything but one text could be new. */
export function newsOf(chunk: JsonObject): ChunkNews | undefined {
  const choices = own(chunk, 'choices')
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined
  if (!isObject(choice) || says(chunk, eventful.chunk) || says(choice, eventful.choice)) return undefined
  const delta = own(choice, 'delta')
  if (!isObject(delta)) return undefined
  const said = Object.keys(delta).filter(key => key !== 'role' && isSaid(own(delta, key)))
  const [key = ''] = said
  if (said.length !== 1) return undefined
  if (spoken.includes(key)) return typeof own(delta, key) === 'string' ? { kind: 'speech', key } : undefined
  return key === 'tool_calls' ? callNews(own(delta, key)) : undefined
}

function callNews(calls: unknown): ChunkNews | undefined {
  const call: unknown = Array.isArray(calls) && calls.length === 1 ? calls[0] : undefined
  const callee = isObject(call) ? own(call, 'function') : undefined
  if (!isObject(call) || !isObject(callee) || typeof own(callee, 'arguments') !== 'string') return undefined
  const isBare =
    Object.keys(call).every(key => ['index', 'type', 'function'].includes(key) || !isSaid(own(call, key))) &&
    Object.keys(callee).every(key => key === 'arguments' || !isSaid(own(callee, key)))
  return isBare ? { kind: 'arguments', call, callee } : undefined
}

function says(holder: JsonObject, keys: readonly string[]): boolean {
  return keys.some(key => isSaid(own(holder, key)))
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null
}
