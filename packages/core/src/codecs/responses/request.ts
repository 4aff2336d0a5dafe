/** Whole requests: the input, the instructions beside it, the tools and the settings. */
import type { Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject } from '../../model/json.ts'
import type { Request } from '../../model/request.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../field-reader.ts'
import { createFieldReader } from '../field-reader.ts'
import { finish } from '../tool-refs.ts'
import { isOwn, readDefault, readList, residueOf } from './fields.ts'
import { readSettings, writeSettings } from './settings.ts'
import { decodeToolParams, encodeToolParams } from './tool-params.ts'
import { writeTurn } from './turn-writer.ts'
import { readTurn } from './turns.ts'

export function decodeRequest(given: JsonObject, report: Report): Request {
  const body = isObject(given) ? given : {}
  const fields = createFieldReader(body)
  for (const key of ['tools', 'tool_choice', 'parallel_tool_calls']) fields.skip(key)
  const model = fields.string('model')
  const input = readInput(body, fields, report)
  const { settings, entries, quiet } = readSettings(body, fields)
  // To fail rather than forget: every wire does so unless it is asked to do otherwise.
  const defaults = readDefault(body, fields, 'truncation', 'disabled')
  return {
    ...compact({ model }),
    turns: [...readInstructions(fields), ...input.turns],
    tools: decodeToolParams(body, report),
    settings,
    residue: residueOf([], [...fields.rest(), ...entries], [...quiet, ...input.quiet, ...defaults]),
  }
}

function readInstructions(fields: FieldReader): Turn[] {
  const text = fields.string('instructions')
  if (text === undefined) return []
  const root = ['instructions']
  return [
    { role: 'system', parts: [{ kind: 'text', text, path: root }], root, plain: true, instructions: true },
  ]
}

function readInput(
  body: JsonObject,
  fields: FieldReader,
  report: Report,
): { turns: Turn[]; quiet: ResidueEntry[] } {
  const root = ['input']
  const text = fields.string('input')
  if (text !== undefined) {
    return {
      turns: [{ role: 'user', parts: [{ kind: 'text', text, path: root }], root, plain: true }],
      quiet: [],
    }
  }
  const list = readList(body, fields, 'input')
  if (list === undefined) return { turns: [], quiet: [] }
  const turns = list.map((item, i) => readTurn(item, ['input', i], report))
  return { turns, quiet: list.length === 0 ? [[['input'], []]] : [] }
}

export function encodeRequest(request: Request, report: Report): JsonObject {
  const asked = request.turns.filter(turn => turn.instructions)
  const instructions = writeInstructions(asked, report)
  const said = request.turns.filter(turn => !turn.instructions)
  const turns = instructions === undefined ? [...asked, ...said] : said
  const input = writeInput(turns, report)
  // What the model says stands above what was merely left over.
  const rest: Record<string, unknown> = {}
  finish(rest, request.residue, 'responses', report)
  writeSettings(request.settings, rest, isOwn(request), report)
  const head = compact({ model: request.model, instructions, input })
  return { ...head, ...rest, ...head, ...encodeToolParams(request.tools, report) }
}

/** One text goes into its own field; anything richer is said by system messages before all others. */
function writeInstructions(turns: readonly Turn[], report: Report): string | undefined {
  const [turn] = turns
  const [part] = turn?.parts ?? []
  if (turns.length !== 1 || turn?.parts.length !== 1 || part?.kind !== 'text') return undefined
  finish({}, turn.residue, 'responses', report)
  finish({}, part.residue, 'responses', report)
  return part.text
}

function writeInput(turns: readonly Turn[], report: Report): unknown {
  const [turn] = turns
  const [part] = turn?.parts ?? []
  if (turns.length === 1 && isBareInput(turn) && part?.kind === 'text') return part.text
  const items = turns.flatMap(each => writeTurn(each, { report }))
  return items.length === 0 ? undefined : items
}

/** The whole input was one text: no other wire has a place called so. */
function isBareInput(turn: Turn | undefined): boolean {
  return turn?.plain === true && turn.root.length === 1 && turn.root[0] === 'input' && turn.parts.length === 1
}
