/** A Responses request: the input, the instructions beside it, the tools and the settings. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, isObject, own } from '../../../json/object.ts'
import type { Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { takeDefault } from '../../kit/residue.ts'
import { keepUnreadHistory } from '../../kit/unread-history.ts'
import { decodeDemand } from '../compaction.ts'
import type { EncodeContext } from '../residue.ts'
import { responsesResidue } from '../residue.ts'
import { decodeToolParams, encodeToolParams, toolKeys } from '../tools/params.ts'
import { encodeTurn } from './encode-turn.ts'
import { decodeSettings, decodeUpdates, encodeSettings } from './settings.ts'
import { decodeTurn } from './turns.ts'

export function decodeRequest(given: JsonObject, report: Report): Request {
  const body = isObject(given) ? given : {}
  const fields = new FieldReader(body)
  for (const key of toolKeys) fields.ignore(key)
  const model = fields.string('model')
  const turns: Turn[] = []
  const input = decodeInput(fields, report)
  const { settings, entries, defaults } = decodeSettings(fields)
  if (input === undefined)
    keepUnreadHistory('input', 'a text or a list of items', { body, fields, defaults }, report)
  else if (input.length === 0) defaults.push([['input'], []])
  // Failing instead of truncating is the default on every wire.
  takeDefault(fields, 'truncation', 'disabled', defaults)
  const instructions = decodeInstructions(fields)
  if (instructions !== undefined) turns.push(instructions)
  if (input !== undefined) append(turns, input)
  const tools = decodeToolParams(body, report)
  const residue = responsesResidue.create([], [...fields.unread(), ...entries], defaults)
  const request: Draft<Request> = { turns, tools, settings, residue }
  if (model !== undefined) request.model = model
  const updates = decodeUpdates(own(body, 'input'))
  if (updates !== undefined) request.updates = updates
  const compaction = decodeDemand(body)
  if (compaction !== undefined) request.compaction = compaction
  return request
}

function decodeInstructions(fields: FieldReader): Turn | undefined {
  const text = fields.string('instructions')
  if (text === undefined) return undefined
  const root = ['instructions']
  return {
    role: 'system',
    parts: [{ kind: 'text', text, path: root }],
    root,
    plain: true,
    instructions: true,
  }
}

function decodeInput(fields: FieldReader, report: Report): Turn[] | undefined {
  const root = ['input']
  const text = fields.string('input')
  if (text !== undefined) {
    return [{ role: 'user', parts: [{ kind: 'text', text, path: root }], root, plain: true }]
  }
  return fields.list('input')?.map((item, i) => decodeTurn(item, ['input', i], report))
}

export function encodeRequest(request: Request, report: Report): JsonObject {
  const asked = request.turns.filter(turn => turn.instructions)
  const instructions = encodeInstructions(asked, report)
  const said = asked.length === 0 ? request.turns : request.turns.filter(turn => !turn.instructions)
  const turns = instructions === undefined && asked.length > 0 ? [...asked, ...said] : said
  const input = encodeInput(turns, report)
  const written: Record<string, unknown> = {}
  // Modelled fields are written before the residue, for the order of keys, and again after it, because they take precedence.
  encodeHead(request.model, instructions, input, written)
  responsesResidue.restore(written, request.residue, report)
  encodeHead(request.model, instructions, input, written)
  encodeSettings(request.settings, written, responsesResidue.owns(request.residue), report)
  encodeToolParams(request.tools, report, written)
  return written
}

function encodeHead(
  model: string | undefined,
  instructions: string | undefined,
  input: unknown,
  written: Record<string, unknown>,
): void {
  if (model !== undefined) written.model = model
  if (instructions !== undefined) written.instructions = instructions
  if (input !== undefined) written.input = input
}

/** One text is written in its own field; anything richer as system messages before all others. */
function encodeInstructions(turns: readonly Turn[], report: Report): string | undefined {
  const [turn] = turns
  const [part] = turn?.parts ?? []
  if (turns.length !== 1 || turn?.parts.length !== 1 || part?.kind !== 'text') return undefined
  if (part.cache !== undefined) return undefined
  responsesResidue.reportForeign(turn.residue, report)
  responsesResidue.reportForeign(part.residue, report)
  return part.text
}

function encodeInput(turns: readonly Turn[], report: Report): unknown {
  const [turn] = turns
  const [part] = turn?.parts ?? []
  if (turns.length === 1 && isBareInput(turn) && part?.kind === 'text') return part.text
  const items: unknown[] = []
  const context: EncodeContext = { report }
  for (const each of turns) encodeTurn(each, items, context)
  return items.length === 0 ? undefined : items
}

/** The whole input was one text, which its path shows. */
function isBareInput(turn: Turn | undefined): boolean {
  return turn?.plain === true && turn.root.length === 1 && turn.root[0] === 'input' && turn.parts.length === 1
}
