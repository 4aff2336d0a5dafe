/** Whether a request may refer to what an upstream holds. */
import type { HeldIds } from '@toolwire/core/wires'
import { asBuffer } from '../http/bytes.ts'

/** Whether a request has to be read to know. An escape may spell any letter of a name. */
export function mayRefer(bytes: Uint8Array, { marks }: HeldIds): boolean {
  const body = asBuffer(bytes)
  return body.includes('\\u') || marks.some(mark => body.includes(mark))
}
