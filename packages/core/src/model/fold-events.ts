/** The answer that a stream amounts to. */
import type { Answer } from './answer.ts'
import type { Turn } from './conversation.ts'
import type { StreamEvent } from './stream-event.ts'

export function foldEvents(events: Iterable<StreamEvent>): Answer {
  let answer: Answer = { turns: [], finish: { reason: 'unfinished' } }
  const ended = new Map<number, Turn>()
  for (const event of events) {
    switch (event.type) {
      case 'start': {
        const { type: _, ...head } = event
        answer = { ...answer, ...head }
        break
      }
      case 'part-end':
        ended.set(event.index, { role: 'assistant', parts: [event.part], root: event.part.path })
        break
      case 'finish': {
        const { type: _, ...tail } = event
        answer = { ...answer, ...tail }
        break
      }
      case 'error':
        answer = { ...answer, finish: { reason: 'failed' }, error: event.error }
        break
      default:
        break
    }
  }
  const turns = [...ended].sort(([a], [b]) => a - b).map(([, turn]) => turn)
  return { ...answer, turns }
}
