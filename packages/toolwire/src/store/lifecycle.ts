/** What the status of a response means to a store. */
import type { Item, ResponseRecord } from './store.ts'

const unfinished = new Set(['queued', 'in_progress'])
/** A failed or cancelled response may leave calls without results, which a conversation cannot continue from. */
const joining = new Set(['completed', 'incomplete'])

export const isFinished = (status: string): boolean => !unfinished.has(status)

export const joinsConversation = (status: string): boolean => joining.has(status)

/** What a response adds to its conversation. For an unfinished one: its input, to find duplicates early. */
export function itemsForConversation({ status, input, output }: ResponseRecord): readonly Item[] {
  if (joinsConversation(status)) return [...input, ...output]
  return isFinished(status) ? [] : input
}

/** The response object of a process that died. */
export function failedByRestart(response: string): string {
  return failedWith(response, {
    code: 'server_restart',
    message: 'The server stopped before this response was finished. Send the request again.',
  })
}

/** The response object as a failed one. A text that is not an object is returned unchanged. */
export function failedWith(
  response: string,
  error: { readonly code: string; readonly message: string },
): string {
  const parsed = parse(response)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return response
  return JSON.stringify({ ...parsed, status: 'failed', completed_at: null, error })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
