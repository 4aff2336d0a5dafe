/** What every store demands of its arguments, so that all of them refuse the same things in the same words. */
import { Buffer } from 'node:buffer'
import type { Conversation, ConversationChange, Item, ItemQuery, Limits, ResponseRecord } from './store.ts'
import { duplicateItem, StoreError } from './store-error.ts'

/** Some upstreams sign their item ids, which makes them hundreds of characters long. */
const MAX_ID = 1024

/** Control characters, and halves of surrogate pairs, which no database gives back as they were. */
const NOT_IN_IDS = /[\p{Cc}\p{Cs}]/u
/** Neither occurs in JSON text that was read as UTF-8. Engines cut a text at NUL, or refuse it. */
const NOT_IN_TEXTS = /[\0\p{Cs}]/u

const invalid = (message: string): StoreError => new StoreError('invalid', message)

export function checkId(place: string, id: string): void {
  if (typeof id !== 'string' || id === '') throw invalid(`${place} must be a string that is not empty.`)
  if (id.length > MAX_ID) {
    throw invalid(`${place} has ${id.length} characters; ids may have ${MAX_ID} at most.`)
  }
  if (NOT_IN_IDS.test(id)) throw invalid(`${place} has a control character or half of a surrogate pair.`)
}

export function checkKey(owner: string, id: string): void {
  checkId('owner', owner)
  checkId('id', id)
}

export function checkItems(place: string, items: readonly Item[]): void {
  for (const [index, item] of items.entries()) {
    checkId(`${place}[${index}].id`, item.id)
    checkText(`${place}[${index}].json`, item.json)
  }
}

export function checkRecord(record: ResponseRecord): void {
  checkKey(record.owner, record.id)
  checkTime('createdAt', record.createdAt)
  checkTime('expiresAt', record.expiresAt)
  checkId('status', record.status)
  if (record.previousId !== undefined) checkId('previousId', record.previousId)
  if (record.conversationId !== undefined) checkId('conversationId', record.conversationId)
  if (record.previousId !== undefined && record.conversationId !== undefined) {
    throw invalid('A response continues a response or a conversation: give previousId or conversationId.')
  }
  checkText('response', record.response)
  checkItems('input', record.input)
  checkItems('output', record.output)
}

export function checkConversation(conversation: Conversation, items: readonly Item[]): void {
  checkKey(conversation.owner, conversation.id)
  checkTime('createdAt', conversation.createdAt)
  checkTime('expiresAt', conversation.expiresAt)
  checkText('metadata', conversation.metadata)
  checkItems('items', items)
}

export function checkChange(change: ConversationChange): void {
  if (change.metadata !== undefined) checkText('metadata', change.metadata)
  if (change.expiresAt !== undefined) checkTime('expiresAt', change.expiresAt)
}

export function checkQuery(query: ItemQuery): void {
  if (query.after !== undefined) checkId('after', query.after)
  checkWhole('limit', query.limit, 1)
  if (query.order !== 'asc' && query.order !== 'desc') throw invalid('order must be "asc" or "desc".')
}

export function checkLimits({ maxRecords, maxBytes }: Limits): void {
  // A response and the conversation it was made in are written together.
  checkWhole('maxRecords', maxRecords, 2)
  checkWhole('maxBytes', maxBytes, 1)
}

/** Refuses items that would give a conversation two of one id. */
export function checkNewItems(
  conversationId: string,
  items: readonly Item[],
  has: (id: string) => boolean,
): void {
  const seen = new Set<string>()
  for (const { id } of items) {
    if (seen.has(id) || has(id)) throw duplicateItem(conversationId, id)
    seen.add(id)
  }
}

export const weighItems = (items: readonly Item[]): number =>
  items.reduce((bytes, { id, json }) => bytes + Buffer.byteLength(id) + Buffer.byteLength(json), 0)

export const weighRecord = (record: ResponseRecord): number =>
  weighHead(record.owner, record.id, record.response) + weighItems(record.input) + weighItems(record.output)

/** What a record weighs without its items. */
export const weighHead = (owner: string, id: string, text: string): number =>
  Buffer.byteLength(owner) + Buffer.byteLength(id) + Buffer.byteLength(text)

function checkText(place: string, text: string): void {
  if (typeof text !== 'string') throw invalid(`${place} must be JSON text.`)
  if (NOT_IN_TEXTS.test(text)) {
    throw invalid(`${place} is not JSON text: it has a NUL or half of a surrogate pair.`)
  }
}

function checkTime(place: string, time: number): void {
  checkWhole(place, time, 0)
}

function checkWhole(place: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw invalid(`${place} must be a whole number of at least ${least}; it is ${String(value)}.`)
  }
}
