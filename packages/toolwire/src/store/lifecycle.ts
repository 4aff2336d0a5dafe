/** What the status of a response means to a store. */
import type { Item, ResponseRecord } from './store.ts'

const unfinished = new Set(['queued', 'in_progress'])
/** A failed or cancelled response may leave calls without results, which a conversation cannot continue from. */
const joining = new Set(['completed', 'incomplete'])

export const isFinished = (status: string): boolean => !unfinished.has(status)

/** An end is final: clients were told of it. Whoever did not get the receipt of a save may repeat it. */
export const mayFollow = (before: string, after: string): boolean => !isFinished(before) || after === before

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

const longestMember = 1024

/** Without items, and without any long text or list. */
export function bareReceipt(record: ResponseRecord): ResponseRecord {
  const { responsePieces: _, ...rest } = record
  const short = (_name: string, value: unknown): unknown => {
    if (typeof value === 'string') return value.length > longestMember ? null : value
    return Array.isArray(value) && JSON.stringify(value).length > longestMember ? [] : value
  }
  const parsed = parse(record.response)
  const receipt = typeof parsed === 'object' && parsed !== null ? { ...parsed, output: [] } : {}
  return { ...rest, response: JSON.stringify(receipt, short), input: [], output: [] }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
