/** Whole answers, and errors in their place. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, isObject, own } from '../../../json/object.ts'
import type { Answer } from '../../../model/answer.ts'
import type { Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../../model/residue.ts'
import { restoreResidue } from '../../../model/residue.ts'
import type { AnswerContext } from '../../define-wire.ts'
import type { FieldReader } from '../../kit/field-reader.ts'
import { createFieldReader } from '../../kit/field-reader.ts'
import { takeDefault } from '../../kit/residue.ts'
import { encodeTurn } from '../request/encode-turn.ts'
import { decodeTurn } from '../request/turns.ts'
import type { EncodeContext } from '../residue.ts'
import { responsesResidue } from '../residue.ts'
import { echoedFields, echoMemory, echoRequest } from './envelope.ts'
import { decodeError, encodeErrorBody, encodeErrorField, restoreError } from './errors.ts'
import { decodeFinish, encodeFinish, saysFinish, saysRefusal } from './finish.ts'
import { decodeUsage, encodeUsage } from './usage.ts'

export function decodeAnswer(given: JsonObject, report: Report): Answer {
  const body = isObject(given) ? given : {}
  const fields = createFieldReader(body)
  const list = fields.list('output')
  const turns = (list ?? []).map((item, i) => asAnswer(decodeTurn(item, ['output', i], report)))
  const answer: Draft<Answer> = { turns, finish: { reason: 'failed' } }
  const failure = decodeError(own(body, 'error'))
  if (failure !== undefined) fields.ignore('error')
  const counted = own(body, 'usage')
  const usage = isObject(counted) ? decodeUsage(counted) : undefined
  if (usage !== undefined) fields.ignore('usage')
  const id = fields.string('id')
  if (id !== undefined) answer.id = id
  const model = fields.string('model')
  if (model !== undefined) answer.model = model
  const createdAt = fields.number('created_at')
  if (createdAt !== undefined) answer.createdAt = createdAt
  if (usage !== undefined) answer.usage = usage
  if (failure !== undefined) answer.error = failure.error
  if (!isErrorBody(body)) answer.finish = decodeFinish(body, turns)
  const told: ResidueEntry[] = list?.length === 0 ? [[['output'], []]] : []
  takeDefault(fields, 'object', 'response', told)
  takeDefault(fields, 'service_tier', 'default', told)
  answer.residue = decodeResidue(fields, told, failure)
  return answer
}

function decodeResidue(
  fields: FieldReader,
  told: readonly ResidueEntry[],
  failure: ReturnType<typeof decodeError>,
): Residue {
  const entries: ResidueEntry[] = []
  const quiet: ResidueEntry[] = []
  for (const entry of fields.unread()) (isDefault(entry) ? quiet : entries).push(entry)
  append(quiet, told)
  if (failure !== undefined) {
    append(entries, failure.entries)
    append(quiet, failure.quiet)
  }
  return responsesResidue.create([], entries, quiet)
}

function isDefault([path, value]: ResidueEntry): boolean {
  return echoedFields.has(String(path[0])) || saysFinish(path[0], value)
}

/** A failed request has an error and nothing of an answer. */
function isErrorBody(body: JsonObject): boolean {
  const error = own(body, 'error')
  if (error === undefined || error === null) return false
  return own(body, 'output') === undefined && own(body, 'status') === undefined
}

/** All that an answer holds is the model's turn, results of tools the provider ran included. */
function asAnswer(turn: Turn): Turn {
  return turn.role === 'tool' ? { ...turn, role: 'assistant' } : turn
}

export function encodeAnswer(answer: Answer, context: AnswerContext, report: Report): JsonObject {
  const { error } = answer
  if (
    !responsesResidue.owns(answer.residue) &&
    error !== undefined &&
    answer.turns.length === 0 &&
    answer.id === undefined
  ) {
    reportAround(answer, report)
    return encodeErrorBody(error)
  }
  return encodeEnvelope(answer, () => encodeOutput(answer, { report, answer: context }), context, report)
}

/** The answer around its items; a stream has written those already. */
export function encodeEnvelope(
  answer: Answer,
  writeItems: () => readonly unknown[],
  context: AnswerContext,
  report: Report,
): JsonObject {
  const writer: EncodeContext = { report, answer: context }
  reportAround(answer, report)
  if (!responsesResidue.owns(answer.residue)) return createAnswer(answer, writeItems, context, writer)
  const own = restoreAnswer(answer, writeItems(), writer)
  // An error alone is no response, and repeats nothing.
  const repeats = context.restated === true && 'output' in own
  return repeats ? Object.assign(own, echoMemory(context.request ?? {})) : own
}

function reportAround(answer: Answer, report: Report): void {
  reportStopSequence(answer, report)
  responsesResidue.reportForeign(answer.residue, report)
}

function createAnswer(
  answer: Answer,
  writeItems: () => readonly unknown[],
  context: AnswerContext,
  writer: EncodeContext,
): JsonObject {
  // Two large objects spread into one take many times as long on Node 20.
  return Object.assign(createHead(answer, writeItems, context, writer), echoRequest(context.request ?? {}))
}

/** What a new answer says of itself, before what it repeats of the request. */
function createHead(
  answer: Answer,
  writeItems: () => readonly unknown[],
  context: AnswerContext,
  writer: EncodeContext,
): JsonObject {
  const asked = context.request ?? {}
  const { error } = answer
  const { status, incomplete_details } = encodeFinish(answer.finish, saysRefusal(answer.turns))
  const model = own(asked, 'model')
  return {
    id: answer.id === undefined ? context.newId('resp_') : asResponseId(answer.id),
    object: 'response',
    created_at: answer.createdAt ?? context.now(),
    completed_at: status === 'completed' ? context.now() : null,
    status,
    incomplete_details,
    error: error === undefined ? null : encodeErrorField(error),
    model: answer.model ?? (typeof model === 'string' ? model : ''),
    output: writeItems(),
    usage: answer.usage === undefined ? null : encodeUsage(answer.usage, writer),
  }
}

/** A new answer whose items a stream has written already, without what it repeats of the request. */
export function encodeHead(
  answer: Answer,
  items: readonly unknown[],
  context: AnswerContext,
  report: Report,
): JsonObject {
  reportAround(answer, report)
  return createHead(answer, () => items, context, { report, answer: context })
}

function asResponseId(id: string): string {
  return id.startsWith('resp_') ? id : `resp_${id}`
}

/** When the answer was cut short, it was its last item that was not finished. */
function encodeOutput(answer: Answer, writer: EncodeContext): unknown[] {
  const items: unknown[] = []
  for (const turn of answer.turns) encodeTurn(turn, items, writer)
  if (
    responsesResidue.owns(answer.residue) ||
    encodeFinish(answer.finish, saysRefusal(answer.turns)).status !== 'incomplete'
  )
    return items
  const last = items.at(-1)
  if (!isObject(last) || own(last, 'status') !== 'completed') return items
  return items.with(-1, { ...last, status: 'incomplete' })
}

/** An answer of this wire brings its own fields; what the model says of it stands above them. */
function restoreAnswer(
  answer: Answer,
  output: readonly unknown[],
  writer: EncodeContext,
): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  restoreResidue(body, answer.residue)
  const { id, createdAt, model, turns, usage, error } = answer
  if (id !== undefined) body.id = id
  if (createdAt !== undefined) body.created_at = createdAt
  if (model !== undefined) body.model = model
  // A list that has lost all its items is still a list.
  if (turns.length > 0) body.output = output
  if (usage !== undefined) body.usage = encodeUsage(usage, writer)
  if (error !== undefined) body.error = restoreError(error, own(body, 'error'))
  const isSame = isErrorBody(body) || decodeFinish(body, turns).reason === answer.finish.reason
  return isSame ? body : Object.assign(body, encodeFinish(answer.finish, saysRefusal(turns)))
}

function reportStopSequence({ finish: { stopSequence } }: Answer, report: Report): void {
  if (stopSequence === undefined) return
  const message = 'Responses does not say which sequence stopped the answer; it was left out.'
  report('field_dropped', ['stop_sequence'], message)
}
