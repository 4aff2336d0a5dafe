/**
 * Runs one call: checks its arguments, asks for approval, waits for a slot, and runs the handler with its attempts and
 * its deadline. Never rejects; every failure is a `CallEnd`.
 */

import type { ToolContext } from '../tools/tool-spec.ts'
import { openScope, type RunContext, type Scope, type ScopeEnd } from './call-scope.ts'
import {
  type CheckedArguments,
  checkArguments,
  failureBeforeStart,
  type HandlerResult,
  normalizeResult,
} from './check-values.ts'
import type { Slots, Ticket } from './concurrency.ts'
import { denied, errorOf, type Failure, stoppedWhileRunning, thrownFailure, timedOut } from './failure.ts'
import type { PreparedCall } from './prepare-call.ts'

export interface CallSchedule {
  readonly slots: Slots
  /** Only for calls that need approval: approvals are requested in the order of the calls. */
  readonly approvalTicket: Ticket | undefined
}

export async function runCall(
  job: PreparedCall,
  { slots, approvalTicket }: CallSchedule,
  run: RunContext,
): Promise<CallEnd> {
  const scope = openScope(run.host, run.batch)
  const checked = await checkAndApprove(job, approvalTicket, scope, run)
  const end =
    'failure' in checked
      ? { ...checked, attempts: 0, durationMs: 0 }
      : await runInSlot(job, checked.args, slots, scope, run)
  scope.close()
  stopIfFatal(end, run)
  return end
}

async function runInSlot(
  job: PreparedCall,
  args: unknown,
  slots: Slots,
  scope: Scope,
  run: RunContext,
): Promise<CallEnd> {
  const slot = await scope.settle(() => slots.acquire())
  if (slot.type === 'ended')
    return { failure: failureBeforeStart(slot.end, job.tool.name), attempts: 0, durationMs: 0 }
  const end = await runHandler(job, args, scope, run)
  // Stop before the slot is released: after a fatal error no other call may start.
  stopIfFatal(end, run)
  slots.release()
  return end
}

function stopIfFatal(end: CallEnd, { batch }: RunContext): void {
  if ('failure' in end && end.failure.fatal === true) batch.stop({ by: 'fatal', reason: end.failure.cause })
}

async function checkAndApprove(
  job: PreparedCall,
  ticket: Ticket | undefined,
  scope: Scope,
  run: RunContext,
): Promise<CheckedArguments> {
  const stopLimit = scope.limit(job.tool.timeoutMs ?? run.settings.timeoutMs)
  const checked = await checkArguments(job, scope)
  stopLimit()
  if (ticket === undefined) return checked
  const approved =
    'failure' in checked ? checked : await waitForApproval(job, checked.args, ticket, scope, run)
  ticket.release()
  return approved
}

async function waitForApproval(
  job: PreparedCall,
  args: unknown,
  ticket: Ticket,
  scope: Scope,
  run: RunContext,
): Promise<CheckedArguments> {
  const waited = await scope.settle(() => ticket.ready)
  if (waited.type === 'ended') return { failure: failureBeforeStart(waited.end, job.tool.name) }
  const refusal = await requestApproval(job, args, scope, run)
  return refusal === undefined ? { args } : { failure: refusal }
}

/** `undefined` if the call may run. Only `true` or `{ approved: true }` approves it. */
async function requestApproval(
  { call, tool }: PreparedCall,
  args: unknown,
  scope: Scope,
  { settings: { approve } }: RunContext,
): Promise<Failure | undefined> {
  const subject = `The call of the tool "${tool.name}"`
  if (approve === undefined)
    return denied(`${subject} needs someone's approval, and nobody can be asked here. Go on without it.`)
  const settled = await scope.settle(() => approve({ call, tool, args, signal: scope.signal }))
  if (settled.type === 'ended') return failureBeforeStart(settled.end, tool.name)
  if (settled.type === 'threw') {
    const failure = thrownFailure(settled.thrown)
    if (failure.fatal === true) return failure
    const message = `${subject} was not approved, because asking for approval failed. Go on without it.`
    return denied(message, settled.thrown)
  }
  const answer: unknown = settled.value
  const { approved, reason } = Object(answer) as { readonly approved?: unknown; readonly reason?: unknown }
  if (answer === true || approved === true) return undefined
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}.` : '.'
  return denied(
    `${subject} was not approved${why.replace(/\.\.$/, '.')} Do not repeat it unless you are asked to.`,
  )
}

/** How a call ended; `run-calls.ts` makes the outcome of it. */
export type CallEnd = HandlerResult & { readonly attempts: number; readonly durationMs: number }

async function runHandler(
  job: PreparedCall,
  firstArgs: unknown,
  scope: Scope,
  run: RunContext,
): Promise<CallEnd> {
  const { call, tool } = job
  const { host, settings } = run
  const started = host.now()
  const idempotencyKey = host.newId('run_')
  const maxAttempts = tool.idempotent === true ? settings.retries.attempts : 1
  let args = firstArgs
  let attempt = 1
  let lastFailure: string | undefined
  const end = (result: HandlerResult): CallEnd => ({
    ...result,
    attempts: attempt,
    durationMs: host.now() - started,
  })
  const whenEnded = (cause: ScopeEnd): Failure =>
    cause.by === 'deadline'
      ? timedOut(tool.name, cause.milliseconds, lastFailure)
      : stoppedWhileRunning(tool.name, cause)

  scope.limit(tool.timeoutMs ?? settings.timeoutMs)
  run.emit({ type: 'call-started', call, tool, args })
  for (; ; attempt++) {
    const context: ToolContext = {
      signal: scope.signal,
      callId: call.id,
      name: tool.name,
      attempt,
      idempotencyKey,
      progress(data) {
        if (scope.open) run.emit({ type: 'call-progress', call, tool, data })
      },
    }
    const settled = await scope.settle(() => tool.handler(args, context))
    if (settled.type === 'ended') return end({ failure: whenEnded(settled.end) })
    if (settled.type === 'done') {
      const maxLength = settings.maxResultLength
      return end(await normalizeResult(tool, settled.value, { scope, maxLength, whenEnded }))
    }
    const failure = thrownFailure(settled.thrown)
    if (failure.fatal === true || attempt >= maxAttempts) return end({ failure })
    const delayMs = backoff(attempt, run)
    lastFailure = failure.message
    run.emit({ type: 'call-retry', call, tool, attempt, delayMs, error: errorOf(failure) })
    const paused = await scope.pause(delayMs)
    if (paused.type === 'ended') return end({ failure: whenEnded(paused.end) })
    const checked = await checkArguments(job, scope, whenEnded)
    if ('failure' in checked) return end(checked)
    args = checked.args
  }
}

/** Exponential backoff with full jitter, so that calls that failed together are not repeated together. */
function backoff(attempt: number, { host, settings: { retries } }: RunContext): number {
  return host.random() * Math.min(retries.maxMs, retries.baseMs * 2 ** (attempt - 1))
}
