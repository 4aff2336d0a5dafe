/** Tells a listener of a conversation what an answer says while it is being said. */
import type { Part } from '../../model/conversation.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import type { ConversationEvent } from './types.ts'

export type Tell = (event: ConversationEvent) => void

export function emitDeltas(round: number, tell: Tell): (event: StreamEvent) => void {
  const parts = new Map<number, Part>()
  return event => {
    if (event.type === 'part-start') parts.set(event.index, event.part)
    if (event.type !== 'part-delta') return
    const part = parts.get(event.index)
    const { text } = event
    if (part?.kind === 'text') tell({ type: 'text-delta', round, text })
    if (part?.kind === 'reasoning') tell({ type: 'reasoning-delta', round, text })
    if (part?.kind !== 'call') return
    const { name, id } = part
    tell({ type: 'call-delta', round, name, ...(id !== undefined && { callId: id }), text })
  }
}
