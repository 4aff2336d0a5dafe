/** What a procedure refused, as the error of the store. */
import type { Limits } from '../store.ts'
import {
  alreadyExists,
  conversationNotFound,
  duplicateItem,
  leaseLost,
  type StoreError,
  tooLarge,
  unknownCursor,
  wasDeleted,
} from '../store-error.ts'
import type { Row } from './procedures.ts'

interface Refused {
  readonly id: string
  readonly conversationId: string | undefined
  readonly what: string
  readonly after?: string | undefined
}

export function refusalOf([code, detail]: Row, refused: Refused, { maxBytes }: Limits): Error {
  const { id, conversationId = '', what, after = '' } = refused
  const errors: { readonly [code: string]: () => StoreError } = {
    response_deleted: () => wasDeleted(id),
    lease_lost: () => leaseLost(id),
    conversation_not_found: () => conversationNotFound(conversationId),
    duplicate_item: () => duplicateItem(conversationId, detail ?? ''),
    too_large: () => tooLarge(what, Number(detail), maxBytes),
    already_exists: () => alreadyExists(id),
    unknown_cursor: () => unknownCursor(conversationId, after),
  }
  return errors[code ?? '']?.() ?? new Error(`A store answered ${String(code)}.`)
}
