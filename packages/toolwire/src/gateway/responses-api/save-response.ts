/** Stores a response. It is stored before the client gets its end, so that whoever has its id can continue it. */
import type { Item } from '../../store/store.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { StoredParts } from '../workers/protocol.ts'
import { givenItems } from './state.ts'
import { threadId } from './weighed-store.ts'
import { TurnWriter } from './write-in-turns.ts'

/** What the receipt of a background response says of it, and every later view of it must repeat. */
export function receiptHead({ responseId, createdAt }: ExchangeRun): JsonObject {
  return { id: responseId, created_at: Math.floor(createdAt / 1000), background: true }
}

/** Of a response that runs in the background here. An upstream that runs it itself has given it an id of its own. */
export function backgroundHead(run: ExchangeRun): JsonObject | undefined {
  return run.body.background === true && run.responseId !== '' ? receiptHead(run) : undefined
}

export async function storedParts(
  response: JsonObject | undefined,
  newId: (prefix: string) => string,
): Promise<StoredParts | undefined> {
  const writer = new TurnWriter()
  if (typeof response?.id !== 'string') return undefined
  // A message is part of a thread, and one that failed has no reason to stop.
  if (response.type === 'message') {
    const { id, role, content, stop_reason } = response
    if (typeof stop_reason !== 'string') return undefined
    const output = [await writer.write(newId('item_'), { role, content })]
    return { id: threadId(id as string), status: 'completed', response: '', output }
  }
  const written = await writer.write('', response)
  const output: Item[] = []
  for (const { id, value } of givenItems(response.output, newId)) output.push(await writer.write(id, value))
  return partsOf({ id: response.id, status: String(response.status) }, [written, ...output])
}

/** The first of its texts is the response itself, the others are its output. */
export function partsOf(
  facts: Pick<StoredParts, 'id' | 'status'>,
  [response, ...output]: readonly Item[],
): StoredParts {
  const { json = '', pieces } = response ?? {}
  return { ...facts, response: json, ...(pieces !== undefined && { responsePieces: pieces }), output }
}

export function textsOf({ response, responsePieces, output }: StoredParts): readonly Item[] {
  const pieces = responsePieces !== undefined && { pieces: responsePieces }
  return [{ id: '', json: response, ...pieces }, ...output]
}

export async function saveAnswer(run: ExchangeRun, response: JsonObject | undefined): Promise<void> {
  if (mayBeContinued(run)) await saveParts(run, await storedParts(response, run.context.gateway.newId))
}

/** The answer is stored, or the connection remembers it. */
export function mayBeContinued({ state }: Pick<ExchangeRun, 'state'>): boolean {
  return state !== undefined && (state.isStored || state.isKept)
}

export async function saveParts(run: ExchangeRun, parts: StoredParts | undefined): Promise<void> {
  const { state, store, context, createdAt, stopwatch } = run
  const { gateway, owner } = context
  if (parts === undefined || state === undefined) return
  const { id, status, output } = parts
  context.observation.facts.responseId = id
  // One that failed cannot be continued.
  if (state.isKept && (status === 'completed' || status === 'incomplete')) {
    const { previousId, history, heldId } = state
    const isPreviousHere = previousId !== undefined && { previousId }
    context.request.kept?.keep({ id, input: state.input(), output, history, heldId, ...isPreviousHere })
  }
  if (!state.isStored || store === undefined) return
  await stopwatch.wait(
    store.saveResponse({
      owner,
      ...parts,
      ...(state.fixed !== undefined && { response: state.fixed }),
      createdAt,
      expiresAt: createdAt + gateway.ttlMs,
      input: state.input(),
      ...(state.previousId !== undefined && { previousId: state.previousId }),
      ...(state.conversationId !== undefined && { conversationId: state.conversationId }),
    }),
  )
  await state.onSaved?.()
}
