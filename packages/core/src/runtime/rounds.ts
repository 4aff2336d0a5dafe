/**
 * The one driver of rounds: request, calls, run, results, request. It owns the order of the steps and the rules for when
 * they end. What a request, a call and a result are is known to the steps alone: a conversation, or the gateway.
 */

/** What the driver must know of an answer. */
export interface RoundAnswer {
  /** The calls that are run here. */
  readonly calls: readonly unknown[]
  /** Somebody else has calls to run as well. */
  readonly othersWait: boolean
  /** A call was cut off, or may be missing. */
  readonly truncated: boolean
  /** The model refused to go on, although it made calls. */
  readonly refused?: boolean
  /** The provider paused the answer and needs another request to go on, calls or not. */
  readonly paused?: boolean
}

/** What follows an answer. In the `last` round the model should not call, since its calls would not be run. */
export type NextRound = 'round' | 'last' | 'none'

export interface RoundSteps<Answer extends RoundAnswer, Result> {
  /** Checked between the steps. After `true` no further step is taken. */
  stopped(): boolean
  /** Sends the request of a round, counted from 1. `undefined`: the steps themselves have ended the rounds. */
  request(round: number): Promise<Answer | undefined>
  /** Runs the calls of the answer. Left out if there are none. */
  run(answer: Answer, next: NextRound): Promise<readonly Result[]>
  /** Takes the results of every answer, also where there are none: for the next request, or for the record. */
  results(answer: Answer, results: readonly Result[], next: NextRound): void | Promise<void>
}

export interface RoundLimits {
  /** The largest number of requests. */
  readonly maxRounds: number
  /**
   * What becomes of an answer that was cut off. `drop`: its calls are not run, and the rounds end. `retry`: each call is
   * run to an error, and the model gets one chance to make shorter calls.
   */
  readonly truncated: 'drop' | 'retry'
  /** The round before the first one was truncated, so that the chance has been used. */
  readonly wasTruncated?: boolean
}

/**
 * `answered`: there are no calls. `pending`: others have calls to run. `cut`: the model refused, or its calls were cut
 * off. `limit`: there are no rounds left for the results. `stopped`: the steps ended it.
 */
export type RoundsEnd = 'answered' | 'pending' | 'cut' | 'limit' | 'stopped'

export async function runRounds<Answer extends RoundAnswer, Result>(
  steps: RoundSteps<Answer, Result>,
  { maxRounds, truncated, wasTruncated = false }: RoundLimits,
): Promise<RoundsEnd> {
  let hasChance = truncated === 'retry' && !wasTruncated
  for (let round = 1; ; round++) {
    const answer = steps.stopped() ? undefined : await steps.request(round)
    if (answer === undefined) return 'stopped'
    const end = endOf(answer, hasChance) ?? (round >= maxRounds ? 'limit' : undefined)
    const next = end !== undefined ? 'none' : round + 1 >= maxRounds ? 'last' : 'round'
    const runs = answer.calls.length > 0 && (end !== 'cut' || truncated === 'retry')
    await steps.results(answer, runs ? await steps.run(answer, next) : [], next)
    // An answer without calls is complete, even if it was stopped meanwhile.
    if (end !== 'answered' && steps.stopped()) return 'stopped'
    if (end !== undefined) return end
    hasChance = truncated === 'retry' && !answer.truncated
  }
}

/** Why no round follows this answer: one follows only where all its calls are run here, and are complete. */
function endOf(
  { calls, othersWait, truncated, refused, paused }: RoundAnswer,
  hasChance: boolean,
): RoundsEnd | undefined {
  if (othersWait) return 'pending'
  if (calls.length === 0) return paused ? undefined : 'answered'
  return refused || (truncated && !hasChance) ? 'cut' : undefined
}
