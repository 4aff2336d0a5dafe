/** Conversations: histories with an id that responses can be added to. */
import { builtInWires } from '@toolwire/core'
import type { Conversation, Store } from '../../store/store.ts'
import { StoreError } from '../../store/store-error.ts'
import type { GatewayContext, GatewayRoute, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import { readJson } from '../http/json-body.ts'
import { createdWhereUsed, hereOrAtUpstream } from './held-at-upstream.ts'
import { pageQuery, sendItems } from './item-pages.ts'
import { itemsOf } from './state.ts'
import { type HistoryReader, historyOf } from './weighed-store.ts'

function storeOf({ gateway }: RequestContext): Store {
  return gateway.store ?? failWithoutStore()
}

function readerOf(context: RequestContext): HistoryReader {
  return historyOf(context) ?? failWithoutStore()
}

function failWithoutStore(): never {
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

async function find(context: RequestContext): Promise<Conversation> {
  const id = context.params.id ?? ''
  const conversation = await storeOf(context).getConversation(context.owner, id)
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

function newItems(value: unknown, { limits, newId }: GatewayContext): ReturnType<typeof itemsOf> {
  if (Array.isArray(value) && value.length > limits.items) {
    throw new GatewayError(
      'too_large',
      `A request may add at most ${limits.items} items; this one has ${value.length}. Send several, or raise "limits.items".`,
      { param: 'items', code: 'too_many_items' },
    )
  }
  if (value === undefined || value === null || Array.isArray(value)) return itemsOf(value, newId)
  throw new GatewayError('invalid_request', 'items must be a list of items.', { param: 'items' })
}

async function createConversation(context: RequestContext): Promise<void> {
  const { gateway, owner } = context
  const body = await readJson(context)
  const createdAt = gateway.clock.date()
  const conversation: Conversation = {
    owner,
    id: gateway.newId('conv_'),
    createdAt,
    expiresAt: createdAt + gateway.ttlMs,
    metadata: metadataOf(body),
  }
  await storeOf(context).createConversation(conversation, newItems(body.items, gateway))
  sendJson(context, 200, asObject(conversation))
}

async function getConversation(context: RequestContext): Promise<void> {
  sendJson(context, 200, asObject(await find(context)))
}

async function updateConversation(context: RequestContext): Promise<void> {
  // What is not here is passed on with its body, which can be read once.
  const conversation = await find(context)
  const body = await readJson(context)
  const metadata = metadataOf(body)
  await storeOf(context).updateConversation(context.owner, conversation.id, { metadata })
  sendJson(context, 200, asObject({ ...conversation, metadata }))
}

async function deleteConversation(context: RequestContext): Promise<void> {
  const { id } = await find(context)
  await storeOf(context).deleteConversation(context.owner, id)
  sendJson(context, 200, { id, object: 'conversation.deleted', deleted: true })
}

async function listItems(context: RequestContext): Promise<void> {
  const { id } = await find(context)
  const found = await readerOf(context)
    .listItems(context.owner, id, pageQuery(context.query))
    .catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.code !== 'unknown_cursor') throw error
      throw new GatewayError('invalid_request', 'There is no such item to go on from.', { param: 'after' })
    })
  if (found === undefined) throw notFound('Conversation', id)
  await sendItems(context, found.items, found.hasMore)
}

async function createItems(context: RequestContext): Promise<void> {
  const { id } = await find(context)
  const body = await readJson(context)
  const items = newItems(body.items, context.gateway)
  if (!(await storeOf(context).appendItems(context.owner, id, items))) throw notFound('Conversation', id)
  await sendItems(context, items, false)
}

async function getItem(context: RequestContext): Promise<void> {
  const { id } = await find(context)
  const item = await readerOf(context).getItem(context.owner, id, context.params.item ?? '')
  if (item === undefined) throw notFound('Item', context.params.item ?? '')
  await sendItems(context, [item])
}

async function deleteItem(context: RequestContext): Promise<void> {
  const conversation = await find(context)
  const item = context.params.item ?? ''
  if (!(await storeOf(context).deleteItem(context.owner, conversation.id, item))) throw notFound('Item', item)
  sendJson(context, 200, asObject(conversation))
}

const wire = builtInWires.responses
const one = '/v1/conversations/{id}'

export const conversationRoutes: readonly GatewayRoute[] = [
  {
    name: 'conversation-create',
    method: 'POST',
    path: '/v1/conversations',
    wire,
    handle: createdWhereUsed(createConversation),
  },
  { name: 'conversation', method: 'GET', path: one, wire, handle: hereOrAtUpstream(getConversation) },
  {
    name: 'conversation-update',
    method: 'POST',
    path: one,
    wire,
    handle: hereOrAtUpstream(updateConversation),
  },
  {
    name: 'conversation-delete',
    method: 'DELETE',
    path: one,
    wire,
    handle: hereOrAtUpstream(deleteConversation),
  },
  { name: 'items', method: 'GET', path: `${one}/items`, wire, handle: hereOrAtUpstream(listItems) },
  { name: 'items-create', method: 'POST', path: `${one}/items`, wire, handle: hereOrAtUpstream(createItems) },
  { name: 'item', method: 'GET', path: `${one}/items/{item}`, wire, handle: hereOrAtUpstream(getItem) },
  {
    name: 'item-delete',
    method: 'DELETE',
    path: `${one}/items/{item}`,
    wire,
    handle: hereOrAtUpstream(deleteItem),
  },
]
