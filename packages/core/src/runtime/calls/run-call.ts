/** One call from its arguments to its end. Never rejects: whatever happens is an end. */

import type { ToolContext } from '../tools/tool-spec.ts'
import { type ScopeEnd, openScope, type RunContext, type Scope } from './call-scope.ts'
import { checkArguments, failureBeforeStart, type CheckedArguments, type HandlerResult, normalizeResult } from './check-values.ts'
import type { Slots, Ticket } from './concurrency.ts'
import { denied, errorOf, type Failure, stoppedWhileRunning, thrownFailure, timedOut } from './failure.ts'
import type { PreparedCall } from './prepare-call.ts'

export interface CallSchedule {
  readonly slots: Slots
  /** For calls that need approval: their turn to ask. */
  readonly approvalTicket: Ticket | undefined
}

export async function runCall(job: PreparedCall, place: CallSchedule, run: RunContext): Promise<CallEnd> {
  const scope = openScope(run.host, run.batch)
  const ready = await checkAndApprove(job, place.approvalTicket, scope, run)
  const end =
    'failure' in ready
      ? { ...ready, attempts: 0, durationMs: 0 }
      : await runInSlot(job, ready.args, place.slots, scope, run)
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
  const room = await scope.settle(() => slots.acquire())
  if (room.type === 'ended')
    return { failure: failureBeforeStart(room.end, job.tool.name), attempts: 0, durationMs: 0 }
  const end = await runHandler(job, args, scope, run)
  // Before the slot is free: no call may start after one that must be the last.
  stopIfFatal(end, run)
  slots.release()
  return end
}

function stopIfFatal(end: CallEnd, { batch }: RunContext): void {
  if ('failure' in end && end.failure.fatal === true) batch.stop({ by: 'fatal', reason: end.failure.cause })
}

async function checkAndApprove(
  job: PreparedCall,
  turn: Ticket | undefined,
  scope: Scope,
  run: RunContext,
): Promise<CheckedArguments> {
  const stopLimit = scope.limit(job.tool.timeoutMs ?? run.settings.timeoutMs)
  const ready = await checkArguments(job, scope)
  stopLimit()
  if (turn === undefined) return ready
  const approved = 'failure' in ready ? ready : await waitForApproval(job, ready.args, turn, scope, run)
  turn.release()
  return approved
}

async function waitForApproval(
  job: PreparedCall,
  args: unknown,
  turn: Ticket,
  scope: Scope,
  run: RunContext,
): Promise<CheckedArguments> {
  const come = await scope.settle(() => turn.ready)
  if (come.type === 'ended') return { failure: failureBeforeStart(come.end, job.tool.name) }
  const refusal = await requestApproval(job, args, scope, run)
  return refusal === undefined ? { args } : { failure: refusal }
}

/** Nothing when the call may run. */
export async function requestApproval(
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

/** How a call ended, before it is written down as an outcome. */
export type CallEnd = HandlerResult & { readonly attempts: number; readonly durationMs: number }

export async function runHandler(
  job: PreparedCall,
  firstArgs: unknown,
  scope: Scope,
  run: RunContext,
): Promise<CallEnd> {
  const { call, tool } = job
  const { host, settings } = run
  const started = host.now()
  const idempotencyKey = host.newId('run_')
  const mostAttempts = tool.idempotent === true ? settings.retries.attempts : 1
  let args = firstArgs
  let attempt = 1
  let lastFailure: string | undefined
  const end = (returned: HandlerResult): CallEnd => ({
    ...returned,
    attempts: attempt,
    durationMs: host.now() - started,
  })
  const whenEnded = (why: ScopeEnd): Failure =>
    why.by === 'deadline'
      ? timedOut(tool.name, why.milliseconds, lastFailure)
      : stoppedWhileRunning(tool.name, why)

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
    if (failure.fatal === true || attempt >= mostAttempts) return end({ failure })
    const delayMs = backoff(attempt, run)
    lastFailure = failure.message
    run.emit({ type: 'call-retry', call, tool, attempt, delayMs, error: errorOf(failure) })
    const paused = await scope.pause(delayMs)
    if (paused.type === 'ended') return end({ failure: whenEnded(paused.end) })
    const ready = await checkArguments(job, scope, whenEnded)
    if ('failure' in ready) return end(ready)
    args = ready.args
  }
}

/** Any wait up to a bound that doubles, so that calls which failed together do not come back together. */
function backoff(attempt: number, { host, settings: { retries } }: RunContext): number {
  return host.random() * Math.min(retries.maxMs, retries.baseMs * 2 ** (attempt - 1))
}
