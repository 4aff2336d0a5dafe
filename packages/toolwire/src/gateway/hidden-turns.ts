/**
 * Calls the gateway ran beside calls of the client's own. The client never saw them, so its next request lacks
 * them, and they are put back from here. Bounded; what is forgotten is only missing from the model's view.
 */
import type { HiddenTurn } from '@toolwire/core'

export interface HiddenTurns {
  /** Nothing is remembered of an answer that hides nothing. */
  remember(owner: string, turn: HiddenTurn | undefined): void
  recall(owner: string, callId: string): HiddenTurn | undefined
}

export function createHiddenTurns(limit: number): HiddenTurns {
  const turns = new Map<string, HiddenTurn>()
  const keyOf = (owner: string, callId: string): string => `${owner} ${callId}`
  return {
    remember(owner, turn) {
      if (turn === undefined) return
      for (const callId of turn.callIds) turns.set(keyOf(owner, callId), turn)
      for (const oldest of turns.keys()) {
        if (turns.size <= limit) break
        turns.delete(oldest)
      }
    },
    recall: (owner, callId) => turns.get(keyOf(owner, callId)),
  }
}
