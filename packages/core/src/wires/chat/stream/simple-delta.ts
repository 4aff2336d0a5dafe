/** Recognises chunks that carry a piece of one string and nothing else, for the fast path. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { TextKey } from './text.ts'

export interface SimpleDelta {
  /** The field that holds the piece. */
  readonly key: TextKey | 'arguments'
  /** Of arguments: the index of their call, where the chunk has one. */
  readonly index: number | undefined
  readonly volatileFields: readonly string[]
}

/** Fields that carry something of their own whenever they are present. */
const meaningful = {
  chunk: ['usage', 'error', 'type'],
  choice: ['finish_reason', 'logprobs', 'usage', 'error', 'message'],
}
const textKeys: ReadonlySet<string> = new Set<TextKey>(['content', 'reasoning_content', 'reasoning'])
const padding = ['obfuscation']

/** `undefined` unless exactly one string can be new. */
export function readSimpleDelta(chunk: JsonObject): SimpleDelta | undefined {
  const choices = own(chunk, 'choices')
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined
  if (!isObject(choice) || hasAny(chunk, meaningful.chunk) || hasAny(choice, meaningful.choice))
    return undefined
  const delta = own(choice, 'delta')
  if (!isObject(delta)) return undefined
  const present = Object.keys(delta).filter(key => key !== 'role' && isPresent(own(delta, key)))
  const [key = ''] = present
  if (present.length !== 1) return undefined
  const volatileFields = typeof own(chunk, 'obfuscation') === 'string' ? padding : []
  if (isTextKey(key)) {
    return typeof own(delta, key) === 'string' ? { key, index: undefined, volatileFields } : undefined
  }
  const call = key === 'tool_calls' ? bareCall(own(delta, key)) : undefined
  if (call === undefined) return undefined
  const index = own(call, 'index')
  return { key: 'arguments', index: typeof index === 'number' ? index : undefined, volatileFields }
}

function isTextKey(key: string): key is TextKey {
  return textKeys.has(key)
}

/** The only call, if it holds no more than a piece of a function's arguments. */
function bareCall(calls: unknown): JsonObject | undefined {
  const call: unknown = Array.isArray(calls) && calls.length === 1 ? calls[0] : undefined
  const callee = isObject(call) ? own(call, 'function') : undefined
  if (!isObject(call) || !isObject(callee) || typeof own(callee, 'arguments') !== 'string') return undefined
  const type = own(call, 'type') ?? 'function'
  const isBare =
    type === 'function' &&
    Object.keys(call).every(
      key => ['index', 'type', 'function'].includes(key) || !isPresent(own(call, key)),
    ) &&
    Object.keys(callee).every(key => key === 'arguments' || !isPresent(own(callee, key)))
  return isBare ? call : undefined
}

function hasAny(holder: JsonObject, keys: readonly string[]): boolean {
  return keys.some(key => isPresent(own(holder, key)))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}
