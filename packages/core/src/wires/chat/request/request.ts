/** A Chat request. */

import type { JsonObject } from '../../../json/object.ts'
import { append, own } from '../../../json/object.ts'
import type { Part, Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import type { Leftovers } from '../../kit/residue.ts'
import { keepUnreadHistory } from '../../kit/unread-history.ts'
import { chatResidue } from '../residue.ts'
import { decodeToolParams, encodeToolParams, toolKeys } from '../tools/params.ts'
import { decodeSettings, encodeSettings } from './settings.ts'
import { decodeTurn, encodeTurn } from './turns.ts'

export function decodeRequest(body: JsonObject, report: Report): Request {
  const fields = new FieldReader(body)
  const left: Leftovers = { entries: [], defaults: [] }
  for (const key of toolKeys) fields.ignore(key)
  const model = fields.string('model')
  const turns = decodeMessages(body, fields, left, report)
  const settings = decodeSettings(body, fields, left)
  const tools = decodeToolParams(body, report)
  const entries = fields.unread()
  append(entries, left.entries)
  const residue = chatResidue.create([], entries, left.defaults)
  return model === undefined
    ? { turns, tools, settings, residue }
    : { model, turns, tools, settings, residue }
}

function decodeMessages(body: JsonObject, fields: FieldReader, left: Leftovers, report: Report): Turn[] {
  const messages = own(body, 'messages')
  if (!Array.isArray(messages)) {
    keepUnreadHistory('messages', 'a list of messages', { body, fields, defaults: left.defaults }, report)
    return []
  }
  fields.ignore('messages')
  if (messages.length === 0) left.defaults.push([['messages'], []])
  return withForms(messages.map((message, i) => decodeTurn(message, ['messages', i], report)))
}

/** Results of Chat do not have a form; it is that of the call they answer. */
function withForms(turns: Turn[]): Turn[] {
  const isCustomCall = (part: Part): boolean => part.kind === 'call' && part.form === 'custom'
  if (!turns.some(({ parts }) => parts.some(isCustomCall))) return turns
  const custom = new Set<string>()
  return turns.map(turn => {
    for (const part of turn.parts) {
      if (part.kind !== 'call' || part.id === undefined) continue
      if (part.form === 'custom') custom.add(part.id)
      else custom.delete(part.id)
    }
    if (!turn.parts.some(part => part.kind === 'result' && custom.has(part.callId ?? ''))) return turn
    const parts = turn.parts.map(part =>
      part.kind === 'result' && custom.has(part.callId ?? '') ? ({ ...part, form: 'custom' } as const) : part,
    )
    return { ...turn, parts }
  })
}

export function encodeRequest(request: Request, report: Report): JsonObject {
  const mine = chatResidue.owns(request.residue)
  const messages: unknown[] = []
  for (const turn of request.turns) if (turn.instructions) encodeTurn(turn, messages, report)
  for (const turn of request.turns) if (!turn.instructions) encodeTurn(turn, messages, report)
  const written: Record<string, unknown> = {}
  if (request.model !== undefined) written.model = request.model
  if (messages.length > 0 || !mine) written.messages = messages
  encodeSettings(request.settings, mine, written, report)
  encodeToolParams(request.tools, report, written)
  return chatResidue.restore(written, request.residue, report)
}
