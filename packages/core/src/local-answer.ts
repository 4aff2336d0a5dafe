/** Bodies that a server between client and model writes by itself, on the client's wire. */
import type { IdSource } from './convert/exchange-options.ts'
import type { EncodedError, LocalError } from './convert/local-answer.ts'
import { emptyAnswerFor, encodeErrorFor } from './convert/local-answer.ts'
import { mergeProfile } from './convert/shared/options.ts'
import type { JsonObject } from './json/json.ts'
import { randomId, secondsNow } from './platform.ts'
import type { Profile } from './wires/profile.ts'
import type { Wire } from './wires/registry.ts'
import { conversationOf, toolsOf } from './wires/registry.ts'

/** An error as the wire writes it, and the HTTP status that goes with it. */
export function encodeError(wire: Wire, error: LocalError): EncodedError {
  return encodeErrorFor(conversationOf(wire, 'wire'), error, { newId: randomId, now: secondsNow })
}

/** The answer to a request of which nothing is known yet but the request itself. */
export function emptyAnswer(
  wire: Wire,
  request: JsonObject,
  { newId = randomId, now = secondsNow }: Partial<IdSource> = {},
): JsonObject {
  return emptyAnswerFor(conversationOf(wire, 'wire'), { request, newId, now })
}

/** Throws a `TypeError` where the facts claim what the wire has no way to express. */
export function checkProfile(wire: Wire, facts: Partial<Profile>): void {
  const tools = toolsOf(wire, 'wire')
  mergeProfile(tools.profile, tools, facts)
}
