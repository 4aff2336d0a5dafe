/** Calls that the client runs: functions, custom tools, and items with a `call_id` such as `local_shell_call`. */

import { ownString } from '../../json/object.ts'
import type { Part } from '../../model/conversation.ts'
import type { Request } from '../../model/request.ts'

const ending = '_call'

/** The id that the client's result will refer to, if the part is a call. */
export function callIdOf(part: Part): string | undefined {
  if (part.kind === 'call') return part.id
  return part.kind === 'hosted' && part.type.endsWith(ending) ? ownString(part.value, 'call_id') : undefined
}

/** The calls of earlier answers in a request. */
export function sentCallIds({ turns }: Request): string[] {
  return turns
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ parts }) => parts.flatMap(part => callIdOf(part) ?? []))
}

/** The name of the tool that the client is to run; an empty list if the part is not a call. */
export function calledName(part: Part): string[] {
  if (part.kind === 'call') return [part.name]
  return part.kind === 'hosted' && callIdOf(part) !== undefined ? [part.type.slice(0, -ending.length)] : []
}
