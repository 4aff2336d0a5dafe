/** Decodes the caller's body as the beginning of a conversation. */

import { findNonJson } from '../json/non-json.ts'
import type { JsonObject } from '../json/object.ts'
import { isObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Report } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import { filterResidue } from '../model/residue.ts'
import type { WireConversation } from '../wires/define-wire.ts'

export function readRequest(body: JsonObject, codec: WireConversation, report: Report): Request {
  const { history } = codec.habits
  const turns = own(body, history)
  if (turns !== undefined && turns !== null && typeof turns !== 'string' && !Array.isArray(turns))
    throw new TypeError(`"request.${history}" must be a list; got ${show(turns)}.`)
  const request = codec.decodeRequest(body, report)
  const { residue } = request
  if (residue === undefined) return request
  // Residue of an empty history must not be restored once there are turns.
  return { ...request, residue: filterResidue(residue, ([path]) => path[0] !== history) }
}

export function checkRequest(request: unknown): JsonObject {
  const problem = findNonJson(request)
  if (problem !== undefined) throw new TypeError(`"request" must be JSON: ${problem.message}`)
  if (isObject(request)) return request
  throw new TypeError(`"request" must be a request's body, an object; got ${show(request)}.`)
}
