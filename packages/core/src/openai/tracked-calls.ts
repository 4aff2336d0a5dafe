/** The calls of one conversation, by id, so that each result finds its call. Bounded, and never shared. */

import { compact } from '../json/json.ts'
import type { CallPart } from '../model/conversation.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import { shortHash } from '../model/hash.ts'
import { LruMap } from './lru-map.ts'

export interface ToolCallInfo {
  readonly name: string
  readonly namespace?: string
  /** As the model wrote them; for a custom tool, its free text. */
  readonly arguments: string
  /** When the call was first seen, in milliseconds since 1970. */
  readonly timestamp: number
  /** A call of a custom tool, whose result has a form of its own. */
  readonly custom?: true
  /** The call was cut off and is not to be run. */
  readonly truncated?: true
  readonly answered?: true
}

interface Entry extends ToolCallInfo {
  /** Stands for the result, to tell the same one sent again from another one. */
  readonly answer?: string
}

export class TrackedCalls {
  readonly #calls: LruMap<Entry>
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
    this.#calls = new LruMap(limit)
  }

  /** Reading the same call again changes nothing; another call under the same id takes its place. */
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

  /** Remembers the result of a call. The same one may come again with the whole history; another may not. */
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

  /** A copy: what happens later does not change it. */
  list(): Map<string, ToolCallInfo> {
    return new Map(this.#calls.entries().map(([id, { answer: _, ...info }]) => [id, info]))
  }
}
