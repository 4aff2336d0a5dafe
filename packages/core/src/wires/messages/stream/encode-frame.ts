/** Frames as text, each with its blank line. */

import type { JsonObject } from '../../../json/object.ts'
import { jsonText } from '../../kit/json-text.ts'

/** `undefined` when the value is nested too deep to be written. */
export function frame(type: string, fields: JsonObject): string | undefined {
  const text = jsonText({ type, ...fields })
  return text === undefined ? undefined : `event: ${type}\ndata: ${text}\n\n`
}

/** All that a delta's frame says before the letters of its text. The frame ends with `deltaEnd`. */
export function deltaStart(index: number, type: string, field: string): string {
  const head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},`
  // Joined, since engines would put a sum of texts together anew for each delta.
  return [head, '"delta":{"type":"', type, '","', field, '":"'].join('')
}

export const deltaEnd = '"}}\n\n'

export function stopFrame(index: number): string {
  return `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`
}
