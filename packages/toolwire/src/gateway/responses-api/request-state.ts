/** What a request refers to, wherever that is: in the store, in what its connection remembers, or at the upstream. */
import type { GatewayContext, RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { KeptHistory } from '../sockets/kept-responses.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import { runsTools } from '../workers/eligible.ts'
import type { FoundState } from '../workers/protocol.ts'
import { conversationIdOf, findState } from './state.ts'
import { historyOf, takeForItems } from './weighed-store.ts'

/** The store may have what a request refers to, although it goes to an upstream that keeps state itself. */
export function mayBeStoredHere(gateway: GatewayContext, upstream: ServedUpstream): boolean {
  const isShared = gateway.upstreams.length > 1 || runsTools(gateway)
  return !upstream.needsState && gateway.store !== undefined && isShared
}

/**
 * The upstream, as one without state if the gateway has to keep it: because the request goes on from something in its
 * store, or because it runs tools in the background, which nobody would run for an upstream.
 */
export async function whereStateIs(
  context: RequestContext,
  upstream: ServedUpstream,
  body: JsonObject,
): Promise<ServedUpstream> {
  const { gateway, owner } = context
  const runsHere = body.background === true && runsTools(gateway) && !upstream.needsState
  if (!mayBeStoredHere(gateway, upstream)) {
    if (runsHere) throw toolsWithoutBackground(upstream.name, 'there is no store. Give it one')
    return leftToUpstream(context, upstream, body)
  }
  const { previous_response_id: previous } = body
  const conversation = conversationIdOf(body)
  const isHere =
    (typeof previous === 'string' &&
      (await historyOf(context)?.getResponse(owner, previous)) !== undefined) ||
    (typeof conversation === 'string' &&
      (await gateway.store?.getConversation(owner, conversation)) !== undefined)
  if (runsHere && !isHere && (typeof previous === 'string' || conversation !== undefined)) {
    throw toolsWithoutBackground(
      upstream.name,
      'the upstream keeps what it goes on from. Set the upstream’s "state" to "gateway"',
    )
  }
  return isHere || runsHere ? { ...upstream, needsState: true } : leftToUpstream(context, upstream, body)
}

/** What an upstream does in the background, it says later and perhaps to nobody: it could not be counted. */
function leftToUpstream(
  { tenant }: RequestContext,
  upstream: ServedUpstream,
  { background }: JsonObject,
): ServedUpstream {
  if (background !== true || upstream.needsState || tenant?.isMetered !== true) return upstream
  throw new GatewayError(
    'permission',
    `The key "${tenant.name}" is limited in its tokens or money, and upstream "${upstream.name}" would run this in the background, where nobody could see what it uses. Leave "background" out, or set the upstream’s "state" to "gateway".`,
    { code: 'not_metered', param: 'background', status: 403 },
  )
}

/** Whether it has to be read, because it may be for the background. */
export function mayBeUncounted({ tenant }: RequestContext, upstream: ServedUpstream): boolean {
  return tenant?.isMetered === true && !upstream.needsState
}

function toolsWithoutBackground(name: string, why: string): GatewayError {
  return new GatewayError(
    'invalid_request',
    `The gateway cannot run its tools for a background response at upstream "${name}": ${why}, or leave "background" out.`,
    { param: 'background', code: 'background_without_tools' },
  )
}

/** `undefined` where the upstream looks it all up. `body` may lack its input; `referred` are the items it refers to. */
export async function stateOf(
  context: RequestContext,
  { needsState }: ServedUpstream,
  body: JsonObject,
  referred: () => readonly string[],
): Promise<FoundState | undefined> {
  const { owner, memory, request, gateway } = context
  const { kept, isWarmUp = false } = request
  if (!needsState && kept === undefined && !continuesWarmUp(body)) return undefined
  const historyIn = async (id: string): Promise<KeptHistory | undefined> => {
    const found = kept?.history(id)
    if (found !== undefined) await takeForItems(memory, found.items)
    return found
  }
  if (needsState) {
    const remembered = kept && (async (id: string) => (await historyIn(id))?.items)
    return findState(body, referred(), { owner, store: historyOf(context), kept: remembered })
  }
  const { previous_response_id: previous } = body
  const found = typeof previous === 'string' ? await remembered(previous, context, historyIn) : undefined
  // What the upstream stores, it can also continue.
  const isKept = kept !== undefined && (isWarmUp || body.store === false)
  if (found === undefined && !isKept) return undefined
  const heldId = found === undefined ? previous : found.heldId
  const isNew = typeof previous !== 'string' && conversationIdOf(body) === undefined
  return {
    history: found?.items ?? [],
    // No upstream can be sent a warm-up, so that it would be stored there.
    isStored: isWarmUp && isNew && body.store !== false && gateway.store !== undefined,
    isKept,
    ...(typeof previous === 'string' && { previousId: previous }),
    ...(typeof heldId === 'string' && { heldId }),
  }
}

/** By the connection, or a warm-up in the store. */
async function remembered(
  id: string,
  context: RequestContext,
  historyIn: (id: string) => Promise<KeptHistory | undefined>,
): Promise<KeptHistory | undefined> {
  const found = await historyIn(id)
  if (found !== undefined || !isWarmUpId(id)) return found
  const items = await historyOf(context)?.context(context.owner, id)
  return items && { items, heldId: undefined }
}

/** Of what an upstream with state cannot be asked for by its id. */
export const warmUpMark = 'resp_warm_'

function isWarmUpId(id: unknown): id is string {
  return typeof id === 'string' && id.startsWith(warmUpMark)
}

export function continuesWarmUp({ previous_response_id: previous }: JsonObject): boolean {
  return isWarmUpId(previous)
}
