/** Whole requests: the input, the instructions beside it, the tools and the settings. */

import type { JsonObject } from '../../../json/object.ts'
import { append, isObject } from '../../../json/object.ts'
import type { Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import type { FieldReader } from '../../kit/field-reader.ts'
import { createFieldReader } from '../../kit/field-reader.ts'
import { reportForeign, restoreOrReport } from '../../kit/tool-refs.ts'
import { keepUnreadHistory } from '../../kit/unread-history.ts'
import type { Writer } from '../residue.ts'
import { isOwn, readDefault, residueOf } from '../residue.ts'
import { decodeToolParams, encodeToolParams, toolKeys } from '../tools/params.ts'
import { writeTurn } from './encode-turn.ts'
import { readSettings, writeSettings } from './settings.ts'
import { readTurn } from './turns.ts'

export function decodeRequest(given: JsonObject, report: Report): Request {
  const body = isObject(given) ? given : {}
  const fields = createFieldReader(body)
  for (const key of toolKeys) fields.ignore(key)
  const model = fields.string('model')
  const turns: Turn[] = []
  const input = readInput(fields, report)
  const { settings, entries, defaults: quiet } = readSettings(fields)
  if (input === undefined)
    keepUnreadHistory('input', 'a text or a list of items', { body, fields, quiet }, report)
  else if (input.length === 0) quiet.push([['input'], []])
  // To fail rather than forget: every wire does so unless it is asked to do otherwise.
  readDefault(fields, 'truncation', 'disabled', quiet)
  const instructions = readInstructions(fields)
  if (instructions !== undefined) turns.push(instructions)
  if (input !== undefined) append(turns, input)
  const tools = decodeToolParams(body, report)
  const residue = residueOf([], [...fields.unread(), ...entries], quiet)
  return model === undefined
    ? { turns, tools, settings, residue }
    : { model, turns, tools, settings, residue }
}

function readInstructions(fields: FieldReader): Turn | undefined {
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

function readInput(fields: FieldReader, report: Report): Turn[] | undefined {
  const root = ['input']
  const text = fields.string('input')
  if (text !== undefined) {
    return [{ role: 'user', parts: [{ kind: 'text', text, path: root }], root, plain: true }]
  }
  return fields.list('input')?.map((item, i) => readTurn(item, ['input', i], report))
}

export function encodeRequest(request: Request, report: Report): JsonObject {
  const asked = request.turns.filter(turn => turn.instructions)
  const instructions = writeInstructions(asked, report)
  const said = asked.length === 0 ? request.turns : request.turns.filter(turn => !turn.instructions)
  const turns = instructions === undefined && asked.length > 0 ? [...asked, ...said] : said
  const input = writeInput(turns, report)
  const written: Record<string, unknown> = {}
  // What the model says comes first, and stands above what was merely left over.
  writeHead(request.model, instructions, input, written)
  restoreOrReport(written, request.residue, 'responses', report)
  writeHead(request.model, instructions, input, written)
  writeSettings(request.settings, written, isOwn(request), report)
  encodeToolParams(request.tools, report, written)
  return written
}

function writeHead(
  model: string | undefined,
  instructions: string | undefined,
  input: unknown,
  written: Record<string, unknown>,
): void {
  if (model !== undefined) written.model = model
  if (instructions !== undefined) written.instructions = instructions
  if (input !== undefined) written.input = input
}

/** One text goes into its own field; anything richer is said by system messages before all others. */
function writeInstructions(turns: readonly Turn[], report: Report): string | undefined {
  const [turn] = turns
  const [part] = turn?.parts ?? []
  if (turns.length !== 1 || turn?.parts.length !== 1 || part?.kind !== 'text') return undefined
  reportForeign(turn.residue, 'responses', report)
  reportForeign(part.residue, 'responses', report)
  return part.text
}

function writeInput(turns: readonly Turn[], report: Report): unknown {
  const [turn] = turns
  const [part] = turn?.parts ?? []
  if (turns.length === 1 && isBareInput(turn) && part?.kind === 'text') return part.text
  const items: unknown[] = []
  const writer: Writer = { report }
  for (const each of turns) writeTurn(each, items, writer)
  return items.length === 0 ? undefined : items
}

/** The whole input was one text: no other wire has a place called so. */
function isBareInput(turn: Turn | undefined): boolean {
  return turn?.plain === true && turn.root.length === 1 && turn.root[0] === 'input' && turn.parts.length === 1
}
