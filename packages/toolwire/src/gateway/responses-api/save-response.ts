/** Stores a response. It is stored before the client gets its end, so that whoever has its id can continue it. */
import type { ExchangeRun } from '../exchange/run.ts'
import type { JsonObject } from '../http/json-body.ts'
import { itemsOf } from './state.ts'

/** What the receipt of a background response says of it, and every later view of it must repeat. */
export function receiptHead({ responseId, createdAt }: ExchangeRun): JsonObject {
  return { id: responseId, created_at: Math.floor(createdAt / 1000), background: true }
}

export async function saveAnswer(run: ExchangeRun, response: JsonObject | undefined): Promise<void> {
  const { state, store, context, createdAt, stopwatch } = run
  const { gateway, owner } = context
  if (state === undefined || !state.isStored || store === undefined || typeof response?.id !== 'string')
    return
  context.observation.facts.responseId = response.id
  await stopwatch.wait(
    store.saveResponse({
      owner,
      id: response.id,
      createdAt,
      expiresAt: createdAt + gateway.ttlMs,
      status: String(response.status),
      response: JSON.stringify(response),
      input: state.input(),
      output: itemsOf(response.output, gateway.newId),
      ...(state.previousId !== undefined && { previousId: state.previousId }),
      ...(state.conversationId !== undefined && { conversationId: state.conversationId }),
    }),
  )
}
