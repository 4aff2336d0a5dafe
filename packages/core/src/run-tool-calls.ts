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
 *
 * @example
 * ```js
 * import { defineTool, runToolCalls } from '@toolwire/core'
 *
 * const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
 * const weather = defineTool({ name: 'weather', parameters, handler: ({ city }) => `Sunny in ${city}` })
 * const calls = [{ id: 'call_1', kind: 'function', name: 'weather', arguments: '{"city":"Oslo"}' }]
 * const [outcome] = await runToolCalls(calls, { tools: [weather] })
 * console.log(outcome.status, outcome.value)
 * ```
 */
export function runToolCalls(
  calls: readonly ToolCall[],
  { host = platformHost, ...options }: RunCallsOptions & { readonly host?: Host },
): Promise<CallOutcome[]> {
  refuseUnknownOptions('runToolCalls', options, { ...callOptionNames, tools: true, host: true })
  return runCallsWith(host, calls, options)
}
