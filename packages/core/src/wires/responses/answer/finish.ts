/** How an answer ended: `status` and, when it is incomplete, why. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Finish, FinishReason } from '../../../model/answer.ts'
import { isCall, type Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import { reportUnknownFinish } from '../../kit/finish-words.ts'

/** An answer that was cut short counts as such even if it has calls, which must not be run. */
export function decodeFinish(body: JsonObject, turns: readonly Turn[], report: Report): Finish {
  const status = own(body, 'status')
  switch (status) {
    case 'completed':
      return { reason: turns.some(hasLostCall) ? 'unfinished' : reasonOf(turns), raw: status }
    case 'incomplete':
      return decodeIncomplete(own(body, 'incomplete_details'))
    case 'failed':
    case 'cancelled':
      return { reason: status, raw: status }
    default:
      if (typeof status === 'string') {
        if (!statuses.has(status)) reportUnknownFinish(status, ['status'], report)
        return { reason: 'unfinished', raw: status }
      }
      if (isObject(own(body, 'error'))) return { reason: 'failed' }
      // A status that is no word may mean anything, and a body that says nothing at all is no answer.
      return {
        reason: (status ?? undefined) === undefined && turns.length > 0 ? reasonOf(turns) : 'unfinished',
      }
  }
}

/** Only `content_filter` is about the content; every other reason is a limit. */
function decodeIncomplete(details: unknown): Finish {
  const reason = isObject(details) ? own(details, 'reason') : undefined
  if (typeof reason !== 'string') return { reason: 'length', raw: 'incomplete' }
  return { reason: reason === 'content_filter' ? 'filter' : 'length', raw: reason }
}

const statuses: ReadonlySet<unknown> = new Set([
  'completed',
  'failed',
  'in_progress',
  'cancelled',
  'queued',
  'incomplete',
])
const reasons: ReadonlySet<unknown> = new Set(['max_output_tokens', 'max_tokens', 'content_filter'])

/** Whether the model's `finish` already holds this field of an answer. */
export function saysFinish(key: unknown, value: unknown): boolean {
  if (key === 'status') return typeof value === 'string'
  if (key !== 'incomplete_details') return key === 'completed_at'
  return (
    isObject(value) && Object.entries(value).every(([name, word]) => name === 'reason' && reasons.has(word))
  )
}

/** A call without a name, which nobody can run. Without it the answer is not what the model meant to say. */
function hasLostCall({ parts }: Turn): boolean {
  return parts.some(part => {
    const type = part.kind === 'opaque' && isObject(part.value) ? own(part.value, 'type') : undefined
    return type === 'function_call' || type === 'custom_tool_call'
  })
}

function reasonOf(turns: readonly Turn[]): FinishReason {
  if (turns.some(({ parts }) => parts.some(isCall))) return 'calls'
  return saysRefusal(turns) ? 'refusal' : 'stop'
}

export interface WrittenFinish {
  readonly status: string
  readonly incomplete_details: JsonObject | null
}

export function saysRefusal(turns: readonly Turn[]): boolean {
  return turns.some(({ parts }) => parts.some(part => part.kind === 'refusal'))
}

/** A refusal with a part of its own completes the answer; one that is only a reason makes it incomplete. */
export function encodeFinish({ reason }: Finish, saysRefusal: boolean): WrittenFinish {
  switch (reason) {
    case 'refusal':
      if (!saysRefusal) return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
      return { status: 'completed', incomplete_details: null }
    case 'stop':
    case 'calls':
      return { status: 'completed', incomplete_details: null }
    case 'length':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    case 'filter':
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
    case 'failed':
    case 'cancelled':
      return { status: reason, incomplete_details: null }
    // This wire has no status for an answer that is to be continued or was cut off; "incomplete" is the nearest.
    // Clients take an incomplete answer without a reason for a complete one.
    case 'pause':
    case 'unfinished':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  }
}
