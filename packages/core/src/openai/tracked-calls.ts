/** The calls of one conversation by id, so that results can be paired with them. The number of calls is limited. */

import { compact } from '../json/object.ts'
import type { CallPart } from '../model/conversation.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import { shortHash } from '../model/hash.ts'

/** A call that a `ToolManager` keeps track of. */
export interface ToolCallInfo {
  readonly name: string
  readonly namespace?: string
  /** As the model wrote them; for a custom tool, its free text. */
  readonly arguments: string
  /** When the call was first seen, in milliseconds since 1970. */
  readonly timestamp: number
  /** A call of a custom tool, whose result has a different form. */
  readonly custom?: true
  /** The call was cut off and must not be run. */
  readonly truncated?: true
  readonly answered?: true
}

interface Entry extends ToolCallInfo {
  /** The hash of the result, to distinguish a repeated result from a different one. */
  readonly answer?: string
}

export class TrackedCalls {
  readonly #calls: LruMap<Entry>
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
    this.#calls = new LruMap(limit)
  }

  /** Recording the same call again changes nothing; a different call with the same id replaces it. */
  record(call: CallPart & { readonly id: string }, timestamp: number, report: Report): void {
    const { id, name, namespace, input, form, status, path } = call
    const custom = form === 'custom' || undefined
    const truncated = status === 'incomplete' || undefined
    const known = this.#calls.get(id)
    const isSame = known?.name === name && known.namespace === namespace && known.arguments === input
    if (isSame && known.truncated === truncated) return
    if (known !== undefined && !known.answered && !isSame) {
      const message = `Another call has the id "${id}" too and is unanswered; results will be taken to answer this one.`
      report('duplicate_call_id', path, message)
    }
    const entry = { name, ...compact({ namespace, custom, truncated }), arguments: input, timestamp }
    const evicted = this.#calls.set(id, entry)
    if (evicted !== undefined && !evicted[1].answered) {
      const limit = `a conversation remembers ${this.#limit} calls, and this one is one more`
      const message = `The call "${evicted[0]}" was forgotten before its result came: ${limit}. Raise "maxTracked".`
      report('missing_result', path, message)
    }
  }

  /** Records the result of a call. The same result may come again with the history; a different one is reported. */
  recordResult(id: string, result: string, path: Path, report: Report): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    const hash = shortHash(result)
    if (call.answer !== undefined && call.answer !== hash) {
      report('duplicate_result', path, `The call "${id}" was answered before, with another result.`)
    }
    this.#calls.set(id, { ...call, answered: true, answer: hash })
  }

  get(id: string): ToolCallInfo | undefined {
    return this.#calls.get(id)
  }

  /** Returns a copy. */
  list(): Map<string, ToolCallInfo> {
    return new Map(this.#calls.entries().map(([id, { answer: _, ...info }]) => [id, info]))
  }
}

/** A map with a limited size that evicts the least recently used entry. */
export class LruMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts as a use of the entry. */
  get(key: string): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.#touch(key, value)
    return value
  }

  /** Returns the evicted entry, if there is one. */
  set(key: string, value: Value): readonly [key: string, value: Value] | undefined {
    this.#touch(key, value)
    if (this.#entries.size <= this.#limit) return undefined
    const [oldest] = this.#entries
    if (oldest !== undefined) this.#entries.delete(oldest[0])
    return oldest
  }

  delete(key: string): boolean {
    return this.#entries.delete(key)
  }

  /** From the least to the most recently used. */
  entries(): [string, Value][] {
    return [...this.#entries]
  }

  /** Maps iterate in insertion order, so inserting a key again makes it the most recent. */
  #touch(key: string, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
  }
}
