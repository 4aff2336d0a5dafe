/** Stored responses: reading, listing their input, cancelling and deleting. Foreign ids look like unknown ones. */
import { isFinished } from '../store/lifecycle.ts'
import type { ResponseRecord } from '../store/store.ts'
import type { Visit } from './core.ts'
import { sendJson } from './core.ts'
import { GatewayError } from './gateway-error.ts'
import { page } from './item-pages.ts'

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
  if (visit.query.get('stream') === 'true') {
    throw new GatewayError(
      'invalid_request',
      'This gateway gives stored responses whole, without "stream".',
      {
        param: 'stream',
        code: 'unsupported_parameter',
      },
    )
  }
  const { response } = await find(visit)
  sendJson(visit, 200, JSON.parse(response))
}

export async function deleteResponse(visit: Visit): Promise<void> {
  const { id } = await find(visit)
  await visit.core.background.cancel(visit.owner, id)
  visit.core.lastSaves.forget(visit.owner, id)
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
