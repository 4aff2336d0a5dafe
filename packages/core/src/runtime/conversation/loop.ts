/**
 * The loop: ask, run the calls, give each its result, ask again, until the model has answered or something ends it.
 * Wherever it ends, every call in the history has one result, except those the caller must answer.
 */

import { compact } from '../../json/object.ts'
import type { Answer, Usage } from '../../model/answer.ts'
import type { ResultPart } from '../../model/conversation.ts'
import type { CallOutcome } from '../calls/outcome.ts'
import { runCallsWith } from '../calls/run-calls.ts'
import type { RunCallsOptions } from '../calls/run-options.ts'
import { readRunOptions } from '../calls/run-options.ts'
import { describeThrown } from '../describe-error.ts'
import { callListener } from '../safe-listener.ts'
import type { AnswerCall } from './answer.ts'
import { callsOf, failureOf, hostedPending, reasonWithoutCalls, textOf } from './answer.ts'
import type { Limits } from './limits.ts'
import { openLimits } from './limits.ts'
import type { Tell } from './listener.ts'
import { emitDeltas } from './listener.ts'
import type { Reply } from './model-port.ts'
import type { Loop, LoopOptions, LoopResult, PendingCall, Progress, StopReason } from './types.ts'
import { addUsage } from './usage.ts'

const defaultRounds = 20

/** Never rejects over what models, servers or tools do. */
export async function converse(loop: Loop): Promise<LoopResult> {
  const limits = openLimits(loop.host, loop.options)
  const tell: Tell = callListener(loop.options.onEvent)
  try {
    const result = await run(loop, limits, tell)
    tell({ type: 'finished', reason: result.reason })
    return result
  } finally {
    limits.close()
  }
}

/** What one round changes. */
interface Round {
  readonly stop?: StopReason
  readonly outcomes: readonly CallOutcome[]
  readonly pending: readonly PendingCall[]
  readonly truncated: boolean
  readonly error?: Error
}

async function run(loop: Loop, limits: Limits, tell: Tell): Promise<LoopResult> {
  const { session: dialogue, before } = loop
  const replies: Reply[] = []
  const outcomes: (readonly CallOutcome[])[] = []
  let progress: Progress = before
  let text = ''
  const end = (
    reason: StopReason,
    more: { error?: Error; pending?: readonly PendingCall[] } = {},
  ): LoopResult => ({
    pending: [],
    ...more,
    ...progress,
    reason,
    text,
    outcomes,
    replies,
  })

  for (;;) {
    const limit = limits.stopped ?? overLimit(loop, progress)
    if (limit !== undefined) return end(limit)
    const round = progress.rounds + 1
    tell({ type: 'round-started', round })
    let reply: Reply
    try {
      const onFallback = (message: string): void => tell({ type: 'fallback', message })
      reply = await dialogue.request({ signal: limits.signal, onEvent: emitDeltas(round, tell), onFallback })
    } catch (thrown) {
      return end(limits.stopped ?? 'failed', limits.stopped === undefined ? { error: asError(thrown) } : {})
    }
    const { answer } = reply
    replies.push(reply)
    text = textOf(answer)
    const usage = addUsage(progress.usage, answer.usage)
    const tellFinished = (ended: readonly CallOutcome[]): void => {
      const { finish } = answer
      tell({ type: 'round-finished', round, finish, ...compact({ usage: answer.usage }), outcomes: ended })
    }
    const failure = failureOf(answer)
    if (failure !== undefined) {
      progress = { ...progress, usage }
      tellFinished([])
      return end('failed', { error: failure })
    }
    dialogue.addAnswer(answer)
    const done = await takeCalls(loop, answer, limits, tell, progress.truncated)
    progress = { rounds: round, usage, truncated: done.truncated }
    outcomes.push(done.outcomes)
    tellFinished(done.outcomes)
    if (done.stop !== undefined)
      return end(done.stop, { pending: done.pending, ...compact({ error: done.error }) })
  }
}

function overLimit({ options, before }: Loop, { rounds, usage }: Progress): StopReason | undefined {
  const { maxRounds = defaultRounds, maxTokens } = options
  if (rounds - before.rounds >= maxRounds) return 'max_rounds'
  const spent = total(usage) - total(before.usage)
  return maxTokens !== undefined && rounds > before.rounds && spent >= maxTokens ? 'max_tokens' : undefined
}

async function takeCalls(
  loop: Loop,
  answer: Answer,
  limits: Limits,
  tell: Tell,
  toldBefore: boolean,
): Promise<Round> {
  const { session: dialogue } = loop
  const calls = callsOf(answer, dialogue)
  const pending = [...calls.flatMap(({ pending: own }) => own ?? []), ...hostedPending(answer, dialogue)]
  const { reason } = answer.finish
  if (calls.length === 0) {
    const stop = pending.length > 0 ? 'pending' : reasonWithoutCalls(reason)
    return { outcomes: [], pending, truncated: false, ...compact({ stop }) }
  }
  const ours = calls.filter(({ pending: theirs }) => theirs === undefined)
  const outcomes = await runCalls(loop, ours, limits, tell)
  dialogue.addResults(outcomes.map((outcome, i) => resultOf(outcome, ours[i])))
  const truncated = calls.some(({ call }) => call.truncated)
  const fatal = outcomes.find(outcome => outcome.fatal)
  const stop = (): StopReason | undefined => {
    if (fatal !== undefined) return 'fatal'
    if (limits.stopped !== undefined) return limits.stopped
    if (pending.length > 0) return 'pending'
    if (reason === 'refusal') return 'refusal'
    // Being told once that its call was too long is enough for a model that can make it shorter.
    return truncated && toldBefore ? (reason === 'filter' ? 'filter' : 'length') : undefined
  }
  const error = fatal === undefined ? undefined : asError(fatal.error?.cause)
  return { outcomes, pending, truncated, ...compact({ stop: stop(), error }) }
}

async function runCalls(
  { host, session: dialogue, options }: Loop,
  calls: readonly AnswerCall[],
  { signal }: Limits,
  tell: Tell,
): Promise<readonly CallOutcome[]> {
  if (calls.length === 0) return []
  const { tools } = dialogue
  const list = calls.map(({ call }) => call)
  return runCallsWith(host, list, { ...callOptions(options), tools, signal, onEvent: tell })
}

/** Wrong options are thrown before anything is sent, and not when the first call comes. */
export function checkCallOptions(options: LoopOptions): void {
  readRunOptions({ ...callOptions(options), tools: [] })
}

function callOptions(options: LoopOptions): Omit<RunCallsOptions, 'tools'> {
  const { concurrency, batchTimeoutMs, retries, approve, repairArguments, maxResultLength } = options
  const given = { concurrency, batchTimeoutMs, retries, approve, repairArguments, maxResultLength }
  return compact({ ...given, timeoutMs: options.callTimeoutMs })
}

function resultOf({ call, content, isError }: CallOutcome, asked: AnswerCall | undefined): ResultPart {
  const [only] = content
  return {
    kind: 'result',
    form: asked?.part.form ?? 'function',
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
  return thrown instanceof Error ? thrown : new Error(describeThrown(thrown).message, { cause: thrown })
}
