/** Runs the calls that are the gateway's own to run, after a round with the upstream. */
import type { Host, ServerCall, ServerCallResult } from '@toolwire/core'
import { runToolCalls } from '@toolwire/core'
import type { ToolRun } from '../../telemetry/observer.ts'
import type { GatewayContext } from '../context.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import { platformSignal } from '../http/abort.ts'

export async function runServerCalls(
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
export function hostOf({ clock, random, newId }: GatewayContext): Host {
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
