/** The handler of one call: its attempts, its deadline, and how long it took. */

import type { ToolContext } from '../tools/tool-context.ts'
import type { Run } from './batch.ts'
import type { End, Scope } from './call-scope.ts'
import { checkArguments } from './check-arguments.ts'
import { errorOf, type Failure, stoppedWhileRunning, threw, timedOut } from './failure.ts'
import { type Returned, readReturned } from './normalize-result.ts'
import type { PreparedCall } from './prepare-call.ts'

/** How a call ended, before it is written down as an outcome. */
export type CallEnd = Returned & { readonly attempts: number; readonly durationMs: number }

export async function runHandler(
  job: PreparedCall,
  firstArgs: unknown,
  scope: Scope,
  run: Run,
): Promise<CallEnd> {
  const { call, tool } = job
  const { host, settings } = run
  const started = host.now()
  const idempotencyKey = host.newId('run_')
  const mostAttempts = tool.idempotent === true ? settings.retries.attempts : 1
  let args = firstArgs
  let attempt = 1
  let lastFailure: string | undefined
  const end = (returned: Returned): CallEnd => ({
    ...returned,
    attempts: attempt,
    durationMs: host.now() - started,
  })
  const whenEnded = (why: End): Failure =>
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
      return end(await readReturned(tool, settled.value, { scope, maxLength, whenEnded }))
    }
    const failure = threw(settled.thrown)
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
function backoff(attempt: number, { host, settings: { retries } }: Run): number {
  return host.random() * Math.min(retries.maxMs, retries.baseMs * 2 ** (attempt - 1))
}
