/** Runs the calls that are the gateway's own to run, between two rounds with the upstream. */
import type { Host, ServerCall, ServerCallResult } from '@toolwire/core'
import { runToolCalls } from '@toolwire/core'
import { append } from '@toolwire/core/json'
import type { ToolRun } from '../../telemetry/observer.ts'
import type { GatewayContext } from '../context.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import { platformSignal } from '../http/abort.ts'

/** Whether another request to the upstream comes before the end of the answer: only the gateway has calls to run. */
export function needsAnotherRound(answer: {
  readonly serverCalls: readonly ServerCall[]
  readonly calls: readonly string[]
}): boolean {
  return (
    answer.serverCalls.length > 0 &&
    answer.calls.length === 0 &&
    !answer.serverCalls.some(({ truncated }) => truncated)
  )
}

/** The client has calls of its own to run: what it does not see of this answer is remembered for its next request. */
export async function recordServerCalls(run: ExchangeRun, serverCalls: readonly ServerCall[]): Promise<void> {
  const { gateway, owner } = run.context
  if (gateway.tools.length === 0 && gateway.hosted.length === 0) return
  const results = serverCalls.length === 0 ? [] : await runServerCalls(run, serverCalls)
  gateway.serverCallMemory.add(owner, run.exchange.serverCallRecord(results))
}

/** Runs the calls and returns the body of the next request. In the last round that is left the model may call nothing. */
export async function nextRound(
  run: ExchangeRun,
  serverCalls: readonly ServerCall[],
  round: number,
): Promise<string> {
  const last = round + 1 >= run.context.gateway.limits.rounds
  const { value, diagnostics } = run.exchange.next(await runServerCalls(run, serverCalls), { last })
  append(run.diagnostics, diagnostics)
  const { upstream, upstreamModel: model, streamed } = run
  return JSON.stringify(upstream.wire.service.http.write({ model, streamed, body: value }))
}

async function runServerCalls(
  run: ExchangeRun,
  serverCalls: readonly ServerCall[],
): Promise<ServerCallResult[]> {
  const { context, stopwatch, body, wire } = run
  const { gateway, observation } = context
  const before = observation.facts.toolRuns ?? []
  const limitField = wire.service.http.serverCallLimit
  // To the client these are like the hosted tools of a provider, so its limit for those counts.
  const limit = limitField === undefined ? undefined : body[limitField]
  const allowed = typeof limit === 'number' ? Math.max(0, limit - before.length) : serverCalls.length
  const calls = serverCalls.slice(0, allowed).map(call => ({
    id: call.id,
    name: call.hosted?.family ?? call.hosted?.type ?? call.name,
    arguments: call.arguments,
    truncated: call.truncated,
  }))
  const startedAt = gateway.clock.now()
  const { signal, release } = platformSignal(context.signal)
  const outcomes = await stopwatch
    .wait(
      runToolCalls(calls, {
        tools: [...gateway.tools, ...gateway.hosted],
        host: hostOf(gateway),
        signal,
        ...(gateway.toolTimeoutMs !== undefined && { timeoutMs: gateway.toolTimeoutMs }),
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
  return serverCalls.map((call, index) => {
    const outcome = outcomes[index]
    if (outcome !== undefined) return { callId: call.id, content: outcome.content, isError: outcome.isError }
    const text = `Not run: the limit of ${limitField} is reached. Answer with what you have.`
    return { callId: call.id, content: [{ kind: 'text', text, path: [] }], isError: true }
  })
}

/** Tools run by the gateway's own clock and random numbers. */
function hostOf({ clock, random, newId }: GatewayContext): Host {
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
