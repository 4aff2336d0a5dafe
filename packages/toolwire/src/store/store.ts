/**
 * What the gateway stores between requests: responses, their items, conversations, and whose the ids are under which
 * others hold the like. Each operation is a complete,
 * atomic step of the domain, so that a store can be built on an embedded file, Redis or Postgres.
 * `test/store/describe-store.ts` is the suite that every store must pass.
 */

import type { StoredTrace, TraceBounds } from '../platform/stored-trace.ts'
import type { UsageRow } from '../platform/usage-row.ts'

/** One input or output item, as the JSON text that was received or sent. */
export interface Item {
  readonly id: string
  readonly json: string
  /** Of a long text, where the store has it so: the pieces that are `json` together. */
  readonly pieces?: readonly string[]
}

/** A response as it is stored, finished or not. */
export interface ResponseRecord {
  /** Part of every key: for any other owner the record does not exist. */
  readonly owner: string
  readonly id: string
  /** Milliseconds since 1970, as are all times here. */
  readonly createdAt: number
  readonly expiresAt: number
  /** The response this one continues. Not together with `conversationId`. */
  readonly previousId?: string
  readonly conversationId?: string
  readonly status: string
  /** The response object as JSON text. */
  readonly response: string
  /** Its pieces, as for an item. */
  readonly responsePieces?: readonly string[]
  /** Only what was new in this request. */
  readonly input: readonly Item[]
  readonly output: readonly Item[]
}

/** What names a response: nobody else's has the same owner and id. */
export type ResponseKey = Pick<ResponseRecord, 'owner' | 'id'>

/** A conversation without its items. */
export interface Conversation {
  readonly owner: string
  readonly id: string
  readonly createdAt: number
  readonly expiresAt: number
  /** JSON text. */
  readonly metadata: string
}

/** What is left out stays as it is. */
export interface ConversationChange {
  readonly metadata?: string
  readonly expiresAt?: number
}

/** Which items of a conversation are wanted. */
export interface ItemQuery {
  /** The id of the item after which, in the given order, the page begins. */
  readonly after?: string
  readonly limit: number
  /** `asc` is oldest first. */
  readonly order: 'asc' | 'desc'
}

/** Some items of a conversation, in the order of the query. */
export interface ItemPage {
  readonly items: readonly Item[]
  readonly hasMore: boolean
}

/** Events of a streamed background response, whole and in order. */
export interface StoredEvents {
  readonly text: string
  /** The number of the event after them. */
  readonly next: number
  /** There will be no more after these. */
  readonly isLast: boolean
}

/** Events to add to those of a streamed background response. */
export interface NewEvents {
  /** The number of the first one. */
  readonly first: number
  readonly events: readonly string[]
  /** There will be no more. */
  readonly isLast: boolean
}

/** Adds to a counter, which is zero until it is first changed, and again from `expiresAt` on. It never goes below zero. */
export interface CountChange {
  readonly name: string
  /** Whole numbers. */
  readonly by: number
  /** Nothing is added once the counter has reached this. */
  readonly most?: number
  readonly expiresAt: number
}

/** What became of changes of counters. */
export interface Counts {
  readonly isAdded: boolean
  /** Of each counter, in the order of the changes, after them. */
  readonly values: readonly number[]
}

/** A read whose size is wanted: of `getResponse`, `context`, `getItems` or `listItems`. */
export type WeighedRead =
  | { readonly response: string }
  | { readonly context: string }
  | { readonly items: readonly string[] }
  | { readonly conversation: string; readonly query: ItemQuery }

/**
 * Expired records are absent immediately, even before they are deleted. Failures are `StoreError`s. Only an operation
 * that has resolved is durable, and visible to other stores on the same data.
 */
export interface Store {
  readonly kind: string

  /**
   * Writes the response in place of an earlier one with its id. In a conversation, the first save as `completed` or
   * `incomplete` also appends input and output to it, and lets it live at least as long as the response. Events of
   * it that are given are added in the same step. All or nothing. One whose conversation was deleted meanwhile is saved
   * without joining it. Refused: `conversation_not_found` (when it begins), `duplicate_item` (the conversation has an item of that id; also
   * checked for an unfinished response, before the request is sent to the upstream), `too_large`, `response_deleted` (it was
   * deleted, by whichever process: a late save does not bring it back), `lease_lost` (it has ended otherwise; the same end
   * may be saved again).
   */
  saveResponse(record: ResponseRecord, events?: NewEvents): Promise<void>
  getResponse(owner: string, id: string): Promise<ResponseRecord | undefined>
  /** Returns whether there was one. Items that it added to a conversation stay there. */
  deleteResponse(owner: string, id: string): Promise<boolean>
  /** Marks an unfinished response as cancelled, for the process that works on it. Returns whether there was one. */
  requestCancel(owner: string, id: string): Promise<boolean>
  /** Unfinished responses of this store that were cancelled or deleted, by whichever process: their work is to end. */
  responsesToStop(): Promise<readonly ResponseKey[]>

  /**
   * All items that a continuation of this response must include, oldest first: input then output of every response of the
   * chain. For one made in a conversation: what the conversation held before it, then its own. `undefined` when any
   * part is unknown, expired, deleted or another owner's, or when a conversation was not joined yet: never a context
   * with a hole. The status of a response is not looked at.
   */
  context(owner: string, id: string): Promise<readonly Item[] | undefined>
  /** Resolves references to items in any record of the owner. When an id occurs twice, the one written last. */
  getItems(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>>

  /**
   * About how many bytes a read would return, found without reading the texts. What does not exist weighs nothing; an
   * item weighs as often as it is named.
   */
  weigh(owner: string, read: WeighedRead): Promise<number>

  /** Refused: `already_exists`, `duplicate_item`, `too_large`. */
  createConversation(conversation: Conversation, items: readonly Item[]): Promise<void>
  getConversation(owner: string, id: string): Promise<Conversation | undefined>
  /** `false` when there is no such conversation, as with the other operations on one. */
  updateConversation(owner: string, id: string, change: ConversationChange): Promise<boolean>
  /** Deletes its items too. Responses made in it stay, but no longer have a context. */
  deleteConversation(owner: string, id: string): Promise<boolean>

  /** Appends all items or, when the conversation has one of the ids, none (`duplicate_item`). */
  appendItems(owner: string, conversationId: string, items: readonly Item[]): Promise<boolean>
  /** `undefined` when there is no such conversation; `unknown_cursor` when `after` is not one of its items. */
  listItems(owner: string, conversationId: string, query: ItemQuery): Promise<ItemPage | undefined>
  getItem(owner: string, conversationId: string, id: string): Promise<Item | undefined>
  deleteItem(owner: string, conversationId: string, id: string): Promise<boolean>

  /**
   * Records that what a holder, such as an upstream, has under these ids is this owner's, and no longer an earlier one's.
   * An id that no store can hold is left out.
   */
  claimIds(owner: string, holder: string, ids: readonly string[], expiresAt: number): Promise<void>
  /**
   * Claims an id for `owner` only if it is `expected`'s now, or with `undefined` nobody's, and returns whether it did: of
   * several at the same time, one.
   */
  swapClaim(
    holder: string,
    id: string,
    expected: string | undefined,
    owner: string,
    expiresAt: number,
  ): Promise<boolean>
  /** The owner of each id that was claimed. */
  ownersOf(holder: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>

  /**
   * Adds events to those of a response that this process works on, so that other gateways can send them. Those that are there
   * are left out, and nothing follows the last one: whoever did not get the receipt sends them again, also beside newer ones. Refused: `lease_lost`. A store without these three is one whose gateways do not share events.
   */
  appendEvents?(owner: string, id: string, events: NewEvents): Promise<void>
  /** From this number on, a piece at a time; `undefined` when they were never kept, `gone` when they no longer are. */
  readEvents?(owner: string, id: string, from: number): Promise<StoredEvents | 'gone' | undefined>
  /** Calls back when there may be more events of a response. It may be late, or not come: look again after a second. */
  watchEvents?(owner: string, id: string, wake: () => void): () => void

  /** Adds to what was used. A store without these two forgets it when the gateway stops. */
  addUsage?(rows: readonly UsageRow[]): Promise<void>
  /** What was used since an hour, added up by all names except the hour; of one owner, or of all. The hour is any since then. */
  readUsage?(sinceHour: number, owner?: string): Promise<readonly UsageRow[]>

  /** Keeps traces, and of all of them the newest within the bounds. A store without these three keeps none. */
  addTraces?(traces: readonly StoredTrace[], bounds: TraceBounds): Promise<void>
  /** The summaries, the newest first; of one owner, or of all. */
  listTraces?(limit: number, owner?: string): Promise<readonly string[]>
  /** By the id of the request or of its answer; for any other owner it does not exist. */
  getTrace?(id: string, owner?: string): Promise<string | undefined>

  /**
   * Changes counters of an owner: all of them, or none when one has reached its `most`. A store without it is one whose
   * gateways do not share counters.
   */
  addCounts?(owner: string, changes: readonly CountChange[]): Promise<Counts>

  /**
   * What all gateways on this store share under this name: the first candidate that any of them gave. It is never
   * deleted.
   */
  secret(name: string, candidate: string): Promise<string>

  /**
   * Deletes for good what has expired by `now`, and what is over the limits (written longest ago first). Returns the
   * number of records deleted. A clock that has jumped ahead expires nothing until it has kept its time for a day.
   */
  sweep(now: number): Promise<number>
  /**
   * To be called every few seconds: marks as failed what a process that died left unfinished, erases deleted text from
   * logs, and recovers from a full disk.
   */
  maintain(): Promise<void>
  /** Rejects when the store cannot be written now. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface Limits {
  /** Responses and conversations together. */
  readonly maxRecords: number
  /** The UTF-8 bytes of all ids and texts. */
  readonly maxBytes: number
}
