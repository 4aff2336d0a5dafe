/**
 * The rounds of a conversation: sends the history, runs the calls of the answer and appends their results. However it
 * ends, every call in the history has exactly one result, except the pending ones that the caller must answer.
 */

import { compact } from '../../json/object.ts'
import type { Answer, Usage } from '../../model/answer.ts'
import type { ResultPart } from '../../model/conversation.ts'
import { addTokens } from '../../model/usage.ts'
import type { CallOutcome } from '../calls/outcome.ts'
import { runCallsWith } from '../calls/run-calls.ts'
import { type RunCallsOptions, readRunOptions } from '../calls/run-options.ts'
import { describeError, safeListener } from '../errors.ts'
import type { RoundAnswer, RoundSteps, RoundsEnd } from '../rounds.ts'
import { runRounds } from '../rounds.ts'
import { type Limits, openLimits } from './abort.ts'
import type { AnswerCall, Emit } from './answer.ts'
import { callsOf, emitDeltas, failureOf, hostedPending, reasonOf, textOf } from './answer.ts'
import type { Reply } from './model-port.ts'
import type { Loop, LoopOptions, LoopResult, PendingCall, Progress, Session, StopReason } from './types.ts'

const defaultRounds = 20

/** Never rejects because of a model, a server or a tool. */
export async function runLoop(loop: Loop): Promise<LoopResult> {
  const limits = openLimits(loop.host, loop.options)
  const { maxRounds = defaultRounds, onEvent } = loop.options
  const emit: Emit = safeListener(onEvent)
  const rounds = new ConversationRounds(loop, limits, emit)
  try {
    const wasTruncated = loop.before.truncated
    const result = rounds.end(await runRounds(rounds, { maxRounds, truncated: 'retry', wasTruncated }))
    emit({ type: 'finished', reason: result.reason })
    return result
  } finally {
    limits.close()
  }
}

interface ConversationAnswer extends RoundAnswer {
  readonly answer: Answer
  readonly calls: readonly AnswerCall[]
  readonly pending: readonly PendingCall[]
}

/** The steps of a round on a session; every answer and every outcome goes to the history before the next step. */
class ConversationRounds implements RoundSteps<ConversationAnswer, CallOutcome> {
  readonly #loop: Loop
  readonly #limits: Limits
  readonly #emit: Emit
  readonly #replies: Reply[] = []
  readonly #outcomes: (readonly CallOutcome[])[] = []
  #progress: Progress
  #pending: readonly PendingCall[] = []
  #fatal: CallOutcome | undefined
  /** Why the steps ended the rounds. */
  #stop: { readonly reason: StopReason; readonly error?: Error } = { reason: 'failed' }

  constructor(loop: Loop, limits: Limits, emit: Emit) {
    this.#loop = loop
    this.#limits = limits
    this.#emit = emit
    this.#progress = loop.before
  }

  stopped(): boolean {
    const { stopped } = this.#limits
    if (this.#fatal !== undefined) this.#stop = { reason: 'fatal', error: asError(this.#fatal.error?.cause) }
    else if (stopped !== undefined) this.#stop = { reason: stopped }
    else return false
    return true
  }

  async request(): Promise<ConversationAnswer | undefined> {
    const { session } = this.#loop
    const { rounds, usage } = this.#progress
    const round = rounds + 1
    if (isOverBudget(this.#loop, this.#progress)) return this.#stopWith('max_tokens')
    this.#emit({ type: 'round-started', round })
    const { signal } = this.#limits
    const onFallback = (message: string): void => this.#emit({ type: 'fallback', message })
    let reply: Reply
    try {
      reply = await session.request({ signal, onEvent: emitDeltas(round, this.#emit), onFallback })
    } catch (thrown) {
      return this.stopped() ? undefined : this.#stopWith('failed', asError(thrown))
    }
    const { answer } = reply
    this.#replies.push(reply)
    this.#progress = { ...this.#progress, usage: addTokens(usage, answer.usage) }
    const failure = failureOf(answer)
    if (failure !== undefined) {
      this.#emitFinished(answer, round, [])
      return this.#stopWith('failed', failure)
    }
    session.addAnswer(answer)
    return readCalls(answer, session)
  }

  run({ calls }: ConversationAnswer): Promise<readonly CallOutcome[]> {
    const { host, session, options } = this.#loop
    const { tools } = session
    const list = calls.map(({ call }) => call)
    const { signal } = this.#limits
    return runCallsWith(host, list, { ...callOptions(options), tools, signal, onEvent: this.#emit })
  }

  results({ answer, calls, pending, truncated }: ConversationAnswer, outcomes: readonly CallOutcome[]): void {
    const round = this.#progress.rounds + 1
    if (outcomes.length > 0)
      this.#loop.session.addResults(outcomes.map((outcome, i) => resultOf(outcome, calls[i])))
    this.#fatal = outcomes.find(({ fatal }) => fatal)
    this.#pending = pending
    this.#progress = { ...this.#progress, rounds: round, truncated }
    this.#outcomes.push(outcomes)
    this.#emitFinished(answer, round, outcomes)
  }

  end(end: RoundsEnd): LoopResult {
    const last = this.#replies.at(-1)?.answer
    return {
      pending: this.#pending,
      ...this.#progress,
      ...(end === 'stopped' ? this.#stop : { reason: reasonOf(end, last?.finish.reason) }),
      text: last === undefined ? '' : textOf(last),
      outcomes: this.#outcomes,
      replies: this.#replies,
    }
  }

  #stopWith(reason: StopReason, error?: Error): undefined {
    this.#stop = { reason, ...compact({ error }) }
  }

  #emitFinished({ finish, usage }: Answer, round: number, outcomes: readonly CallOutcome[]): void {
    this.#emit({ type: 'round-finished', round, finish, ...compact({ usage }), outcomes })
  }
}

function isOverBudget({ options, before }: Loop, { rounds, usage }: Progress): boolean {
  const spent = total(usage) - total(before.usage)
  return options.maxTokens !== undefined && rounds > before.rounds && spent >= options.maxTokens
}

function readCalls(answer: Answer, session: Session): ConversationAnswer {
  const calls = callsOf(answer, session)
  const pending = [...calls.flatMap(call => call.pending ?? []), ...hostedPending(answer, session)]
  const { reason } = answer.finish
  return {
    answer,
    calls: calls.filter(call => call.pending === undefined),
    pending,
    othersWait: pending.length > 0,
    truncated: calls.some(({ call }) => call.truncated),
    refused: reason === 'refusal',
    paused: reason === 'pause',
  }
}

/** Throws for invalid options before anything is sent, not at the first call. */
export function checkCallOptions(options: LoopOptions): void {
  readRunOptions({ ...callOptions(options), tools: [] })
}

function callOptions(options: LoopOptions): Omit<RunCallsOptions, 'tools'> {
  const { concurrency, batchTimeoutMs, retries, approve, repairArguments, maxResultLength } = options
  const shared = { concurrency, batchTimeoutMs, retries, approve, repairArguments, maxResultLength }
  return compact({ ...shared, timeoutMs: options.callTimeoutMs })
}

function resultOf({ call, content, isError }: CallOutcome, source: AnswerCall | undefined): ResultPart {
  const [only] = content
  return {
    kind: 'result',
    form: source?.part.form ?? 'function',
    callId: call.id,
    content,
    path: [],
    ...(content.length === 1 && only?.kind === 'text' && { plain: true }),
    ...(isError && { isError }),
  }
}

function total({ input, output }: Usage): number {
  return input + output
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(describeError(thrown).message, { cause: thrown })
}
