/** Bodies that a gateway creates itself, on the client's wire. */

import type { IdSource } from './convert/exchange-options.ts'
import type { EncodedError, LocalError } from './convert/local-answer.ts'
import { emptyAnswerFor, encodeErrorFor } from './convert/local-answer.ts'
import { profilesFor } from './convert/shared/profiles.ts'
import { refuseUnknownOptions } from './json/known-options.ts'
import type { JsonObject } from './json/object.ts'
import { randomId, secondsNow } from './platform.ts'
import type { Profile } from './wires/profile.ts'
import type { Wire } from './wires/registry.ts'
import { conversationOf, toolsOf } from './wires/registry.ts'

/** Encodes an error for a wire, with its HTTP status. */
export function encodeError(wire: Wire, error: LocalError): EncodedError {
  return encodeErrorFor(conversationOf(wire, 'wire'), error, { newId: randomId, now: secondsNow })
}

/** An answer without content or end, for a request that has only been accepted. */
export function emptyAnswer(wire: Wire, request: JsonObject, ids: Partial<IdSource> = {}): JsonObject {
  refuseUnknownOptions('emptyAnswer', ids, { newId: true, now: true })
  const { newId = randomId, now = secondsNow } = ids
  return emptyAnswerFor(conversationOf(wire, 'wire'), { request, newId, now })
}

/** Throws a `TypeError` if the facts claim something that the wire cannot express. */
export function checkProfile(wire: Wire, facts: Partial<Profile>): void {
  profilesFor(toolsOf(wire, 'wire'), facts)
}

/** What a wire, or an upstream that differs from it by these facts, accepts for a model. */
export function profileFor(wire: Wire, model: string, facts?: Partial<Profile>): Profile {
  return profilesFor(toolsOf(wire, 'wire'), facts).ofModel(model).foreign
}
