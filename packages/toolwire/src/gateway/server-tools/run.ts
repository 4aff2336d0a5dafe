/** Runs the calls that are the gateway's own to run, between two rounds with the upstream. */
import type { HeldCall, HeldResult, Host } from '@toolwire/core'
import { runToolCalls } from '@toolwire/core'
import type { ToolRun } from '../../telemetry/observer.ts'
import type { Core } from '../context.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import { platformSignal } from '../http/abort.ts'

/** Whether the upstream is asked again before the client hears the end: only the gateway has something to do. */
export function goesOn(answer: {
  readonly held: readonly HeldCall[]
  readonly calls: readonly string[]
}): boolean {
  return (
    answer.held.length > 0 && answer.calls.length === 0 && !answer.held.some(({ truncated }) => truncated)
  )
}

/** The client goes on with calls of its own: what it does not know of this answer is kept for its next request. */
export async function rememberHidden(run: ExchangeRun, held: readonly HeldCall[]): Promise<void> {
  const { core, owner } = run.visit
  if (core.tools.length === 0 && core.hosted.length === 0) return
  const results = held.length === 0 ? [] : await runHeld(run, held)
  core.hidden.remember(owner, run.exchange.remember(results))
}

/** Runs the calls and gives the upstream's next request. In the last round that is left the model may call nothing. */
export async function nextRound(run: ExchangeRun, held: readonly HeldCall[], round: number): Promise<string> {
  const last = round + 1 >= run.visit.core.limits.rounds
  const { value, diagnostics } = run.exchange.next(await runHeld(run, held), { last })
  run.diagnostics.push(...diagnostics)
  return JSON.stringify({ ...value, model: run.upstreamModel })
}

async function runHeld(run: ExchangeRun, held: readonly HeldCall[]): Promise<HeldResult[]> {
  const { visit, stopwatch, body } = run
  const { core, observation } = visit
  const before = observation.facts.toolRuns ?? []
  // Like the hosted tools of a provider, these are what a client limits with `max_tool_calls`.
  const allowed =
    typeof body.max_tool_calls === 'number' ? Math.max(0, body.max_tool_calls - before.length) : held.length
  const calls = held.slice(0, allowed).map(call => ({
    id: call.id,
    name: call.hosted?.family ?? call.hosted?.type ?? call.name,
    arguments: call.arguments,
    truncated: call.truncated,
  }))
  const startedAt = core.clock.now()
  const { signal, release } = platformSignal(visit.signal)
  const outcomes = await stopwatch
    .wait(
      runToolCalls(calls, {
        tools: [...core.tools, ...core.hosted],
        host: hostOf(core),
        signal,
        ...(core.toolTimeoutMs !== undefined && { timeoutMs: core.toolTimeoutMs }),
      }),
    )
    .finally(release)
  const runs = outcomes.map(
    ({ call, status, durationMs }): ToolRun => ({
      name: call.name,
      callId: call.id,
      status,
      startedAt,
      durationMs,
    }),
  )
  observation.facts.toolRuns = [...before, ...runs]
  return held.map((call, index) => {
    const outcome = outcomes[index]
    if (outcome !== undefined) return { callId: call.id, content: outcome.content, isError: outcome.isError }
    const text = 'Not run: the limit of max_tool_calls is reached. Answer with what you have.'
    return { callId: call.id, content: [{ kind: 'text', text, path: [] }], isError: true }
  })
}

/** Tools run by the gateway's own clock and chance. */
function hostOf({ clock, random, newId }: Core): Host {
  return {
    now: clock.now,
    after: clock.after,
    random,
    newId,
    createAbort() {
      const controller = new AbortController()
      return { signal: controller.signal, abort: reason => controller.abort(reason) }
    },
  }
}
