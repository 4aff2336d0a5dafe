/** Errors of a store: a code for programs, and a sentence with the location and the remedy for people. */

/** What went wrong, for programs. */
export type StoreErrorCode =
  /** The caller's mistake. */
  | 'invalid'
  | 'too_large'
  | 'duplicate_item'
  | 'already_exists'
  | 'conversation_not_found'
  | 'unknown_cursor'
  /** A late save of a response that was deleted. */
  | 'response_deleted'
  /** A late save of a response that has ended, or that another gateway has ended. */
  | 'lease_lost'
  | 'closed'
  /** Another process holds the store; the same call may succeed later. */
  | 'busy'
  /** The disk, or the memory of a server, is full. */
  | 'full'
  /** The disk is read-only or broken, or the file is damaged. */
  | 'unavailable'
  /** A record is not what was written. */
  | 'record_damaged'
  /** It could not be opened. */
  | 'no_access'
  | 'no_driver'
  | 'not_a_store'
  | 'newer_version'

export interface StoreErrorOptions extends ErrorOptions {
  readonly reason?: string
}

/** Every failure of a store. Stores of your own reject with it too, so that clients get the status and the reason that fit. */
export class StoreError extends Error {
  readonly code: StoreErrorCode
  /** The message without paths of this machine, for clients. */
  readonly reason: string

  constructor(code: StoreErrorCode, message: string, options: StoreErrorOptions = {}) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
    this.reason = options.reason ?? message
  }
}

export const closedError = (): StoreError =>
  new StoreError('closed', 'The store has been closed. Open it again before using it.')

/** Until space is found, or somebody makes some. */
export const diskFull = (path: string): StoreError => {
  const reason = 'the disk is full. Free some space, or lower maxBytes.'
  return new StoreError('full', `The store at ${path} cannot be used: ${reason}`, { reason })
}

/** As the server itself says it to whoever writes. */
export const serverFull = (): StoreError => {
  const reason = 'the memory of its server is full. Raise maxmemory, or lower maxBytes.'
  return new StoreError('full', `The store cannot be used: ${reason}`, { reason })
}

export const damaged = (kind: string, id: string): StoreError =>
  new StoreError(
    'record_damaged',
    `The stored ${kind} ${JSON.stringify(id)} is damaged: its checksum does not match, so it is not returned. ` +
      'Delete it, or put a backup in place of the store; "toolwire store verify" lists all that is damaged in a file.',
  )

export const wasDeleted = (id: string): StoreError =>
  new StoreError('response_deleted', `Response ${JSON.stringify(id)} was deleted, so it is not stored again.`)

export const leaseLost = (id: string): StoreError =>
  new StoreError(
    'lease_lost',
    `Response ${JSON.stringify(id)} has ended before, perhaps by another gateway, for which this one was silent for too ` +
      'long, so it is not stored again. Send the request again.',
  )

export const tooLarge = (what: string, bytes: number, maxBytes: number): StoreError =>
  new StoreError(
    'too_large',
    `${what} is ${bytes} bytes, more than the whole store may hold (${maxBytes}). ` +
      'Raise maxBytes, or keep less in it.',
  )

export const duplicateItem = (conversationId: string, id: string): StoreError =>
  new StoreError(
    'duplicate_item',
    `Item ${JSON.stringify(id)} occurs twice in conversation ${JSON.stringify(conversationId)}. ` +
      'Leave out what the conversation already has, or give the new item an id of its own.',
  )

export const alreadyExists = (id: string): StoreError =>
  new StoreError(
    'already_exists',
    `There already is a conversation ${JSON.stringify(id)}. Choose another id, or delete that one first.`,
  )

export const conversationNotFound = (id: string): StoreError =>
  new StoreError(
    'conversation_not_found',
    `There is no conversation ${JSON.stringify(id)}. Create it first, or save the response outside of it.`,
  )

export const unknownCursor = (conversationId: string, after: string): StoreError =>
  new StoreError(
    'unknown_cursor',
    `Conversation ${JSON.stringify(conversationId)} has no item ${JSON.stringify(after)} to list after. ` +
      'Begin again without "after".',
  )
