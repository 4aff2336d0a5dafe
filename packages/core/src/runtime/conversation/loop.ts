/**
 * The conversation loop: send the request, run the calls of the answer, append their results, repeat. However it ends,
 * every call in the history has exactly one result, except the pending ones that the caller must answer.
 */

import { compact } from '../../json/object.ts'
import type { Answer, Usage } from '../../model/answer.ts'
import type { ResultPart } from '../../model/conversation.ts'
import { addTokens } from '../../model/usage.ts'
import type { CallOutcome } from '../calls/outcome.ts'
import { runCallsWith } from '../calls/run-calls.ts'
import { type RunCallsOptions, readRunOptions } from '../calls/run-options.ts'
import { describeError, safeListener } from '../errors.ts'
import { type Limits, openLimits } from './abort.ts'
import {
  type AnswerCall,
  callsOf,
  type Emit,
  emitDeltas,
  failureOf,
  hostedPending,
  reasonWithoutCalls,
  textOf,
} from './answer.ts'
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

interface RoundResult {
  readonly stop?: StopReason
  readonly outcomes: readonly CallOutcome[]
  readonly pending: readonly PendingCall[]
  readonly truncated: boolean
  readonly error?: Error
}

async function run(loop: Loop, limits: Limits, emit: Emit): Promise<LoopResult> {
  const { session, before } = loop
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
    const limit = limits.stopped ?? exceededLimit(loop, progress)
    if (limit !== undefined) return end(limit)
    const round = progress.rounds + 1
    emit({ type: 'round-started', round })
    let reply: Reply
    try {
      const onFallback = (message: string): void => emit({ type: 'fallback', message })
      reply = await session.request({ signal: limits.signal, onEvent: emitDeltas(round, emit), onFallback })
    } catch (thrown) {
      return end(limits.stopped ?? 'failed', limits.stopped === undefined ? { error: asError(thrown) } : {})
    }
    const { answer } = reply
    replies.push(reply)
    text = textOf(answer)
    const usage = addTokens(progress.usage, answer.usage)
    const emitFinished = (ofRound: readonly CallOutcome[]): void => {
      const { finish } = answer
      emit({ type: 'round-finished', round, finish, ...compact({ usage: answer.usage }), outcomes: ofRound })
    }
    const failure = failureOf(answer)
    if (failure !== undefined) {
      progress = { ...progress, usage }
      emitFinished([])
      return end('failed', { error: failure })
    }
    session.addAnswer(answer)
    const done = await handleCalls(loop, answer, limits, emit, progress.truncated)
    progress = { rounds: round, usage, truncated: done.truncated }
    outcomes.push(done.outcomes)
    emitFinished(done.outcomes)
    if (done.stop !== undefined)
      return end(done.stop, { pending: done.pending, ...compact({ error: done.error }) })
  }
}

function exceededLimit({ options, before }: Loop, { rounds, usage }: Progress): StopReason | undefined {
  const { maxRounds = defaultRounds, maxTokens } = options
  if (rounds - before.rounds >= maxRounds) return 'max_rounds'
  const spent = total(usage) - total(before.usage)
  return maxTokens !== undefined && rounds > before.rounds && spent >= maxTokens ? 'max_tokens' : undefined
}

async function handleCalls(
  loop: Loop,
  answer: Answer,
  limits: Limits,
  emit: Emit,
  wasTruncated: boolean,
): Promise<RoundResult> {
  const { session } = loop
  const calls = callsOf(answer, session)
  const pending = [...calls.flatMap(call => call.pending ?? []), ...hostedPending(answer, session)]
  const { reason } = answer.finish
  if (calls.length === 0) {
    const stop = pending.length > 0 ? 'pending' : reasonWithoutCalls(reason)
    return { outcomes: [], pending, truncated: false, ...compact({ stop }) }
  }
  const runnable = calls.filter(call => call.pending === undefined)
  const outcomes = await runCalls(loop, runnable, limits, emit)
  session.addResults(outcomes.map((outcome, i) => resultOf(outcome, runnable[i])))
  const truncated = calls.some(({ call }) => call.truncated)
  const fatal = outcomes.find(outcome => outcome.fatal)
  const stop = (): StopReason | undefined => {
    if (fatal !== undefined) return 'fatal'
    if (limits.stopped !== undefined) return limits.stopped
    if (pending.length > 0) return 'pending'
    if (reason === 'refusal') return 'refusal'
    // After one truncated call the model gets a second chance to make a shorter one, but not a third.
    return truncated && wasTruncated ? (reason === 'filter' ? 'filter' : 'length') : undefined
  }
  const error = fatal === undefined ? undefined : asError(fatal.error?.cause)
  return { outcomes, pending, truncated, ...compact({ stop: stop(), error }) }
}

async function runCalls(
  { host, session, options }: Loop,
  calls: readonly AnswerCall[],
  { signal }: Limits,
  emit: Emit,
): Promise<readonly CallOutcome[]> {
  if (calls.length === 0) return []
  const { tools } = session
  const list = calls.map(({ call }) => call)
  return runCallsWith(host, list, { ...callOptions(options), tools, signal, onEvent: emit })
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
