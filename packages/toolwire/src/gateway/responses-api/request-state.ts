/** What a request refers to, wherever that is: in the store, in what its connection remembers, or at the upstream. */
import type { GatewayContext, RequestContext } from '../context.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { KeptHistory } from '../sockets/kept-responses.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import type { FoundState } from '../workers/protocol.ts'
import { conversationIdOf, findState } from './state.ts'
import { historyOf, takeForItems } from './weighed-store.ts'

/** The store may have what a request refers to, although it goes to an upstream that keeps state itself. */
export function mayBeStoredHere({ upstreams, store }: GatewayContext, upstream: ServedUpstream): boolean {
  return !upstream.needsState && store !== undefined && upstreams.length > 1
}

/**
 * The upstream, as one without state if the request goes on from something in the gateway's store: a conversation, or
 * the response of another upstream.
 */
export async function whereStateIs(
  context: RequestContext,
  upstream: ServedUpstream,
  body: JsonObject,
): Promise<ServedUpstream> {
  const { gateway, owner } = context
  if (!mayBeStoredHere(gateway, upstream)) return upstream
  const { previous_response_id: previous } = body
  const conversation = conversationIdOf(body)
  const isHere =
    (typeof previous === 'string' &&
      (await historyOf(context)?.getResponse(owner, previous)) !== undefined) ||
    (typeof conversation === 'string' &&
      (await gateway.store?.getConversation(owner, conversation)) !== undefined)
  return isHere ? { ...upstream, needsState: true } : upstream
}

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
