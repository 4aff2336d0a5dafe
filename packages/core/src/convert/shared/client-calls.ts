/** Calls that the client runs: functions, and those items of its wire for which it waits to be answered. */

import { own } from '../../json/json.ts'
import type { Part } from '../../model/conversation.ts'

const ending = '_call'

/** The id under which the client answers the part, if it is a call. */
export function callIdOf(part: Part): string | undefined {
  if (part.kind === 'call') return part.id
  const id = part.kind === 'hosted' && part.type.endsWith(ending) ? own(part.value, 'call_id') : undefined
  return typeof id === 'string' ? id : undefined
}

/** The name of the tool that the client is to run, if the part is a call. */
export function calledName(part: Part): string[] {
  if (part.kind === 'call') return [part.name]
  return part.kind === 'hosted' && callIdOf(part) !== undefined ? [part.type.slice(0, -ending.length)] : []
}
