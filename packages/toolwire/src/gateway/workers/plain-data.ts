/** What crosses from one thread to the other: bytes in memory of their own, and a request without its history. */

import type { JsonObject } from '@toolwire/core/json'
import { isObject } from '@toolwire/core/json'
import { copyInTurns } from '../http/bytes.ts'

/**
 * Bytes in memory of their own, which can be transferred as a whole. `isShared`: somebody else keeps the given ones, as
 * traces do, and would find them empty.
 */
export async function ownBytes(bytes: Uint8Array, isShared: boolean): Promise<Uint8Array<ArrayBuffer>> {
  const { buffer } = bytes
  return !isShared && buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
    ? new Uint8Array(buffer)
    : copyInTurns(bytes)
}

/** Some items of a history declare tools, and those matter for the way back. */
export function headOf(body: JsonObject, historyField: string): JsonObject {
  const history = body[historyField]
  if (!Array.isArray(history)) return typeof history === 'string' ? { ...body, [historyField]: '' } : body
  return { ...body, [historyField]: history.filter(item => isObject(item) && item.tools !== undefined) }
}
