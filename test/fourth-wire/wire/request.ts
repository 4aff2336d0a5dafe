/**
 * A request: `{ rules, talk, toolbox, must, warmth, cap }`. Model and stream flag stand in the path; for the codec they are
 * put into `model` and `streaming`, and taken out again before the body is sent.
 */

import { isObject, own } from '@toolwire/core/json'
import type {
  Draft,
  JsonObject,
  Part,
  Path,
  Report,
  Request,
  ResidueEntry,
  ResultPart,
  SettingName,
  Settings,
  Turn,
} from '@toolwire/core/wires'
import { createFieldReader, reportResidue, restoreOrReport } from '@toolwire/core/wires'
import { decodeCall, encodeCall, sortParts, textPart } from './parts.ts'
import { decodeToolParams, encodeToolParams } from './tools.ts'

const settingFields: readonly (readonly [SettingName, string, 'number' | 'boolean'])[] = [
  ['temperature', 'warmth', 'number'],
  ['maxOutputTokens', 'cap', 'number'],
  ['stream', 'streaming', 'boolean'],
]

/** Relay always reports usage and keeps nothing, so there is nothing to be lost. */
const silent: ReadonlySet<string> = new Set(['includeUsage', 'includeObfuscation', 'store'])

export function decodeRequest(body: JsonObject, report: Report): Request {
  const fields = createFieldReader(body)
  const defaults: ResidueEntry[] = []
  fields.ignore('toolbox')
  fields.ignore('must')
  const turns: Turn[] = []
  const rules = fields.string('rules')
  if (rules !== undefined) {
    turns.push({
      role: 'system',
      parts: [textPart(rules, ['rules'])],
      root: ['rules'],
      plain: true,
      instructions: true,
    })
  }
  const talk = own(body, 'talk')
  if (Array.isArray(talk)) {
    fields.ignore('talk')
    if (talk.length === 0) defaults.push([['talk'], []])
    talk.forEach((message, i) => {
      turns.push(decodeTurn(message, ['talk', i]))
    })
  } else if (talk !== undefined && talk !== null) {
    report('not_a_list', ['talk'], '"talk" must be a list of messages.')
    fields.ignore('talk')
    defaults.push([['talk'], talk])
  }
  const settings: Draft<Settings> = {}
  for (const [name, key, type] of settingFields) {
    const value = fields[type](key)
    if (value !== undefined) Object.assign(settings, { [name]: { value, path: [key] } })
  }
  const model = fields.string('model')
  const tools = decodeToolParams(body, report)
  const residue = { wire: 'relay', at: [], entries: fields.unread(), defaults }
  return { ...(model !== undefined && { model }), turns, tools, settings, residue }
}

function decodeTurn(message: unknown, root: Path): Turn {
  const unread: Turn = {
    role: 'user',
    parts: [{ kind: 'opaque', wire: 'relay', value: message, path: root }],
    root,
  }
  if (!isObject(message)) return unread
  const fields = createFieldReader(message)
  const by = fields.string('by')
  if (by === 'tool') return withRest('tool', [decodeResult(fields, root)], fields.unread(), root)
  if (by !== 'human' && by !== 'model') return unread
  const parts: Part[] = []
  const say = fields.string('say')
  if (say !== undefined) parts.push(textPart(say, [...root, 'say']))
  const use = by === 'model' ? fields.list('use') : undefined
  use?.forEach((call, i) => {
    parts.push(decodeCall(call, [...root, 'use', i]))
  })
  const rest: ResidueEntry[] = fields.unread()
  const defaults: ResidueEntry[] = use?.length === 0 ? [[['use'], []]] : []
  return withRest(by === 'human' ? 'user' : 'assistant', parts, rest, root, defaults)
}

function decodeResult(fields: ReturnType<typeof createFieldReader>, root: Path): ResultPart {
  const callId = fields.string('for')
  const out = fields.string('out')
  const bad = fields.boolean('bad')
  return {
    kind: 'result',
    form: 'function',
    content: out === undefined ? [] : [textPart(out, [...root, 'out'])],
    plain: true,
    path: root,
    ...(callId !== undefined && { callId }),
    ...(bad !== undefined && { isError: bad }),
  }
}

function withRest(
  role: Turn['role'],
  parts: readonly Part[],
  entries: readonly ResidueEntry[],
  root: Path,
  defaults: readonly ResidueEntry[] = [],
): Turn {
  const turn: Turn = { role, parts, root, plain: true }
  if (entries.length === 0 && defaults.length === 0) return turn
  return { ...turn, residue: { wire: 'relay', at: root, entries, defaults } }
}

export function encodeRequest(request: Request, report: Report): JsonObject {
  const written: Record<string, unknown> = {}
  const isOwn = request.residue?.wire === 'relay'
  if (request.model !== undefined) written.model = request.model
  const rules: string[] = []
  const talk: unknown[] = []
  for (const turn of request.turns) {
    if (turn.instructions === true) {
      rules.push(sortParts(turn.parts, report).say ?? '')
      reportResidue(turn.residue, report)
    } else encodeTurn(turn, talk, report)
  }
  if (rules.length > 0) written.rules = rules.join('\n\n')
  if (talk.length > 0 || !isOwn) written.talk = talk
  encodeSettings(request.settings, written, report)
  Object.assign(written, encodeToolParams(request.tools, report))
  restoreOrReport(written, request.residue, 'relay', report)
  return written
}

function encodeTurn(turn: Turn, talk: unknown[], report: Report): void {
  const [only] = turn.parts
  if (turn.parts.length === 1 && only?.kind === 'opaque' && only.wire === 'relay') {
    talk.push(only.value)
    return
  }
  const results = turn.parts.filter((part): part is ResultPart => part.kind === 'result')
  for (const result of results) talk.push(encodeResult(result, turn, report))
  const others = turn.parts.filter(part => part.kind !== 'result')
  if (others.length === 0 && results.length > 0) return
  const { say, use } = sortParts(others, report)
  const written: Record<string, unknown> = { by: turn.role === 'assistant' ? 'model' : 'human' }
  if (say !== undefined) written.say = say
  if (use.length > 0) {
    written.use = use.map(call => ('opaque' in call ? call.opaque : encodeCall(call, call.id, report)))
  }
  restoreOrReport(written, turn.residue, 'relay', report)
  talk.push(written)
}

function encodeResult(
  { callId, content, isError, residue }: ResultPart,
  turn: Turn,
  report: Report,
): JsonObject {
  const written: Record<string, unknown> = { by: 'tool' }
  if (callId !== undefined) written.for = callId
  const { say } = sortParts(content, report)
  if (say !== undefined || turn.residue?.wire !== 'relay') written.out = say ?? ''
  if (isError !== undefined) written.bad = isError
  restoreOrReport(written, residue, 'relay', report)
  restoreOrReport(written, turn.residue, 'relay', report)
  return written
}

function encodeSettings(settings: Settings, written: Record<string, unknown>, report: Report): void {
  const known = new Map<string, string>(settingFields.map(([name, key]) => [name, key]))
  for (const [name, setting] of Object.entries(settings)) {
    const key = known.get(name)
    if (key !== undefined) written[key] = setting.value
    else if (!silent.has(name)) {
      report(
        'field_dropped',
        setting.path,
        `Relay has no setting for "${setting.path.join('.')}"; it was left out.`,
      )
    }
  }
}
