/** Stored responses: reading, listing their input, cancelling and deleting. Ids of other owners look like unknown ones. */
import { builtInWires } from '@toolwire/core'
import { isFinished } from '../../store/lifecycle.ts'
import type { ResponseRecord } from '../../store/store.ts'
import type { GatewayRoute, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { workingBytes } from '../http/byte-budget.ts'
import { pause } from '../upstream/retry.ts'
import type { EventSource } from './event-logs.ts'
import { hereOrAtUpstream } from './held-at-upstream.ts'
import { page } from './item-pages.ts'
import { RemoteEvents } from './remote-events.ts'
import { eventsGone, replayEvents } from './replay-events.ts'
import { historyOf } from './weighed-store.ts'

async function find(context: RequestContext): Promise<ResponseRecord> {
  const { gateway, owner, params, memory } = context
  const id = params.id ?? ''
  const record = await historyOf(context)?.getResponse(owner, id)
  if (record !== undefined) memory.take(workingBytes(record.response), 'history')
  if (record !== undefined && isFinished(record.status)) return record
  if (record !== undefined) return (await gateway.unsaved.takeUnsaved(owner, id)) ?? record
  throw new GatewayError('not_found', `Response with id '${id.slice(0, 100)}' not found.`, {
    code: 'response_not_found',
  })
}

async function getResponse(context: RequestContext): Promise<void> {
  const { id, response } = await find(context)
  if (context.query.get('stream') !== 'true') return sendJson(context, 200, JSON.parse(response))
  const from = startOf(context.query)
  await replayEvents(context, await eventsOf(context, id, from), from)
}

/** Of this process, or of the store if another gateway wrote them there. */
async function eventsOf({ gateway, owner }: RequestContext, id: string, from: number): Promise<EventSource> {
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
  if (after === null) return 0
  if (/^\d{1,15}$/.test(after)) return Number(after) + 1
  throw new GatewayError('invalid_request', 'starting_after must be the number of an event, from 0 on.', {
    param: 'starting_after',
  })
}

async function deleteResponse(context: RequestContext): Promise<void> {
  const { id } = await find(context)
  await context.gateway.background.cancel(context.owner, id)
  context.gateway.unsaved.forget(context.owner, id)
  context.gateway.eventLogs.drop(context.owner, id)
  await context.gateway.store?.deleteResponse(context.owner, id)
  sendJson(context, 200, { id, object: 'response', deleted: true })
}

async function listInput(context: RequestContext): Promise<void> {
  const { input } = await find(context)
  sendJson(context, 200, page(input, context.query, context.memory))
}

/** Cancelling a response that has ended changes nothing and returns it. */
async function cancelResponse(context: RequestContext): Promise<void> {
  const { id, response, status } = await find(context)
  const { background } = JSON.parse(response) as { background?: unknown }
  if (background !== true) {
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
  sendJson(context, 200, JSON.parse((await find(context)).response))
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
