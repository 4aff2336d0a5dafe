/**
 * The one driver of rounds: request, calls, run, results, request. It owns the order of the steps and the rules for when
 * they end. What a request, a call and a result are is known to the steps alone: of a conversation, or of the gateway.
 */

/** What the driver must know of an answer. */
export interface RoundAnswer<Call> {
  /** The calls that are run here. */
  readonly calls: readonly Call[]
  /** Somebody else has calls to run as well. */
  readonly othersWait: boolean
  /** A call was cut off, or may be missing. */
  readonly truncated: boolean
  /** The model refused to go on, although it made calls. */
  readonly refused?: boolean
  /** The provider paused and needs another request to go on, even without calls. */
  readonly paused?: boolean
}

/** What follows an answer. In the `last` round the model should not call, since its calls would get no results. */
export type NextRound = 'round' | 'last' | 'none'

/** The steps of a round, which the driver of rounds calls in their order. */
export interface RoundSteps<Answer extends RoundAnswer<unknown>, Result> {
  /** Checked between the steps; after `true` there is no further request. */
  stopped?(): boolean
  /** Sends the request of a round, counted from 1. `undefined`: the steps themselves have ended the rounds. */
  request(round: number): Promise<Answer | undefined>
  /** Runs the calls of an answer that has some. */
  run(answer: Answer, next: NextRound): Promise<readonly Result[]>
  /** Takes the results of an answer, if any: into the next request, or into the history or record of the last one. */
  results(answer: Answer, results: readonly Result[], next: NextRound): Promise<void> | undefined
}

export interface RoundLimits {
  readonly maxRounds: number
  /**
   * What becomes of truncated calls. `drop`: no call of the answer is run, and the rounds end. `retry`: each is run to
   * an error, and the model gets one chance to make shorter ones.
   */
  readonly truncated: 'drop' | 'retry'
  /** That chance was used in the round before the first one. */
  readonly wasTruncated?: boolean
}

/**
 * `answered`: no calls are left. `pending`: others have calls to run. `cut`: the model refused, or its calls were
 * truncated. `limit`: no round is left. `stopped`: the steps ended it.
 */
export type RoundsEnd = 'answered' | 'pending' | 'cut' | 'limit' | 'stopped'

/** Drives rounds: asks, runs the calls, and goes on until there are none or a limit is reached. */
export async function runRounds<Answer extends RoundAnswer<unknown>, Result>(
  steps: RoundSteps<Answer, Result>,
  { maxRounds, truncated, wasTruncated = false }: RoundLimits,
): Promise<RoundsEnd> {
  let hasChance = truncated === 'retry' && !wasTruncated
  for (let round = 1; ; round++) {
    const answer = steps.stopped?.() ? undefined : await steps.request(round)
    if (answer === undefined) return 'stopped'
    const end = endOf(answer, hasChance) ?? (round >= maxRounds ? 'limit' : undefined)
    const next = end !== undefined ? 'none' : round + 1 >= maxRounds ? 'last' : 'round'
    const runs = answer.calls.length > 0 && (end !== 'cut' || truncated === 'retry')
    const taken = steps.results(answer, runs ? await steps.run(answer, next) : [], next)
    if (taken instanceof Promise) await taken
    // An answer without calls is complete, even if the rounds were stopped meanwhile.
    if (end !== 'answered' && steps.stopped?.()) return 'stopped'
    if (end !== undefined) return end
    hasChance = truncated === 'retry' && !answer.truncated
  }
}

/** Why no round follows this answer. One follows only if all its calls are run here and none is truncated. */
function endOf(answer: RoundAnswer<unknown>, hasChance: boolean): RoundsEnd | undefined {
  const { calls, othersWait, truncated, refused, paused } = answer
  if (othersWait) return 'pending'
  if (calls.length === 0) return paused ? undefined : 'answered'
  return refused || (truncated && !hasChance) ? 'cut' : undefined
}
