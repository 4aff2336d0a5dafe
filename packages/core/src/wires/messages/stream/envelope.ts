/** The answer around its blocks, merged from the events that hold it: the last value wins, absent and `null` never do. */
import type { JsonObject } from '../../../json/object.ts'
import { assignOwn, isObject, own, ownString, setOwn } from '../../../json/object.ts'

/** Fixed when the answer starts. */
const fixedKeys = ['id', 'type', 'role', 'model', 'content']

export class StreamEnvelope {
  /** There was a `message_delta`. */
  hasDelta = false
  readonly #message: Record<string, unknown> = {}
  readonly #usage: Record<string, unknown> = {}
  #hasUsage = false

  addMessage(message: JsonObject): void {
    this.#add(message, ['content'])
  }

  /** A `message_delta`: its `delta`, its `usage`, and the fields beside them. */
  addDelta(event: JsonObject): void {
    this.hasDelta = true
    const delta = own(event, 'delta')
    this.#add(event, [...fixedKeys, 'delta'])
    if (isObject(delta)) this.#add(delta, fixedKeys)
  }

  stopReason(): string | undefined {
    return ownString(this.#message, 'stop_reason')
  }

  /** The body of the unstreamed answer, without its content. */
  body(): JsonObject {
    const body = assignOwn({}, this.#message)
    if (this.#hasUsage) body.usage = this.#usage
    return body
  }

  #add(source: JsonObject, except: readonly string[]): void {
    for (const key of Object.keys(source)) {
      if (except.includes(key)) continue
      const value = source[key]
      if (key === 'usage' && isObject(value)) {
        this.#hasUsage = true
        for (const name of Object.keys(value)) put(this.#usage, name, value[name])
      } else put(this.#message, key, value)
    }
  }
}

function put(target: Record<string, unknown>, key: string, value: unknown): void {
  const isAbsent = value === null || value === undefined
  if (!isAbsent || !Object.hasOwn(target, key)) setOwn(target, key, value)
}
