/** What an error says. */
import type { WireDefinition } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'

/** The message of an error body of this wire. */
export function messageOf(value: JsonObject, { conversation }: WireDefinition): string {
  const { error } = conversation.decodeAnswer(value, () => undefined)
  return error?.message ?? 'The upstream refused.'
}
