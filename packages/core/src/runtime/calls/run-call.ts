/** One call from its arguments to its end. Never rejects: whatever happens is an end. */
import { requestApproval } from './approve-call.ts'
import type { Run } from './batch.ts'
import { openScope, type Scope } from './call-scope.ts'
import { checkArguments, endedEarly, type Ready } from './check-arguments.ts'
import type { Slots, Ticket } from './concurrency.ts'
import type { PreparedCall } from './prepare-call.ts'
import { type CallEnd, runHandler } from './run-handler.ts'

export interface CallSite {
  readonly slots: Slots
  /** For calls that need approval: their turn to ask. */
  readonly turn: Ticket | undefined
}

export async function runCall(job: PreparedCall, place: CallSite, run: Run): Promise<CallEnd> {
  const scope = openScope(run.host, run.batch)
  const ready = await makeReady(job, place.turn, scope, run)
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
  run: Run,
): Promise<CallEnd> {
  const room = await scope.settle(() => slots.acquire())
  if (room.type === 'ended')
    return { failure: endedEarly(room.end, job.tool.name), attempts: 0, durationMs: 0 }
  const end = await runHandler(job, args, scope, run)
  // Before the slot is free: no call may start after one that must be the last.
  stopIfFatal(end, run)
  slots.release()
  return end
}

function stopIfFatal(end: CallEnd, { batch }: Run): void {
  if ('failure' in end && end.failure.fatal === true) batch.stop({ by: 'fatal', reason: end.failure.cause })
}

async function makeReady(
  job: PreparedCall,
  turn: Ticket | undefined,
  scope: Scope,
  run: Run,
): Promise<Ready> {
  const stopLimit = scope.limit(job.tool.timeoutMs ?? run.settings.timeoutMs)
  const ready = await checkArguments(job, scope)
  stopLimit()
  if (turn === undefined) return ready
  const approved = 'failure' in ready ? ready : await waitForApproval(job, ready.args, turn, scope, run)
  turn.pass()
  return approved
}

async function waitForApproval(
  job: PreparedCall,
  args: unknown,
  turn: Ticket,
  scope: Scope,
  run: Run,
): Promise<Ready> {
  const come = await scope.settle(() => turn.come)
  if (come.type === 'ended') return { failure: endedEarly(come.end, job.tool.name) }
  const refusal = await requestApproval(job, args, scope, run)
  return refusal === undefined ? { args } : { failure: refusal }
}
