/** A Messages request. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, isObject, own } from '../../../json/object.ts'
import type { Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { keepUnreadHistory } from '../../kit/unread-history.ts'
import { decodeDemand } from '../compaction.ts'
import { messagesResidue } from '../residue.ts'
import { decodeToolParams, encodeToolParams, toolKeys } from '../tools/params.ts'
import { decodeSettings, decodeUpdates, encodeSettings } from './settings.ts'
import { decodeSystem, decodeTurn, encodeSystem, encodeTurns } from './turns.ts'

export function decodeRequest(body: JsonObject, report: Report): Request {
  const fields = new FieldReader(body)
  for (const key of toolKeys) fields.ignore(key)
  const model = fields.string('model')
  const system = decodeSystem(own(body, 'system'))
  if (system !== undefined) fields.ignore('system')
  const messages = own(body, 'messages')
  const defaults: ResidueEntry[] = messages === undefined ? [[['messages'], undefined]] : []
  if (Array.isArray(messages)) fields.ignore('messages')
  else keepUnreadHistory('messages', 'a list of messages', { body, fields, defaults }, report)
  const turns: Turn[] = system === undefined ? [] : [system]
  if (Array.isArray(messages)) {
    const lastUser = messages.findLastIndex(message => isObject(message) && own(message, 'role') === 'user')
    messages.forEach((message, i) => {
      turns.push(decodeTurn(message, ['messages', i], report, i < lastUser))
    })
  }
  const more: ResidueEntry[] = []
  const settings = decodeSettings(body, fields, { entries: more, defaults })
  const tools = decodeToolParams(body, report)
  const entries = fields.unread()
  append(entries, more)
  // Also if empty: it marks the request as read from this wire.
  const request: Draft<Request> = { turns, tools, settings }
  request.residue = messagesResidue.create([], entries, defaults)
  if (model !== undefined) request.model = model
  const updates = decodeUpdates(messages)
  if (updates !== undefined) request.updates = updates
  const compaction = decodeDemand(body)
  if (compaction !== undefined) request.compaction = compaction
  return request
}

export function encodeRequest(request: Request, report: Report): JsonObject {
  const context = { report, own: request.residue?.wire === 'messages' }
  const instructions = request.turns.filter(turn => turn.instructions)
  const turns = instructions.length === 0 ? request.turns : request.turns.filter(turn => !turn.instructions)
  const written: Record<string, unknown> = {}
  if (request.model !== undefined) written.model = request.model
  encodeSettings(request.settings, written, report)
  const system = encodeSystem(instructions, context)
  if (system !== undefined) written.system = system
  written.messages = encodeTurns(turns, context)
  encodeToolParams(request.tools, report, written)
  return messagesResidue.complete(written, request.residue, report)
}
