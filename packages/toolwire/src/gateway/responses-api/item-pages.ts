/** Lists of items in the form of the Responses wire, page by page. */
import type { Item, ItemQuery } from '../../store/store.ts'
import { GatewayError } from '../errors.ts'
import type { Holding } from '../http/byte-budget.ts'
import type { JsonObject } from '../http/json-body.ts'
import { takeForItems } from './weighed-store.ts'

export interface ItemList {
  readonly object: 'list'
  readonly data: readonly unknown[]
  readonly first_id: string | null
  readonly last_id: string | null
  readonly has_more: boolean
}

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

export function itemList(items: readonly Item[], hasMore: boolean): ItemList {
  return {
    object: 'list',
    data: items.map(shownItem),
    first_id: items[0]?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}

/** An item with all that a client may leave out when it sends one: its type, its status, a text as a list of parts. */
export function shownItem({ json }: Item): unknown {
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const item = value as JsonObject
  const { role, content } = item
  const type = item.type ?? 'message'
  return {
    ...item,
    type,
    status: item.status ?? 'completed',
    ...(type === 'message' && typeof content === 'string' && { content: [textPart(role, content)] }),
  }
}

function textPart(role: unknown, text: string): JsonObject {
  return role === 'assistant' ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text }
}

/** A page of items that are all at hand. */
export function page(all: readonly Item[], query: URLSearchParams, memory: Holding): ItemList {
  const { after, limit, order } = pageQuery(query)
  const ordered = order === 'asc' ? all : all.toReversed()
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0) {
    throw new GatewayError('invalid_request', `There is no item '${after.slice(0, 100)}' in this list.`, {
      param: 'after',
    })
  }
  const items = ordered.slice(start, start + limit)
  takeForItems(memory, items)
  return itemList(items, ordered.length > start + limit)
}
