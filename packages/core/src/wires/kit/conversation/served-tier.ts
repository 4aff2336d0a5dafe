/** The service tier of an answer, which both OpenAI wires have in the same field. */
import type { ServedTier } from '../../../model/answer.ts'
import type { FieldReader } from '../field-reader.ts'
import type { Leftovers } from '../residue.ts'

/** What was read goes back to its place on its own wire, and is no loss on others that have a place for it. */
export function decodeServedTier(
  fields: FieldReader,
  defaults: Leftovers['defaults'],
): ServedTier | undefined {
  const value = fields.string('service_tier')
  if (value === undefined) return undefined
  defaults.push([['service_tier'], value])
  return { value, path: ['service_tier'] }
}
