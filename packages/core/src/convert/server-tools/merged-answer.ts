/** Merges the rounds of a complete (not streamed) answer into one answer for the client. */

import { append, compact } from '../../json/object.ts'
import type { Answer, Usage } from '../../model/answer.ts'
import type { Part, Turn } from '../../model/conversation.ts'
import { addUsage } from '../../model/usage.ts'
import type { ServerRound } from './server-round.ts'

export interface MergedAnswer {
  /** Returns the merged answer, with this round as its end. */
  with(answer: Answer): Answer
  /** Adds a round whose server tool calls have been answered. */
  add(answer: Answer, round: ServerRound): void
}

export function createMergedAnswer(): MergedAnswer {
  const turns: Turn[] = []
  let head: Pick<Answer, 'id' | 'model' | 'createdAt'> | undefined
  let usage: Usage | undefined
  return {
    with(answer) {
      if (head === undefined || answer.error !== undefined) return answer
      const { id: _, model: __, createdAt: ___, usage: more, ...rest } = answer
      return {
        ...rest,
        ...head,
        turns: [...turns, ...answer.turns],
        ...compact({ usage: addUsage(usage, more) }),
      }
    },
    add(answer, round) {
      const { id, model, createdAt } = answer
      head ??= compact({ id, model, createdAt })
      usage = addUsage(usage, answer.usage)
      append(turns, answer.turns)
      const items = clientParts(round)
      if (items.length > 0) turns.push({ role: 'assistant', parts: items, root: [] })
    },
  }
}

/** The items for the round's server tool calls, then the results that are separate parts, as in a stream. */
function clientParts({ hostedItems: items, results = [] }: ServerRound): Part[] {
  const calls: Part[] = []
  const apart: Part[] = []
  for (const result of results) {
    const call = items.get(result.callId ?? '')
    if (call === undefined) continue
    calls.push(call.apart ? call.begun : call.ended(result))
    if (call.apart) apart.push(call.ended(result))
  }
  return [...calls, ...apart]
}
