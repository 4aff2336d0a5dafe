import { host as platformHost } from './platform.ts'
import type { CallOutcome, ToolCall } from './runtime/calls/outcome.ts'
import { runCallsWith } from './runtime/calls/run-calls.ts'
import type { RunCallsOptions } from './runtime/calls/run-options.ts'
import type { Host } from './runtime/host.ts'

/**
 * Runs the calls a model made. Gives one outcome for each call, in the order of the calls, whatever the
 * handlers do; it rejects only over options or tools that cannot be used.
 */
export function runToolCalls(
  calls: readonly ToolCall[],
  { host = platformHost, ...options }: RunCallsOptions & { readonly host?: Host },
): Promise<CallOutcome[]> {
  return runCallsWith(host, calls, options)
}
