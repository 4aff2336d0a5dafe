/** The answer around its blocks, gathered from the frames that tell of it: later words win, nothing said counts for none. */
import type { JsonObject } from '../../../json/object.ts'
import { assignOwn, isObject, own, setOwn } from '../../../json/object.ts'

export interface StreamEnvelope {
  addMessage(message: JsonObject): void
  /** A `message_delta`: its `delta`, its `usage`, and what else stands beside them. */
  addDelta(frame: JsonObject): void
  hasDelta(): boolean
  stopReason(): string | undefined
  /** The answer as if it had come whole, without its content. */
  body(): JsonObject
}

export function createEnvelope(): StreamEnvelope {
  const message: Record<string, unknown> = {}
  const usage: Record<string, unknown> = {}
  let counted = false
  let ended = false

  function add(source: JsonObject, except: readonly string[]): void {
    for (const key of Object.keys(source)) {
      if (except.includes(key)) continue
      const value = source[key]
      if (key === 'usage' && isObject(value)) {
        counted = true
        merge(usage, value)
      } else put(message, key, value)
    }
  }

  return {
    addMessage: source => add(source, ['content']),
    addDelta(frame) {
      ended = true
      const delta = own(frame, 'delta')
      // The answer's name was given when it started and cannot change any more.
      const fixed = ['id', 'type', 'role', 'model', 'content']
      add(frame, [...fixed, 'delta'])
      if (isObject(delta)) add(delta, fixed)
    },
    hasDelta: () => ended,
    stopReason() {
      const reason = own(message, 'stop_reason')
      return typeof reason === 'string' ? reason : undefined
    },
    body() {
      const body = assignOwn({}, message)
      if (counted) body.usage = usage
      return body
    },
  }
}

function merge(target: Record<string, unknown>, source: JsonObject): void {
  for (const key of Object.keys(source)) put(target, key, source[key])
}

function put(target: Record<string, unknown>, key: string, value: unknown): void {
  const isNothing = value === null || value === undefined
  if (!isNothing || !Object.hasOwn(target, key)) setOwn(target, key, value)
}
