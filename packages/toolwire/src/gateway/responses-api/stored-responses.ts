/** Stored responses: reading, listing their input, cancelling and deleting. Ids of other owners look like unknown ones. */
import { builtInWires } from '@toolwire/core'
import { isFinished } from '../../store/lifecycle.ts'
import type { ResponseRecord } from '../../store/store.ts'
import type { GatewayRoute, RequestContext } from '../context.ts'
import { sendJson, sendPieces, sendText } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { pause } from '../upstream/retry.ts'
import type { EventSource } from './event-logs.ts'
import { hereOrAtUpstream } from './held-at-upstream.ts'
import { page, sendItems } from './item-pages.ts'
import { RemoteEvents } from './remote-events.ts'
import { eventsGone, replayEvents } from './replay-events.ts'
import { historyOf, takeForItems } from './weighed-store.ts'

async function find(context: RequestContext): Promise<ResponseRecord> {
  const { owner, params } = context
  const id = params.id ?? ''
  const record = await historyOf(context)?.getResponse(owner, id)
  if (record !== undefined) return record
  throw new GatewayError('not_found', `Response with id '${id.slice(0, 100)}' not found.`, {
    code: 'response_not_found',
  })
}

/** With an end that could not be stored when it came, once the store takes it. */
async function findWithEnd(context: RequestContext): Promise<ResponseRecord> {
  const record = await find(context)
  if (isFinished(record.status)) return record
  const taken = await context.gateway.unsaved.takeUnsaved(context.owner, record.id)
  return taken === 'over' ? find(context) : (taken ?? record)
}

async function getResponse(context: RequestContext): Promise<void> {
  const record = await findWithEnd(context)
  if (context.query.get('stream') !== 'true') return sendResponse(context, record)
  const from = startOf(context.query)
  await replayEvents(context, await eventsOf(context, record, from), from)
}

async function sendResponse(
  context: RequestContext,
  { response, responsePieces }: ResponseRecord,
): Promise<void> {
  if (responsePieces === undefined) sendText(context, 200, response)
  else await sendPieces(context, 200, responsePieces)
}

/** Of this process, or of the store if another gateway wrote them there. */
async function eventsOf(
  { gateway, owner }: RequestContext,
  { id }: ResponseRecord,
  from: number,
): Promise<EventSource> {
  const { store, clock, eventLogs } = gateway
  const log = eventLogs.find(owner, id)
  if (log?.from(from) !== undefined) return log
  const stored = await store?.readEvents?.(owner, id, from)
  if (store !== undefined && stored !== undefined && stored !== 'gone') {
    return new RemoteEvents(store, clock, owner, id)
  }
  if (log !== undefined || stored === 'gone') {
    throw eventsGone(`The events from number ${from} on are no longer here.`)
  }
  throw eventsGone(
    'Only a background response that was made with "stream" can be streamed again, while it is being worked on and for some time after that.',
  )
}

/** The number of the first event that the client wants. */
function startOf(query: URLSearchParams): number {
  const after = query.get('starting_after')
  if (after === null || after === '-1') return 0
  if (/^\d{1,15}$/.test(after)) return Number(after) + 1
  throw new GatewayError('invalid_request', 'starting_after must be the number of an event, from 0 on.', {
    param: 'starting_after',
  })
}

async function deleteResponse(context: RequestContext): Promise<void> {
  const { id } = await find(context)
  await context.gateway.background.cancel(context.owner, id)
  await context.gateway.store?.deleteResponse(context.owner, id)
  context.gateway.unsaved.forget(context.owner, id)
  context.gateway.eventLogs.drop(context.owner, id)
  sendJson(context, 200, { id, object: 'response', deleted: true })
}

async function listInput(context: RequestContext): Promise<void> {
  const { input } = await find(context)
  const { items, hasMore } = page(input, context.query)
  await takeForItems(context.memory, items)
  await sendItems(context, items, hasMore)
}

/** Cancelling a response that has ended changes nothing and returns it. */
async function cancelResponse(context: RequestContext): Promise<void> {
  const record = await findWithEnd(context)
  const { id, status } = record
  if (!isBackground(record)) {
    throw new GatewayError(
      'invalid_request',
      'Only background responses can be cancelled. Close the connection to stop another.',
      {
        code: 'not_a_background_response',
        status: 400,
      },
    )
  }
  const { background: runs } = context.gateway
  const isCancelled = (await runs.cancel(context.owner, id)) || isFinished(status)
  if (!isCancelled) await cancelElsewhere(context, id)
  await sendResponse(context, await findWithEnd(context))
}

/** Above it, a response is not parsed to see whether the words stand where they mean it. */
const longestParsed = 64 * 1024

/** They stand before the output or after it, so the pieces between need not be searched. */
function isBackground({ response, responsePieces = [response] }: ResponseRecord): boolean {
  const [first = ''] = responsePieces
  const last = responsePieces.slice(-2).join('')
  if (![first, last].some(piece => piece.includes('"background":true'))) return false
  return response.length > longestParsed || JSON.parse(response).background === true
}

const pollMs = 200
/** The gateway that works on it looks every second. */
const patienceMs = 10_000

/** Waits until the gateway that works on the response has ended it. One that died leaves it failed. */
async function cancelElsewhere(context: RequestContext, id: string): Promise<void> {
  const { gateway, owner, signal } = context
  let isWaiting = (await gateway.store?.requestCancel(owner, id)) === true
  for (let waited = 0; isWaiting && waited < patienceMs && !signal.aborted; waited += pollMs) {
    await pause(pollMs, gateway.clock, signal)
    isWaiting = !isFinished((await find(context)).status)
  }
}

/** Services of OpenAI's whose paths stand where an id would. They are not served here. */
const notIds: ReadonlySet<string> = new Set(['compact', 'input_tokens'])

const wire = builtInWires.responses

export const storedResponseRoutes: readonly GatewayRoute[] = [
  {
    name: 'responses-socket',
    method: 'GET',
    path: '/v1/responses',
    wire,
    handle: context => context.gateway.sockets.open(context),
  },
  {
    name: 'response',
    method: 'GET',
    path: '/v1/responses/{id}',
    wire,
    notIds,
    handle: hereOrAtUpstream(getResponse),
  },
  {
    name: 'response-delete',
    method: 'DELETE',
    path: '/v1/responses/{id}',
    wire,
    notIds,
    handle: hereOrAtUpstream(deleteResponse),
  },
  {
    name: 'response-input',
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    wire,
    handle: hereOrAtUpstream(listInput),
  },
  {
    name: 'response-cancel',
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    wire,
    handle: hereOrAtUpstream(cancelResponse),
  },
]
