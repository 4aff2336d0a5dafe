/**
 * What the gateway keeps between requests: responses, their items, and conversations. Each operation is one whole
 * step of the domain, atomic by itself, so that an embedded file, Redis or Postgres can all stand behind it.
 * `test/store/describe-store.ts` is the suite that every store must pass.
 */

/** One input or output item, as the JSON text that was received or sent. */
export interface Item {
  readonly id: string
  readonly json: string
}

export interface ResponseRecord {
  /** Whose it is. Part of every key: to any other owner the record does not exist. */
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
  /** Only what was new in this request. */
  readonly input: readonly Item[]
  readonly output: readonly Item[]
}

export interface Conversation {
  readonly owner: string
  readonly id: string
  readonly createdAt: number
  readonly expiresAt: number
  /** JSON text. */
  readonly metadata: string
}

export interface ConversationChange {
  readonly metadata?: string
  readonly expiresAt?: number
}

export interface ItemQuery {
  /** The id of the item after which, in the given order, the page begins. */
  readonly after?: string
  readonly limit: number
  /** `asc` is oldest first. */
  readonly order: 'asc' | 'desc'
}

export interface ItemPage {
  readonly items: readonly Item[]
  readonly hasMore: boolean
}

/**
 * What has expired is absent at once, whether or not it has been deleted yet. Failures are `StoreError`s.
 * Only an operation that has resolved is promised to be kept, and to be seen by other stores on the same data.
 */
export interface Store {
  readonly kind: string

  /**
   * Writes the response in place of an earlier one with its id. In a conversation, the first save as `completed` or
   * `incomplete` also appends input and output to it, and lets it live at least as long as the response. All or
   * nothing. Refused: `conversation_not_found`, `duplicate_item` (the conversation has an item of that id; an
   * unfinished save looks too, so that it is known before the model is asked), `too_large`.
   */
  saveResponse(record: ResponseRecord): Promise<void>
  getResponse(owner: string, id: string): Promise<ResponseRecord | undefined>
  /** Whether there was one. What it added to a conversation stays there. */
  deleteResponse(owner: string, id: string): Promise<boolean>

  /**
   * All that a continuation of this response must be shown, oldest first: input then output of every response of the
   * chain. For one made in a conversation: what the conversation held before it, then its own. `undefined` when any
   * part is unknown, expired, deleted or another owner's, or when a conversation was not joined yet: never a context
   * with a hole. The status of a response is not looked at.
   */
  context(owner: string, id: string): Promise<readonly Item[] | undefined>
  /** For references to items, wherever the owner has them. When an id occurs twice, the one written last. */
  getItems(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>>

  /** Refused: `already_exists`, `duplicate_item`, `too_large`. */
  createConversation(conversation: Conversation, items: readonly Item[]): Promise<void>
  getConversation(owner: string, id: string): Promise<Conversation | undefined>
  /** `false` when there is no such conversation, as with the other operations on one. */
  updateConversation(owner: string, id: string, change: ConversationChange): Promise<boolean>
  /** Its items go with it. Responses made in it stay, but have no context any more. */
  deleteConversation(owner: string, id: string): Promise<boolean>

  /** All of them or, when the conversation has one of the ids, none (`duplicate_item`). */
  appendItems(owner: string, conversationId: string, items: readonly Item[]): Promise<boolean>
  /** `undefined` when there is no such conversation; `unknown_cursor` when `after` is not one of its items. */
  listItems(owner: string, conversationId: string, query: ItemQuery): Promise<ItemPage | undefined>
  getItem(owner: string, conversationId: string, id: string): Promise<Item | undefined>
  deleteItem(owner: string, conversationId: string, id: string): Promise<boolean>

  /**
   * Deletes for good what has expired by `now`, what is over the limits (written longest ago first), and marks as
   * failed what a process that died left unfinished. The number of records deleted.
   */
  sweep(now: number): Promise<number>
  /** Rejects when the store cannot take a write now. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface Limits {
  /** Responses and conversations together. */
  readonly maxRecords: number
  /** The UTF-8 bytes of all ids and texts. */
  readonly maxBytes: number
}
