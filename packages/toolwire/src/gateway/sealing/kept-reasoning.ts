/**
 * Reasoning for clients that return none: sealed, in the store, for as long as a stored response. Its key is a hash of
 * whose it is, where it came from, and the call that it came with.
 */
import { createHash } from 'node:crypto'
import type { FindKeptReasoning, KeptReasoning, SentCall } from '@toolwire/core'
import { parseJson } from '@toolwire/core/json'
import type { RequestContext } from '../context.ts'
import { asGatewayError, recordSaveFailure } from '../errors.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import { historyOf } from '../responses-api/weighed-store.ts'

/** What is kept is nobody's response: under an owner of its own, no route finds it. */
function keeperOf(owner: string): string {
  return `${owner}.reasoning`
}

function keyOf(upstream: string, { id, name, namespace = '', input }: SentCall): string {
  // On some wires arguments are an object, and come back in another writing.
  const value = parseJson(input)
  const call = [upstream, id, name, namespace, value === undefined ? input : value]
  return createHash('sha256').update(JSON.stringify(call)).digest('base64url')
}

/** What is kept for these calls. A store that fails has nothing; the request goes on without. */
export async function findKeptReasoning(
  context: RequestContext,
  upstream: string,
  calls: readonly SentCall[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  const store = calls.length === 0 ? undefined : historyOf(context)
  if (store === undefined) return found
  const keys = calls.map(call => keyOf(upstream, call))
  try {
    const items = await store.getItems(keeperOf(context.owner), keys)
    for (const [key, { json }] of items) {
      const sealed = parseJson(json)
      if (Array.isArray(sealed)) found.set(key, sealed)
    }
  } catch (error) {
    // Too little memory is for the client to know.
    const failure = asGatewayError(error)
    if (failure.kind === 'overloaded' || failure.kind === 'rate_limit') throw failure
    recordSaveFailure(context.observation.facts, failure)
  }
  return found
}

export function finderOf(
  kept: ReadonlyMap<string, readonly string[]>,
  upstream: string,
): { readonly keptReasoningFor?: FindKeptReasoning } {
  return kept.size === 0 ? {} : { keptReasoningFor: call => kept.get(keyOf(upstream, call)) }
}

/** Before the client gets the end of the answer. A failure means that the reasoning may be missing later, and no more. */
export async function keepReasoning(run: ExchangeRun, kept: KeptReasoning | undefined): Promise<void> {
  const { context, upstream, store, stopwatch, createdAt } = run
  if (kept === undefined || store === undefined) return
  const key = keyOf(upstream.name, kept.call)
  const { gateway, owner, observation } = context
  const saved = store.saveResponse({
    owner: keeperOf(owner),
    id: key,
    createdAt,
    expiresAt: createdAt + gateway.ttlMs,
    status: 'completed',
    response: '{}',
    input: [],
    output: [{ id: key, json: JSON.stringify(kept.sealed) }],
  })
  await stopwatch.wait(saved).catch(error => recordSaveFailure(observation.facts, error))
}
