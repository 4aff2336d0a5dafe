/** The caller's body, as the beginning of a conversation that grows. */

import type { JsonObject } from '../json/object.ts'
import { own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Report } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { ResidueEntry } from '../model/residue.ts'
import type { WireConversation } from '../wires/define-wire.ts'

export function readRequest(body: JsonObject, codec: WireConversation, report: Report): Request {
  const { history } = codec.habits
  const given = own(body, history)
  if (given !== undefined && given !== null && typeof given !== 'string' && !Array.isArray(given))
    throw new TypeError(`"request.${history}" must be a list; got ${show(given)}.`)
  const request = codec.decodeRequest(body, report)
  const { residue } = request
  if (residue === undefined) return request
  // That nothing had been said yet is not to be repeated once something has.
  const stays = ([path]: ResidueEntry): boolean => path[0] !== history
  const { entries, defaults: quiet = [] } = residue
  return {
    ...request,
    residue: { ...residue, entries: entries.filter(stays), defaults: quiet.filter(stays) },
  }
}
