/**
 * The end of a response that its client interrupted. What was complete stays, so that the next request continues it;
 * items that were being written are named and left out. Codex knows these events, and goes on with the same socket.
 */
import { isObject, parseJson } from '@toolwire/core/json'
import type { FrameReader } from '@toolwire/core/wires'
import type { JsonObject } from '../http/json-body.ts'

export const interruptedCode = 'response_interrupted'
export const interruptAccepted = 'response.interrupt.accepted'

export interface ResponseEnd {
  /** The events that are left to send. */
  readonly text: string
  readonly answer: JsonObject | undefined
}

/** In place of the end as a failure, which closes every open item before it. */
export function interruptedEnd(failed: ResponseEnd, reader: FrameReader): ResponseEnd {
  const { text, answer } = failed
  const events = [...reader.push(text), ...reader.end()].map(({ data }) => parseJson(data)).filter(isObject)
  if (answer === undefined) return failed
  const { id: response_id, output } = answer
  const closed = events.filter(({ type }) => type === 'response.output_item.done')
  const discarded = new Set(closed.map(idOfItem))
  const response = {
    ...answer,
    status: 'incomplete',
    error: null,
    incomplete_details: { reason: 'interrupted' },
    output: Array.isArray(output) ? output.filter(item => !isObject(item) || !discarded.has(item.id)) : [],
  }
  const ending = [
    { type: interruptAccepted, response_id },
    ...closed.map(event => ({
      type: 'response.output_item.interrupted',
      response_id,
      item_id: idOfItem(event),
      output_index: event.output_index,
    })),
    { type: 'response.incomplete', response },
  ]
  const number = Number(events[0]?.sequence_number ?? 0)
  return { text: ending.map((event, index) => frame(event, number + index)).join(''), answer: response }
}

function idOfItem({ item }: JsonObject): unknown {
  return isObject(item) ? item.id : undefined
}

function frame(event: { readonly type: string }, sequence_number: number): string {
  return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`
}
