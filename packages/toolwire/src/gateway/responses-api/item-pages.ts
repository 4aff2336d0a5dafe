/** Lists of items, page by page. */
import type { Item, ItemPage, ItemQuery } from '../../store/store.ts'
import type { RequestContext } from '../context.ts'
import { sendJson, sendText } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { giveTexts } from '../workers/give-texts.ts'
import { exceeds } from '../workers/loop-limits.ts'
import { shownItems } from './shown-items.ts'

export function pageQuery(query: URLSearchParams): ItemQuery {
  const limit = Number(query.get('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new GatewayError('invalid_request', 'limit must be a whole number from 1 to 100.', {
      param: 'limit',
    })
  }
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc') {
    throw new GatewayError('invalid_request', 'order must be "asc" or "desc".', { param: 'order' })
  }
  const after = query.get('after')
  return { limit, order, ...(after !== null && { after }) }
}

/** A page of items that are all at hand. */
export function page(all: readonly Item[], query: URLSearchParams): ItemPage {
  const { after, limit, order } = pageQuery(query)
  const ordered = order === 'asc' ? all : all.toReversed()
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0) {
    throw new GatewayError('invalid_request', `There is no item '${after.slice(0, 100)}' in this list.`, {
      param: 'after',
    })
  }
  return { items: ordered.slice(start, start + limit), hasMore: ordered.length > start + limit }
}

/** A list of items, or without `hasMore` the only one. What is long is parsed and written in a worker thread. */
export async function sendItems(
  context: RequestContext,
  items: readonly Item[],
  hasMore?: boolean,
): Promise<void> {
  const { workers, limits } = context.gateway
  const texts = items.map(({ json }) => json)
  if (workers === undefined || !exceeds(texts, limits.inlineBytes, limits.inlineNodes)) {
    sendJson(context, 200, shownItems(items, hasMore))
    return
  }
  const { bytes } = await workers.with(context.signal, async worker => {
    await giveTexts(worker, 'items', items)
    return worker.run('showItems', { hasMore })
  })
  sendText(context, 200, bytes)
}
