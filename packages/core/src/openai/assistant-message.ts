/** An answer as the one message in which Chat says it: text and calls together. */

import { dropForeignParts } from '../convert/adapt/foreign-parts.ts'
import { isObject, omit, own } from '../json/json.ts'
import type { Answer } from '../model/answer.ts'
import type { Report } from '../model/diagnostic.ts'
import { builtInConversations } from '../wires/registry.ts'
import { partsOf } from './read-answer.ts'
import type { AssistantMessage } from './tool-manager-types.ts'

/** What the answer says about itself, such as its usage, is no part of the message. */
export function writeAssistantMessage(
  { turns, finish }: Pick<Answer, 'turns' | 'finish'>,
  newId: (prefix: string) => string,
  report: Report,
): AssistantMessage {
  const known = dropForeignParts(turns, { target: builtInConversations.chat.wire, report, sameWire: false })
  reportTruncation({ turns, finish }, report)
  const answer = { turns: known, finish: { reason: 'stop' } } as const
  const { choices } = builtInConversations.chat.encodeAnswer(answer, { newId, now: () => 0 }, report)
  const [choice]: unknown[] = Array.isArray(choices) ? choices : []
  const message = isObject(choice) ? own(choice, 'message') : undefined
  if (!isObject(message)) throw new TypeError('The Chat codec wrote an answer without a message.')
  // The codec writes exactly these fields; a refusal that is not there is left out.
  return omit(message, own(message, 'refusal') === null ? ['refusal'] : []) as unknown as AssistantMessage
}

/** A message has no place for how the answer ended, and who runs its calls must know. */
function reportTruncation(answer: Pick<Answer, 'turns' | 'finish'>, report: Report): void {
  const { reason, raw = reason } = answer.finish
  if (reason !== 'stop' && reason !== 'calls' && reason !== 'refusal') {
    const message = `The answer did not end by itself ("${raw}"); a message of Chat cannot say so.`
    report('field_dropped', ['status'], message)
  }
  for (const part of partsOf(answer)) {
    if (part.kind !== 'call' || part.status !== 'incomplete') continue
    const message = `The call of "${part.name}" was cut off; a message of Chat cannot say so. It will not be run.`
    report('field_dropped', [...part.path, 'status'], message)
  }
}
