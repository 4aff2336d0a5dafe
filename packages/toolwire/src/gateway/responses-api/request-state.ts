/** What a request refers to, wherever that is: in the store, in what its connection remembers, or at the upstream. */
import type { RequestContext } from '../context.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { KeptHistory } from '../sockets/kept-responses.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import type { FoundState } from '../workers/protocol.ts'
import { findState } from './state.ts'
import { historyOf, takeForItems } from './weighed-store.ts'

/** `undefined` where the upstream looks it all up. `body` may lack its input; `referred` are the items it refers to. */
export async function stateOf(
  context: RequestContext,
  { needsState }: ServedUpstream,
  body: JsonObject,
  referred: () => readonly string[],
): Promise<FoundState | undefined> {
  const { owner, memory, request } = context
  const { kept, isWarmUp = false } = request
  if (!needsState && kept === undefined) return undefined
  const historyIn = (id: string): KeptHistory | undefined => {
    const found = kept?.history(id)
    if (found !== undefined) takeForItems(memory, found.items)
    return found
  }
  if (needsState) {
    const remembered = kept && ((id: string) => historyIn(id)?.items)
    return findState(body, referred(), { owner, store: historyOf(context), kept: remembered })
  }
  const { previous_response_id: previous } = body
  const found = typeof previous === 'string' ? historyIn(previous) : undefined
  // What the upstream stores, it can also continue.
  const isKept = isWarmUp || body.store === false
  if (found === undefined && !isKept) return undefined
  const heldId = found === undefined ? previous : found.heldId
  return {
    history: found?.items ?? [],
    isStored: false,
    isKept,
    ...(typeof previous === 'string' && { previousId: previous }),
    ...(typeof heldId === 'string' && { heldId }),
  }
}
