/** Items as clients of the Responses wire see them. */
import type { JsonObject } from '@toolwire/core/json'
import type { Item } from '../../store/store.ts'

interface ItemList {
  readonly object: 'list'
  readonly data: readonly unknown[]
  readonly first_id: string | null
  readonly last_id: string | null
  readonly has_more: boolean
}

/** A list, or without `hasMore` the only one. */
export function shownItems(items: readonly Item[], hasMore: boolean | undefined): unknown {
  if (hasMore !== undefined) return itemList(items, hasMore)
  const [item] = items
  return item && shownItem(item)
}

function itemList(items: readonly Item[], hasMore: boolean): ItemList {
  return {
    object: 'list',
    data: items.map(shownItem),
    first_id: items[0]?.id ?? null,
    last_id: items.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}

/** An item with all that a client may leave out when it sends one: its type, its status, a text as a list of parts. */
function shownItem({ json }: Item): unknown {
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
