/** Stored responses: reading, listing their input, cancelling and deleting. Foreign ids look like unknown ones. */
import { isFinished } from '../../store/lifecycle.ts'
import type { ResponseRecord } from '../../store/store.ts'
import type { Visit } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { page } from '../responses-api/item-pages.ts'
import { eventsGone, tellEvents } from '../responses-api/replay-events.ts'

async function find({ core, owner, params }: Visit): Promise<ResponseRecord> {
  const id = params.id ?? ''
  const record = await core.store?.getResponse(owner, id)
  if (record !== undefined && isFinished(record.status)) return record
  if (record !== undefined) return (await core.lastSaves.missed(owner, id)) ?? record
  throw new GatewayError('not_found', `Response with id '${id.slice(0, 100)}' not found.`, {
    code: 'response_not_found',
  })
}

export async function getResponse(visit: Visit): Promise<void> {
  const { id, response } = await find(visit)
  if (visit.query.get('stream') !== 'true') return sendJson(visit, 200, JSON.parse(response))
  const from = startOf(visit.query)
  const log = visit.core.eventLogs.find(visit.owner, id)
  if (log === undefined) {
    throw eventsGone(
      'Only a background response that was made with "stream" can be streamed again, while it is being worked on and for some time after that.',
    )
  }
  if (log.from(from) === undefined) throw eventsGone(`The events from number ${from} on are no longer here.`)
  await tellEvents(visit, log, from)
}

/** The number of the first event that is asked for. */
function startOf(query: URLSearchParams): number {
  const after = query.get('starting_after')
  if (after === null) return 0
  if (/^\d{1,15}$/.test(after)) return Number(after) + 1
  throw new GatewayError('invalid_request', 'starting_after must be the number of an event, from 0 on.', {
    param: 'starting_after',
  })
}

export async function deleteResponse(visit: Visit): Promise<void> {
  const { id } = await find(visit)
  await visit.core.background.cancel(visit.owner, id)
  visit.core.lastSaves.forget(visit.owner, id)
  visit.core.eventLogs.drop(visit.owner, id)
  await visit.core.store?.deleteResponse(visit.owner, id)
  sendJson(visit, 200, { id, object: 'response', deleted: true })
}

export async function listInput(visit: Visit): Promise<void> {
  const { input } = await find(visit)
  sendJson(visit, 200, page(input, visit.query))
}

/** Cancelling what has ended already changes nothing and says how it ended. */
export async function cancelResponse(visit: Visit): Promise<void> {
  const { id, response } = await find(visit)
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
  await visit.core.background.cancel(visit.owner, id)
  sendJson(visit, 200, JSON.parse((await find(visit)).response))
}
