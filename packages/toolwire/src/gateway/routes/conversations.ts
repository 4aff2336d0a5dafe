/** Conversations: histories with a name that responses can be added to. */
import type { Conversation, Store } from '../../store/store.ts'
import { StoreError } from '../../store/store-error.ts'
import type { Visit } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import { readJson } from '../http/read-body.ts'
import { itemList, pageQuery, shownItem } from '../responses-api/item-pages.ts'
import { itemsOf } from '../responses-api/state.ts'

function storeOf({ core }: Visit): Store {
  if (core.store !== undefined) return core.store
  throw new GatewayError('not_found', 'This gateway runs without a store, so it keeps no conversations.', {
    code: 'no_store',
  })
}

function notFound(what: 'Conversation' | 'Item', id: string): GatewayError {
  return new GatewayError('not_found', `${what} with id '${id.slice(0, 100)}' not found.`, {
    code: what === 'Item' ? 'item_not_found' : 'conversation_not_found',
  })
}

function asObject({ id, createdAt, metadata }: Conversation): JsonObject {
  return {
    id,
    object: 'conversation',
    created_at: Math.floor(createdAt / 1000),
    metadata: JSON.parse(metadata),
  }
}

async function find(visit: Visit): Promise<Conversation> {
  const id = visit.params.id ?? ''
  const conversation = await storeOf(visit).getConversation(visit.owner, id)
  if (conversation === undefined) throw notFound('Conversation', id)
  return conversation
}

function metadataOf(body: JsonObject): string {
  const { metadata = {} } = body
  if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata))
    return JSON.stringify(metadata)
  if (metadata === null) return '{}'
  throw new GatewayError('invalid_request', 'metadata must be an object of texts.', { param: 'metadata' })
}

function newItems(value: unknown, newId: (prefix: string) => string): ReturnType<typeof itemsOf> {
  if (value === undefined || value === null || Array.isArray(value)) return itemsOf(value, newId)
  throw new GatewayError('invalid_request', 'items must be a list of items.', { param: 'items' })
}

export async function createConversation(visit: Visit): Promise<void> {
  const { core, owner } = visit
  const body = await readJson(visit)
  const createdAt = core.clock.date()
  const conversation: Conversation = {
    owner,
    id: core.newId('conv_'),
    createdAt,
    expiresAt: createdAt + core.ttlMs,
    metadata: metadataOf(body),
  }
  await storeOf(visit).createConversation(conversation, newItems(body.items, core.newId))
  sendJson(visit, 200, asObject(conversation))
}

export async function getConversation(visit: Visit): Promise<void> {
  sendJson(visit, 200, asObject(await find(visit)))
}

export async function updateConversation(visit: Visit): Promise<void> {
  const body = await readJson(visit)
  const conversation = await find(visit)
  const metadata = metadataOf(body)
  await storeOf(visit).updateConversation(visit.owner, conversation.id, { metadata })
  sendJson(visit, 200, asObject({ ...conversation, metadata }))
}

export async function deleteConversation(visit: Visit): Promise<void> {
  const { id } = await find(visit)
  await storeOf(visit).deleteConversation(visit.owner, id)
  sendJson(visit, 200, { id, object: 'conversation.deleted', deleted: true })
}

export async function listItems(visit: Visit): Promise<void> {
  const { id } = await find(visit)
  const found = await storeOf(visit)
    .listItems(visit.owner, id, pageQuery(visit.query))
    .catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.code !== 'unknown_cursor') throw error
      throw new GatewayError('invalid_request', 'There is no such item to go on from.', { param: 'after' })
    })
  if (found === undefined) throw notFound('Conversation', id)
  sendJson(visit, 200, itemList(found.items, found.hasMore))
}

export async function createItems(visit: Visit): Promise<void> {
  const body = await readJson(visit)
  const { id } = await find(visit)
  const items = newItems(body.items, visit.core.newId)
  if (!(await storeOf(visit).appendItems(visit.owner, id, items))) throw notFound('Conversation', id)
  sendJson(visit, 200, itemList(items, false))
}

export async function getItem(visit: Visit): Promise<void> {
  const { id } = await find(visit)
  const item = await storeOf(visit).getItem(visit.owner, id, visit.params.item ?? '')
  if (item === undefined) throw notFound('Item', visit.params.item ?? '')
  sendJson(visit, 200, shownItem(item))
}

export async function deleteItem(visit: Visit): Promise<void> {
  const conversation = await find(visit)
  const item = visit.params.item ?? ''
  if (!(await storeOf(visit).deleteItem(visit.owner, conversation.id, item))) throw notFound('Item', item)
  sendJson(visit, 200, asObject(conversation))
}
