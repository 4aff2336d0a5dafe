/** Whether a request may hold something that has to be looked at, found without reading it. */
import { envelopeMark } from '@toolwire/core'
import type { HeldIds } from '@toolwire/core/wires'
import { asBuffer } from '../http/bytes.ts'

/** Whether a request has to be read to know. An escape may spell any letter of a name. */
export function mayRefer(bytes: Uint8Array, { marks }: Pick<HeldIds, 'marks'>): boolean {
  const body = asBuffer(bytes)
  return body.includes('\\u') || marks.some(mark => body.includes(mark))
}

/** The search stops at every letter that the mark begins with, so it is for the part that begins with a rare one. */
const rarePart = envelopeMark.slice(envelopeMark.indexOf('-'))

/** Whether it may hold what was sealed here, perhaps for another upstream. */
export function mayHoldEnvelope(bytes: Uint8Array): boolean {
  const body = asBuffer(bytes)
  return body.includes(rarePart) && body.includes(envelopeMark)
}

/** Whether it may ask for a summary of its conversation, or hold one. */
export function mayCompact(bytes: Uint8Array): boolean {
  return asBuffer(bytes).includes('compact')
}
