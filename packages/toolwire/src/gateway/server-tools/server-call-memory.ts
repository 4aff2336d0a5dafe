/**
 * Calls the gateway ran beside calls of the client's own. The client never saw them, so its next request lacks
 * them, and they are put back from here. Bounded in letters, since results can be long; what is forgotten is only
 * missing from the model's view.
 */
import type { HiddenTurn } from '@toolwire/core'

export interface HiddenTurns {
  /** Nothing is remembered of an answer that hides nothing. */
  remember(owner: string, turn: HiddenTurn | undefined): void
  recall(owner: string, callId: string): HiddenTurn | undefined
}

interface Kept {
  readonly turn: HiddenTurn
  readonly length: number
}

export function createHiddenTurns(limit: number): HiddenTurns {
  const turns = new Map<string, Kept>()
  let total = 0
  const keyOf = (owner: string, callId: string): string => `${owner} ${callId}`
  const drop = (key: string): void => {
    total -= turns.get(key)?.length ?? 0
    turns.delete(key)
  }
  const put = (key: string, kept: Kept): void => {
    drop(key)
    turns.set(key, kept)
    total += kept.length
  }
  return {
    remember(owner, turn) {
      if (turn === undefined) return
      const { length } = JSON.stringify(turn)
      for (const callId of turn.callIds) put(keyOf(owner, callId), { turn, length })
      for (const oldest of turns.keys()) {
        if (total <= limit) break
        drop(oldest)
      }
    },
    recall: (owner, callId) => turns.get(keyOf(owner, callId))?.turn,
  }
}
