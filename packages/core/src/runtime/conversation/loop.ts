/**
 * The rounds of a conversation: sends the history, runs the calls of the answer and appends their results. However it
 * ends, every call in the history has exactly one result, except the pending ones that the caller must answer.
 */

import { compact } from '../../json/object.ts'
import type { Answer, Usage } from '../../model/answer.ts'
import { resultPart } from '../../model/conversation.ts'
import { addTokens } from '../../model/usage.ts'
import type { CallOutcome } from '../calls/outcome.ts'
import { runCallsWith } from '../calls/run-calls.ts'
import { type RunCallsOptions, readRunOptions } from '../calls/run-options.ts'
import { describeError, safeListener } from '../errors.ts'
import type { RoundAnswer, RoundSteps } from '../rounds.ts'
import { runRounds } from '../rounds.ts'
import { type Limits, openLimits } from './abort.ts'
import type { AnswerCall, Emit } from './answer.ts'
import { callsOf, emitDeltas, failureOf, hostedPending, reasonOf, refusalOf, textOf } from './answer.ts'
import type { Reply } from './model-port.ts'
import type { Loop, LoopOptions, LoopResult, PendingCall, Progress, StopReason } from './types.ts'

const defaultRounds = 20

/** Never rejects because of a model, a server or a tool. */
export async function runLoop(loop: Loop): Promise<LoopResult> {
  const limits = openLimits(loop.host, loop.options)
  const emit: Emit = safeListener(loop.options.onEvent)
  try {
    const result = await run(loop, limits, emit)
    emit({ type: 'finished', reason: result.reason })
    return result
  } finally {
    limits.close()
  }
}

interface Round extends RoundAnswer<AnswerCall> {
  readonly answer: Answer
}

async function run(loop: Loop, limits: Limits, emit: Emit): Promise<LoopResult> {
  const { host, session, options, before } = loop
  const { maxRounds = defaultRounds } = options
  const { signal } = limits
  const replies: Reply[] = []
  const outcomes: (readonly CallOutcome[])[] = []
  let progress: Progress = before
  let pending: readonly PendingCall[] = []
  let stop: { readonly reason: StopReason; readonly error?: Error } | undefined
  const emitFinished = ({ finish, usage }: Answer, ofRound: readonly CallOutcome[]): void => {
    const round = progress.rounds + 1
    emit({ type: 'round-finished', round, finish, ...compact({ usage }), outcomes: ofRound })
  }
  const steps: RoundSteps<Round, CallOutcome> = {
    stopped: () => stop !== undefined || limits.stopped !== undefined,
    async request() {
      if (isOverBudget(loop, progress)) stop = { reason: 'max_tokens' }
      if (stop !== undefined) return undefined
      const round = progress.rounds + 1
      emit({ type: 'round-started', round })
      const onFallback = (message: string): void => emit({ type: 'fallback', message })
      let reply: Reply
      try {
        reply = await session.request({ signal, onEvent: emitDeltas(round, emit), onFallback })
      } catch (thrown) {
        if (limits.stopped === undefined) stop = { reason: 'failed', error: asError(thrown) }
        return undefined
      }
      const { answer } = reply
      replies.push(reply)
      progress = { ...progress, usage: addTokens(progress.usage, answer.usage) }
      const failure = failureOf(answer)
      if (failure === undefined) {
        session.addAnswer(answer)
        const calls = callsOf(answer, session)
        pending = [...calls.flatMap(call => call.pending ?? []), ...hostedPending(answer, session)]
        return roundOf(answer, calls, pending)
      }
      stop = { reason: 'failed', error: failure }
      emitFinished(answer, [])
      return undefined
    },
    run({ calls }) {
      const { tools } = session
      const list = calls.map(({ call }) => call)
      return runCallsWith(host, list, { ...callOptions(options), tools, signal, onEvent: emit })
    },
    results({ answer, calls, truncated }, ofRound) {
      const results = ofRound.map(({ call, content, isError }, i) =>
        resultPart(call.id, content, isError, calls[i]?.part.form),
      )
      session.addResults(results)
      const fatal = ofRound.find(outcome => outcome.fatal)
      if (fatal !== undefined) stop = { reason: 'fatal', error: asError(fatal.error?.cause) }
      outcomes.push(ofRound)
      emitFinished(answer, ofRound)
      progress = { ...progress, rounds: progress.rounds + 1, truncated }
    },
  }
  const limit = { maxRounds, truncated: 'retry', wasTruncated: before.truncated } as const
  const end = await runRounds(steps, limit)
  const last = replies.at(-1)?.answer
  const stopped = stop ?? { reason: limits.stopped ?? 'failed' }
  return {
    pending,
    ...progress,
    ...(end === 'stopped' ? stopped : { reason: reasonOf(end, last?.finish.reason) }),
    text: last === undefined ? '' : textOf(last),
    ...compact({ refusal: last && refusalOf(last) }),
    outcomes,
    replies,
  }
}

function isOverBudget({ options, before }: Loop, { rounds, usage }: Progress): boolean {
  const spent = total(usage) - total(before.usage)
  return options.maxTokens !== undefined && rounds > before.rounds && spent >= options.maxTokens
}

function roundOf(answer: Answer, calls: readonly AnswerCall[], pending: readonly PendingCall[]): Round {
  const { reason } = answer.finish
  return {
    answer,
    calls: calls.filter(call => call.pending === undefined),
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

function total({ input, output }: Usage): number {
  return input + output
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(describeError(thrown).message, { cause: thrown })
}
