/** Checks of arguments, and sizes, that are the same for every store. */
import type {
  Conversation,
  ConversationChange,
  CountChange,
  Item,
  ItemQuery,
  Limits,
  ResponseRecord,
} from './store.ts'
import { duplicateItem, StoreError } from './store-error.ts'

/** Some upstreams sign their item ids, which makes them hundreds of characters long. */
const maxIdLength = 1024

/** Control characters, and lone surrogates, which databases do not return unchanged. */
const invalidInIds = /[\p{Cc}\p{Cs}]/u

const invalid = (message: string): StoreError => new StoreError('invalid', message)

export function isId(id: string): boolean {
  return id !== '' && id.length <= maxIdLength && !invalidInIds.test(id)
}

export function checkId(name: string, id: string): void {
  if (typeof id !== 'string' || id === '') throw invalid(`${name} must be a string that is not empty.`)
  if (id.length > maxIdLength) {
    throw invalid(`${name} has ${id.length} characters; ids may have ${maxIdLength} at most.`)
  }
  if (invalidInIds.test(id)) throw invalid(`${name} has a control character or half of a surrogate pair.`)
}

export function checkKey(owner: string, id: string): void {
  checkId('owner', owner)
  checkId('id', id)
}

export function checkItems(name: string, items: readonly Item[]): void {
  for (const [index, item] of items.entries()) {
    checkId(`${name}[${index}].id`, item.id)
    checkText(`${name}[${index}].json`, item.json)
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

export function checkCounts(owner: string, changes: readonly CountChange[]): void {
  checkId('owner', owner)
  for (const { name, by, most = 0, expiresAt } of changes) {
    checkId('name', name)
    checkTime('expiresAt', expiresAt)
    if (!Number.isSafeInteger(by) || !Number.isSafeInteger(most)) {
      throw invalid(`${name} counts in whole numbers.`)
    }
  }
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

/** Throws if a conversation would get two items with the same id. */
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

const encoder = new TextEncoder()

/** In UTF-8. `Buffer` counts without encoding, but not every runtime has it. */
export const byteLength: (text: string) => number =
  typeof Buffer === 'undefined' ? text => encoder.encode(text).length : text => Buffer.byteLength(text)

export const weighItems = (items: readonly Item[]): number =>
  items.reduce((bytes, { id, json }) => bytes + byteLength(id) + byteLength(json), 0)

export const weighRecord = (record: ResponseRecord): number =>
  weighHead(record.owner, record.id, record.response) + weighItems(record.input) + weighItems(record.output)

/** The bytes of a record without its items. */
export const weighHead = (owner: string, id: string, text: string): number =>
  byteLength(owner) + byteLength(id) + byteLength(text)

function checkText(name: string, text: string): void {
  if (typeof text !== 'string') throw invalid(`${name} must be JSON text.`)
  // Neither occurs in JSON text that was read as UTF-8. Databases cut a text at NUL, or refuse it. A pattern would take
  // a hundred times as long for a long text.
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalid(`${name} is not JSON text: it has a NUL or half of a surrogate pair.`)
  }
}

export function checkTime(name: string, time: number): void {
  checkWhole(name, time, 0)
}

function checkWhole(name: string, value: number, min: number): void {
  if (!Number.isSafeInteger(value) || value < min) {
    throw invalid(`${name} must be a whole number of at least ${min}; it is ${String(value)}.`)
  }
}
