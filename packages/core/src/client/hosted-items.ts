/** Items of hosted tools: most carry what the provider did; some wait for the client. */

import { own } from '../json/json.ts'
import type { Answer } from '../model/answer.ts'
import type { HostedPart } from '../model/conversation.ts'
import { partsOf } from '../runtime/conversation/answer.ts'
import type { ClientHabits } from '../wires/define-wire.ts'

export function pendingItems(answer: Answer, { clientItems }: ClientHabits): HostedPart[] {
  const hosted = partsOf(answer).filter(part => part.kind === 'hosted')
  // Where the provider ran it after all, what came of it stands in the same answer.
  const answeredIds = new Set(
    hosted.filter(({ type }) => !clientItems.has(type)).map(({ value }) => own(value, 'call_id')),
  )
  return hosted.filter(({ type, value }) => {
    const kind = clientItems.get(type)
    if (kind === undefined) return false
    const [field, provider] = kind.ranBy ?? []
    if (field !== undefined && own(value, field) === provider) return false
    const id = own(value, 'call_id')
    return id === undefined || !answeredIds.has(id)
  })
}
