/** What the status of a response means to a store. */
import type { Item, ResponseRecord } from './store.ts'

const UNFINISHED = new Set(['queued', 'in_progress'])
/** A response that failed or was cancelled leaves calls without results, and no conversation goes on from there. */
const JOINING = new Set(['completed', 'incomplete'])

export const isFinished = (status: string): boolean => !UNFINISHED.has(status)

export const joinsConversation = (status: string): boolean => JOINING.has(status)

/** What a response not yet part of its conversation adds to it, or will: an unfinished one is looked at early. */
export function itemsForConversation({ status, input, output }: ResponseRecord): readonly Item[] {
  if (joinsConversation(status)) return [...input, ...output]
  return isFinished(status) ? [] : input
}

/** The response object as it reads after its process died. */
export function failedByRestart(response: string): string {
  return failedWith(response, {
    code: 'server_restart',
    message: 'The server stopped before this response was finished. Send the request again.',
  })
}

/** The response object as one that failed. A text that is not an object stays as it is. */
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
