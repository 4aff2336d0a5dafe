/** Events that tell how a tool of the provider's goes on, between the beginning of its item and the end. */

import type { JsonObject } from '../../../json/object.ts'
import { own } from '../../../json/object.ts'
import { escapeJson } from '../../../json/text.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Place, StreamOutput } from './output.ts'
import { deltaFrame, placeText } from './output.ts'

interface Progress {
  /** States on the way, in their order. */
  readonly begin: readonly string[]
  /** The events that an end can have. */
  readonly ends: readonly string[]
  /** The field whose text has events of its own. */
  readonly text?: { readonly key: string; readonly event: string }
}

const search: Progress = { begin: ['in_progress', 'searching'], ends: ['completed'] }

const kinds: ReadonlyMap<unknown, Progress> = new Map<unknown, Progress>([
  ['web_search_call', search],
  ['file_search_call', search],
  [
    'mcp_call',
    {
      begin: ['in_progress'],
      ends: ['completed', 'failed'],
      text: { key: 'arguments', event: 'response.mcp_call_arguments' },
    },
  ],
])

export interface ProgressWriter {
  begin(item: JsonObject): string
  end(item: JsonObject): string
}

export function createProgressWriter(type: unknown, place: Place, output: StreamOutput): ProgressWriter {
  const kind = kinds.get(type)
  if (kind === undefined) return { begin: () => '', end: () => '' }
  const where = { item_id: place.id, output_index: place.at }
  let isSaid = false
  const state = (word: string): string => output.frame(`response.${type}.${word}`, where)
  const say = (item: JsonObject): string => {
    const { key, event } = kind.text ?? {}
    const text = key === undefined ? undefined : own(item, key)
    if (isSaid || key === undefined || typeof text !== 'string' || text === '') return ''
    isSaid = true
    const delta = output.delta(deltaFrame(`${event}.delta`, placeText(place)), escapeJson(text))
    return delta + output.frame(`${event}.done`, { ...where, [key]: text })
  }
  return {
    begin: item => kind.begin.map(state).join('') + say(item),
    end(item) {
      const word = endOf(item)
      return say(item) + (kind.ends.includes(word) ? state(word) : '')
    },
  }
}

/** An MCP call need not say its status; its error says as much. */
function endOf(item: JsonObject): string {
  const status = own(item, 'status')
  if (typeof status === 'string') return status
  return (own(item, 'error') ?? null) === null ? 'completed' : 'failed'
}

/** The item as it is announced: its text is yet to come. */
export function unsaidItem(item: JsonObject): JsonObject {
  const text = kinds.get(own(item, 'type'))?.text
  return text === undefined ? item : { ...item, [text.key]: '' }
}

/** A call that was still going on when the stream broke off. */
export function cutPart(part: Part): Part {
  if (part.kind !== 'hosted' || own(part.value, 'status') !== 'in_progress') return part
  return { ...part, value: { ...part.value, status: 'incomplete' } }
}
