/** Events about the progress of a hosted tool, between the announcement of its item and the end. */
import type { JsonObject } from '../../../json/object.ts'
import { own } from '../../../json/object.ts'
import { escapeJson } from '../../../json/text.ts'
import type { Part } from '../../../model/conversation.ts'
import type { ItemPosition, StreamOutput } from './encode-frames.ts'
import { deltaFrame, positionJson } from './encode-frames.ts'

interface Progress {
  /** The states on the way, in their order. */
  readonly states: readonly string[]
  /** The final states that have an event. */
  readonly ends: readonly string[]
  /** A field whose text has events of its own. */
  readonly text?: { readonly key: string; readonly event: string }
}

const search: Progress = { states: ['in_progress', 'searching'], ends: ['completed'] }

const progressOf: ReadonlyMap<unknown, Progress> = new Map<unknown, Progress>([
  ['web_search_call', search],
  ['file_search_call', search],
  ['compaction', { states: ['compacting'], ends: [] }],
  [
    'mcp_call',
    {
      states: ['in_progress'],
      ends: ['completed', 'failed'],
      text: { key: 'arguments', event: 'response.mcp_call_arguments' },
    },
  ],
])

export class ProgressEncoder {
  readonly #type: unknown
  readonly #position: ItemPosition
  readonly #output: StreamOutput
  readonly #progress: Progress | undefined
  #isTextWritten = false

  constructor(type: unknown, position: ItemPosition, output: StreamOutput) {
    this.#type = type
    this.#position = position
    this.#output = output
    this.#progress = progressOf.get(type)
  }

  begin(item: JsonObject): string {
    const states = this.#progress?.states ?? []
    return states.map(state => this.#state(state)).join('') + this.#text(item)
  }

  end(item: JsonObject): string {
    const state = finalState(item)
    return this.#text(item) + (this.#progress?.ends.includes(state) ? this.#state(state) : '')
  }

  #state(state: string): string {
    const { id, index } = this.#position
    return this.#output.frame(`response.${this.#type}.${state}`, { item_id: id, output_index: index })
  }

  #text(item: JsonObject): string {
    const { key, event } = this.#progress?.text ?? {}
    const text = key === undefined ? undefined : own(item, key)
    if (this.#isTextWritten || key === undefined || typeof text !== 'string' || text === '') return ''
    this.#isTextWritten = true
    const output = this.#output
    const { id, index } = this.#position
    const delta = output.delta(deltaFrame(`${event}.delta`, positionJson(this.#position)), escapeJson(text))
    return delta + output.frame(`${event}.done`, { item_id: id, output_index: index, [key]: text })
  }
}

/** An MCP call may come without a status; then its error decides. */
function finalState(item: JsonObject): string {
  const status = own(item, 'status')
  if (typeof status === 'string') return status
  return (own(item, 'error') ?? null) === null ? 'completed' : 'failed'
}

/** The item as it is announced, before its text. */
export function withoutText(item: JsonObject): JsonObject {
  const text = progressOf.get(own(item, 'type'))?.text
  return text === undefined ? item : { ...item, [text.key]: '' }
}

/** A call that was still running when the stream broke off. */
export function cutPart(part: Part): Part {
  if (part.kind !== 'hosted' || own(part.value, 'status') !== 'in_progress') return part
  return { ...part, value: { ...part.value, status: 'incomplete' } }
}
