/** Checksums of records and items, by which a reader finds what a disk has changed. */
import { crc32 } from 'node:zlib'
import type { ItemPart, RecordHead, RecordKind } from './records.ts'
import type { Item } from './store.ts'

export interface SealedHead extends Omit<RecordHead, 'number'> {
  readonly kind: RecordKind
  readonly owner: string
  readonly id: string
}

export function headSum(head: SealedHead): number {
  const { kind, owner, id, createdAt, expiresAt, bytes, status } = head
  const { previousId, conversationId, joinedTo, joinedAfter } = head
  return crc32(
    JSON.stringify([
      ...[kind, owner, id, createdAt, expiresAt, bytes, status],
      ...[previousId, conversationId, joinedTo, joinedAfter],
    ]),
  )
}

/** -1, which is never a checksum, for what is not text: a disk may also change which type a value has. */
export const bodySum = (body: string): number => (typeof body === 'string' ? crc32(body) : -1)

export function itemSum(record: number, owner: string, part: ItemPart, { id, json }: Item): number {
  if (typeof json !== 'string') return -1
  // In two steps, so that a long text is not copied.
  return crc32(json, crc32(JSON.stringify([record, owner, part, id])))
}

export const claimSum = (holder: string, id: string, owner: string, expiresAt: number): number =>
  crc32(JSON.stringify([holder, id, owner, expiresAt]))
