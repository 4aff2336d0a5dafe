/** What is new in a chunk that says nothing but a piece of one text. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { SpeechKey } from './text.ts'

export type ChunkNews =
  | { readonly kind: 'speech'; readonly key: SpeechKey; readonly passing: readonly string[] }
  | {
      readonly kind: 'arguments'
      readonly key: 'arguments'
      readonly index: number | undefined
      readonly passing: readonly string[]
    }

/** Fields that say something of their own each time they come. */
const eventful = {
  chunk: ['usage', 'error', 'type'],
  choice: ['finish_reason', 'logprobs', 'usage', 'error', 'message'],
}
const spoken: ReadonlySet<string> = new Set<SpeechKey>(['content', 'reasoning_content', 'reasoning'])
const noise = ['obfuscation']

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
  const passing = typeof own(chunk, 'obfuscation') === 'string' ? noise : []
  if (isSpoken(key)) return typeof own(delta, key) === 'string' ? { kind: 'speech', key, passing } : undefined
  const call = key === 'tool_calls' ? bareCall(own(delta, key)) : undefined
  if (call === undefined) return undefined
  const index = own(call, 'index')
  return {
    kind: 'arguments',
    key: 'arguments',
    index: typeof index === 'number' ? index : undefined,
    passing,
  }
}

function isSpoken(key: string): key is SpeechKey {
  return spoken.has(key)
}

/** The only call, if it says no more than a piece of a function's arguments. */
function bareCall(calls: unknown): JsonObject | undefined {
  const call: unknown = Array.isArray(calls) && calls.length === 1 ? calls[0] : undefined
  const callee = isObject(call) ? own(call, 'function') : undefined
  if (!isObject(call) || !isObject(callee) || typeof own(callee, 'arguments') !== 'string') return undefined
  const type = own(call, 'type') ?? 'function'
  const isBare =
    type === 'function' &&
    Object.keys(call).every(key => ['index', 'type', 'function'].includes(key) || !isSaid(own(call, key))) &&
    Object.keys(callee).every(key => key === 'arguments' || !isSaid(own(callee, key)))
  return isBare ? call : undefined
}

function says(holder: JsonObject, keys: readonly string[]): boolean {
  return keys.some(key => isSaid(own(holder, key)))
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null
}
