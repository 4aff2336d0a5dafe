/** `runToolCalls` on the platform's clock and timers. */
import { refuseUnknownOptions } from './json/known-options.ts'
import { host as platformHost } from './platform.ts'
import type { CallOutcome, ToolCall } from './runtime/calls/outcome.ts'
import { runCallsWith } from './runtime/calls/run-calls.ts'
import { callOptionNames, type RunCallsOptions } from './runtime/calls/run-options.ts'
import type { Host } from './runtime/host.ts'

/**
 * Runs the calls that a model made. Returns one outcome for each call, in the order of the calls, whatever the
 * handlers do; it rejects only for wrong options or tools.
 */
export function runToolCalls(
  calls: readonly ToolCall[],
  { host = platformHost, ...options }: RunCallsOptions & { readonly host?: Host },
): Promise<CallOutcome[]> {
  refuseUnknownOptions('runToolCalls', options, { ...callOptionNames, tools: true, host: true })
  return runCallsWith(host, calls, options)
}
