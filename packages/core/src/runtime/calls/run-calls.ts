/**
 * Runs a batch of calls: every call gets exactly one outcome, in the order of the calls, whatever handlers,
 * schemas, hooks and listeners do. No timer or listener is left behind.
 */

import { safeListener } from '../errors.ts'
import type { Host } from '../host.ts'
import { openBatch, type RunContext } from './call-scope.ts'
import { createQueue, createSlots, groupJobs } from './concurrency.ts'
import { errorOf, type Failure } from './failure.ts'
import type { CallOutcome, ToolCall } from './outcome.ts'
import { indexTools, type PreparedCall, prepareCall, type RefusedCall } from './prepare-call.ts'
import { cutText } from './result-content.ts'
import { type CallEnd, runCall } from './run-call.ts'
import { type RunCallsOptions, readRunOptions } from './run-options.ts'
import { textPart } from './tool-result.ts'

/** Rejects only for invalid options or tools. */
export async function runCallsWith(
  host: Host,
  calls: readonly ToolCall[],
  options: RunCallsOptions,
): Promise<CallOutcome[]> {
  const settings = readRunOptions(options)
  const tools = indexTools(options.tools)
  const batch = openBatch(host, settings)
  const run: RunContext = { host, settings, batch, emit: safeListener(options.onEvent) }
  const outcomes = new Map<PreparedCall | RefusedCall, CallOutcome>()
  const finish = (job: PreparedCall | RefusedCall, end: CallEnd): void => {
    const outcome = outcomeOf(job, end, settings.maxResultLength)
    outcomes.set(job, outcome)
    run.emit({ type: 'call-finished', call: job.call, outcome })
  }
  try {
    const jobs = calls.map(call => prepareCall(call, tools, options))
    for (const job of jobs)
      if ('failure' in job) finish(job, { failure: job.failure, attempts: 0, durationMs: 0 })
    const runnable = jobs.filter(isPrepared)
    for (const group of groupJobs(runnable, ({ tool }) => tool.parallel === false))
      await runGroup(group, run, finish)
    return jobs.map(job => outcomes.get(job)).filter(outcome => outcome !== undefined)
  } finally {
    batch.close()
  }
}

function isPrepared(job: PreparedCall | RefusedCall): job is PreparedCall {
  return !('failure' in job)
}

async function runGroup(
  group: readonly PreparedCall[],
  run: RunContext,
  finish: (job: PreparedCall, end: CallEnd) => void,
): Promise<void> {
  const slots = createSlots(run.settings.concurrency)
  const nextTicket = createQueue()
  await Promise.all(
    group.map(async job => {
      const approvalTicket = job.tool.needsApproval === true ? nextTicket() : undefined
      finish(job, await runCall(job, { slots, approvalTicket }, run))
    }),
  )
}

function outcomeOf(job: PreparedCall | RefusedCall, end: CallEnd, maxLength: number): CallOutcome {
  const { attempts, durationMs } = end
  const { call, tool } = job
  const common = {
    call,
    attempts,
    durationMs,
    repaired: 'repaired' in job && job.repaired,
    ...(tool !== undefined && { tool }),
  }
  if ('failure' in end) return { ...common, ...failureOutcome(end.failure, maxLength) }
  const { content, cut } = end.result
  return { ...common, status: 'ok', content, cut, isError: false, fatal: false, value: end.value }
}

/** The model gets the failure as JSON, unless the tool returned its own description of it. */
function failureOutcome(
  failure: Failure,
  maxLength: number,
): Pick<CallOutcome, 'status' | 'content' | 'cut' | 'isError' | 'fatal' | 'error'> {
  const { status, code, returned, fatal = false } = failure
  const message = cutText(failure.message, maxLength)
  const content = returned?.content ?? [textPart(JSON.stringify({ error: true, message, code }))]
  const cut = returned?.cut ?? message !== failure.message
  return { status, content, cut, isError: true, fatal, error: errorOf({ ...failure, message }) }
}
