/** Starts calls on a clock that the test controls, so that it can look at them while they run. */
import type { TestHost } from '../../testing/test-host.ts'
import type { CallOutcome, ToolCall } from './outcome.ts'
import { runCallsWith } from './run-calls.ts'
import type { RunCallsOptions } from './run-options.ts'

export async function start(
  host: TestHost,
  calls: readonly ToolCall[],
  options: RunCallsOptions,
): Promise<{ outcomes: CallOutcome[] | undefined }> {
  const state: { outcomes: CallOutcome[] | undefined } = { outcomes: undefined }
  void runCallsWith(host, calls, options).then(outcomes => {
    state.outcomes = outcomes
  })
  await host.settle()
  return state
}
