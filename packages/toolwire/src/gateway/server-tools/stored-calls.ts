/**
 * Calls that the gateway ran beside the client's, in the store too: the next request of the client may reach another
 * gateway. Their key is a hash of the id of a call that the client was sent.
 */
import { createHash } from 'node:crypto'
import type { ServerCallRecord } from '@toolwire/core'
import { isObject, parseJson } from '@toolwire/core/json'
import type { RequestContext } from '../context.ts'
import { asGatewayError, recordSaveFailure } from '../errors.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import { historyOf } from '../responses-api/weighed-store.ts'

/** What is kept is nobody's response: under an owner of its own, no route finds it. */
function keeperOf(owner: string): string {
  return `${owner}.calls`
}

function keyOf(callId: string): string {
  return createHash('sha256').update(callId).digest('base64url')
}

/** Finds what other gateways have run for these calls of the client's. A store that fails has nothing. */
export async function loadServerCalls(context: RequestContext, callIds: readonly string[]): Promise<void> {
  const { gateway, owner, observation } = context
  const unknown = callIds.filter(id => !gateway.serverCallMemory.knows(owner, id))
  const store = unknown.length === 0 ? undefined : historyOf(context)
  if (store === undefined) return
  try {
    const items = await store.getItems(keeperOf(owner), unknown.map(keyOf))
    for (const id of unknown) {
      const record = parseJson(items.get(keyOf(id))?.json ?? '')
      // What is not there now will never be: it is stored before the client gets the id.
      gateway.serverCallMemory.note(owner, id, isRecord(record) ? record : undefined)
    }
  } catch (error) {
    // Too little memory is for the client to know.
    const failure = asGatewayError(error)
    if (failure.kind === 'overloaded' || failure.kind === 'rate_limit') throw failure
    recordSaveFailure(observation.facts, failure)
  }
}

function isRecord(value: unknown): value is ServerCallRecord {
  return isObject(value) && Array.isArray(value.callIds) && Array.isArray(value.rounds)
}

/** Before the client gets the end of the answer. A failure means that a call may be missing later, and no more. */
export async function keepServerCalls(run: ExchangeRun, record: ServerCallRecord | undefined): Promise<void> {
  const { context, store, stopwatch, createdAt, body } = run
  const { gateway, owner, observation } = context
  gateway.serverCallMemory.add(owner, record)
  // A client that wants nothing stored is remembered by this process alone.
  if (record === undefined || store === undefined || body.store === false) return
  const json = JSON.stringify(record)
  const items = record.callIds.map(id => ({ id: keyOf(id), json }))
  const saved = store.saveResponse({
    owner: keeperOf(owner),
    id: items[0]?.id ?? keyOf(''),
    createdAt,
    expiresAt: createdAt + gateway.ttlMs,
    status: 'completed',
    response: '{}',
    input: [],
    output: items,
  })
  await stopwatch.wait(saved).catch(error => recordSaveFailure(observation.facts, error))
}
