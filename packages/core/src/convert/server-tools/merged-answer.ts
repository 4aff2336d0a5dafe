/** Merges the rounds of a complete (not streamed) answer into one answer for the client. */

import { append, compact } from '../../json/object.ts'
import type { Answer, Usage } from '../../model/answer.ts'
import type { Part, Turn } from '../../model/conversation.ts'
import { addUsage } from '../../model/usage.ts'
import type { ServerRound } from './server-round.ts'

export class MergedAnswer {
  readonly #turns: Turn[] = []
  #head: Pick<Answer, 'id' | 'model' | 'createdAt'> | undefined
  #usage: Usage | undefined

  /** The rounds so far as one answer, which goes on. */
  get soFar(): Answer {
    return {
      ...this.#head,
      turns: this.#turns,
      finish: { reason: 'stop' },
      ...compact({ usage: this.#usage }),
    }
  }

  /** Returns the merged answer, with this round as its end. */
  with(answer: Answer): Answer {
    if (this.#head === undefined || answer.error !== undefined) return answer
    const { id: _, model: __, createdAt: ___, usage: more, ...rest } = answer
    const turns = [...this.#turns, ...answer.turns]
    return { ...rest, ...this.#head, turns, ...compact({ usage: addUsage(this.#usage, more) }) }
  }

  /** Adds a round whose server tool calls have been answered. */
  add({ id, model, createdAt, usage, turns }: Answer, round: ServerRound): void {
    this.#head ??= compact({ id, model, createdAt })
    this.#usage = addUsage(this.#usage, usage)
    append(this.#turns, turns)
    const items = clientParts(round)
    if (items.length > 0) this.#turns.push({ role: 'assistant', parts: items, root: [] })
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
