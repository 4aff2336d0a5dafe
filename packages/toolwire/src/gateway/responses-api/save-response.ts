/** Stores a response. It is stored before the client gets its end, so that whoever has its id can continue it. */
import type { ExchangeRun } from '../exchange/run.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { StoredParts } from '../workers/protocol.ts'
import { itemsOf } from './state.ts'

/** What the receipt of a background response says of it, and every later view of it must repeat. */
export function receiptHead({ responseId, createdAt }: ExchangeRun): JsonObject {
  return { id: responseId, created_at: Math.floor(createdAt / 1000), background: true }
}

export function storedParts(
  response: JsonObject | undefined,
  newId: (prefix: string) => string,
): StoredParts | undefined {
  if (typeof response?.id !== 'string') return undefined
  return {
    id: response.id,
    status: String(response.status),
    response: JSON.stringify(response),
    output: itemsOf(response.output, newId),
  }
}

export async function saveAnswer(run: ExchangeRun, response: JsonObject | undefined): Promise<void> {
  if (run.state?.isStored && run.store !== undefined)
    await saveParts(run, storedParts(response, run.context.gateway.newId))
}

export async function saveParts(run: ExchangeRun, parts: StoredParts | undefined): Promise<void> {
  const { state, store, context, createdAt, stopwatch } = run
  const { gateway, owner } = context
  if (parts === undefined || state === undefined || !state.isStored || store === undefined) return
  context.observation.facts.responseId = parts.id
  await stopwatch.wait(
    store.saveResponse({
      owner,
      ...parts,
      createdAt,
      expiresAt: createdAt + gateway.ttlMs,
      input: state.input(),
      ...(state.previousId !== undefined && { previousId: state.previousId }),
      ...(state.conversationId !== undefined && { conversationId: state.conversationId }),
    }),
  )
}
