/** Assembles the complete answer from the events of a stream. */
import type { Answer } from './answer.ts'
import type { Turn } from './conversation.ts'
import type { StreamEvent } from './stream-event.ts'

export function foldEvents(events: Iterable<StreamEvent>): Answer {
  let answer: Answer = { turns: [], finish: { reason: 'unfinished' } }
  const turnsByIndex = new Map<number, Turn>()
  for (const event of events) {
    switch (event.type) {
      case 'start': {
        const { type: _, ...head } = event
        answer = { ...answer, ...head }
        break
      }
      case 'part-end':
        turnsByIndex.set(event.index, { role: 'assistant', parts: [event.part], root: event.part.path })
        break
      case 'finish': {
        const { type: _, ...tail } = event
        answer = { ...answer, ...tail }
        break
      }
      case 'error':
        if (event.isCancelled) answer = { ...answer, finish: { reason: 'cancelled' } }
        else answer = { ...answer, finish: { reason: 'failed' }, error: event.error }
        break
      default:
        break
    }
  }
  const turns = [...turnsByIndex].sort(([a], [b]) => a - b).map(([, turn]) => turn)
  return { ...answer, turns }
}
