/** Checksums of records and items, by which a reader finds what a disk has changed. */
import { crc32 } from 'node:zlib'
import type { ItemPart, RecordHead, RecordKind } from './records.ts'
import type { Item } from './store.ts'

export interface SealedHead extends Omit<RecordHead, 'number'> {
  readonly kind: RecordKind
  readonly owner: string
  readonly id: string
  /** How many items it has; `null` for a conversation, whose items come and go. */
  readonly items: number | null
}

export function headSum(head: SealedHead): number {
  const { kind, owner, id, createdAt, expiresAt, bytes, status } = head
  const { previousId, conversationId, joinedTo, joinedAfter, items } = head
  return crc32(
    JSON.stringify([
      ...[kind, owner, id, createdAt, expiresAt, bytes, status],
      ...[previousId, conversationId, joinedTo, joinedAfter, items],
    ]),
  )
}

export const bodySum = (body: string): number => crc32(body)

export function itemSum(record: number, owner: string, part: ItemPart, { id, json }: Item): number {
  // In two steps, so that a long text is not copied.
  return crc32(json, crc32(JSON.stringify([record, owner, part, id])))
}
