/** Answers, and error bodies. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, isObject, own, ownString } from '../../../json/object.ts'
import type { Answer } from '../../../model/answer.ts'
import type { Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../../model/residue.ts'
import { restoreResidue } from '../../../model/residue.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { decodeServedTier } from '../../kit/conversation/served-tier.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { takeDefault } from '../../kit/residue.ts'
import { encodeTurn } from '../request/encode-turn.ts'
import { decodeTurn } from '../request/turns.ts'
import type { EncodeContext } from '../residue.ts'
import { responsesResidue } from '../residue.ts'
import { askedTier, echoedFields, echoMemory, echoRequest } from './envelope.ts'
import { decodeError, encodeErrorBody, encodeErrorField, restoreError } from './errors.ts'
import { decodeFinish, encodeFinish, saysFinish, saysRefusal } from './finish.ts'
import { decodeUsage, encodeUsage } from './usage.ts'

export function decodeAnswer(given: JsonObject, report: Report): Answer {
  const body = isObject(given) ? given : {}
  const fields = new FieldReader(body)
  const list = fields.list('output')
  const turns = (list ?? []).map((item, i) => asAnswer(decodeTurn(item, ['output', i], report)))
  const answer: Draft<Answer> = { turns, finish: { reason: 'failed' } }
  const failure = decodeError(own(body, 'error'))
  if (failure !== undefined) fields.ignore('error')
  const usage = decodeUsage(own(body, 'usage'), ['usage'])
  if (usage !== undefined) fields.ignore('usage')
  const id = fields.string('id')
  if (id !== undefined) answer.id = id
  const model = fields.string('model')
  if (model !== undefined) answer.model = model
  const createdAt = fields.number('created_at')
  if (createdAt !== undefined) answer.createdAt = createdAt
  if (usage !== undefined) answer.usage = usage
  if (failure !== undefined) answer.error = failure.error
  if (!isErrorBody(body)) answer.finish = decodeFinish(body, turns, report)
  const told: ResidueEntry[] = list?.length === 0 ? [[['output'], []]] : []
  takeDefault(fields, 'object', 'response', told)
  const serviceTier = decodeServedTier(fields, told)
  if (serviceTier !== undefined) answer.serviceTier = serviceTier
  answer.residue = decodeResidue(fields, told, failure)
  return answer
}

function decodeResidue(
  fields: FieldReader,
  told: readonly ResidueEntry[],
  failure: ReturnType<typeof decodeError>,
): Residue {
  const entries: ResidueEntry[] = []
  const defaults: ResidueEntry[] = []
  for (const entry of fields.unread()) (isDefault(entry) ? defaults : entries).push(entry)
  append(defaults, told)
  if (failure !== undefined) {
    append(entries, failure.entries)
    append(defaults, failure.defaults)
  }
  return responsesResidue.create([], entries, defaults)
}

function isDefault([path, value]: ResidueEntry): boolean {
  return echoedFields.has(String(path[0])) || saysFinish(path[0], value)
}

/** The body of a failed request has an error and no field of an answer. */
function isErrorBody(body: JsonObject): boolean {
  const error = own(body, 'error')
  if (error === undefined || error === null) return false
  return own(body, 'output') === undefined && own(body, 'status') === undefined
}

/** All turns of an answer are the assistant's, also results of tools that the provider ran, and words of other agents. */
function asAnswer(turn: Turn): Turn {
  const isItem = turn.role === 'tool' || turn.parts[0]?.kind === 'opaque'
  return isItem && turn.role !== 'assistant' ? { ...turn, role: 'assistant' } : turn
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

/** The answer around its items; a stream has encoded those already. */
export function encodeEnvelope(
  answer: Answer,
  encodeItems: () => readonly unknown[],
  context: AnswerContext,
  report: Report,
): JsonObject {
  if (!responsesResidue.owns(answer.residue)) {
    // Two large objects spread into one take many times as long on Node 20.
    return Object.assign(encodeHead(answer, encodeItems, context, report), echoRequest(context))
  }
  reportAround(answer, report)
  const own = restoreAnswer(answer, encodeItems(), report)
  // An error body is not a response and repeats nothing of the request.
  const repeats = context.restated === true && 'output' in own
  return repeats ? Object.assign(own, echoMemory(context.request ?? {})) : own
}

function reportAround(answer: Answer, report: Report): void {
  reportStopSequence(answer, report)
  responsesResidue.reportForeign(answer.residue, report)
}

/** The fields of a new answer, without those that repeat the request. */
export function encodeHead(
  answer: Answer,
  encodeItems: () => readonly unknown[],
  context: AnswerContext,
  report: Report,
): JsonObject {
  reportAround(answer, report)
  const asked = context.request ?? {}
  const { error } = answer
  const { status, incomplete_details } = encodeFinish(answer.finish, saysRefusal(answer.turns))
  return {
    id: answer.id === undefined ? context.newId('resp_') : asResponseId(answer.id),
    object: 'response',
    created_at: answer.createdAt ?? context.now(),
    completed_at: status === 'completed' ? context.now() : null,
    status,
    incomplete_details,
    error: error === undefined ? null : encodeErrorField(error),
    model: answer.model ?? ownString(asked, 'model') ?? '',
    service_tier: answer.serviceTier?.value ?? askedTier(asked),
    output: encodeItems(),
    usage: answer.usage === undefined ? null : encodeUsage(answer.usage, report),
  }
}

function asResponseId(id: string): string {
  return id.startsWith('resp_') ? id : `resp_${id}`
}

/** In an answer that was cut short, the last item is the incomplete one. */
function encodeOutput(answer: Answer, context: EncodeContext): unknown[] {
  const items: unknown[] = []
  for (const turn of answer.turns) encodeTurn(turn, items, context)
  if (
    responsesResidue.owns(answer.residue) ||
    encodeFinish(answer.finish, saysRefusal(answer.turns)).status !== 'incomplete'
  )
    return items
  const last = items.at(-1)
  if (!isObject(last) || own(last, 'status') !== 'completed') return items
  return items.with(-1, { ...last, status: 'incomplete' })
}

/** An answer that was read from this wire: its residue, overwritten by the fields of the model. */
function restoreAnswer(answer: Answer, output: readonly unknown[], report: Report): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  restoreResidue(body, answer.residue)
  const { id, createdAt, model, turns, usage, error } = answer
  if (id !== undefined) body.id = id
  if (createdAt !== undefined) body.created_at = createdAt
  if (model !== undefined) body.model = model
  // An empty list is in the residue.
  if (turns.length > 0) body.output = output
  if (usage !== undefined) body.usage = encodeUsage(usage, report)
  if (error !== undefined) body.error = restoreError(error, own(body, 'error'))
  const { reason, raw } = answer.finish
  // A stream does not give its items again, among which a call may have lost its name.
  const isKept = reason === 'unfinished' && raw === own(body, 'status')
  const isSame = isKept || isErrorBody(body) || decodeFinish(body, turns, () => {}).reason === reason
  return isSame ? body : Object.assign(body, encodeFinish(answer.finish, saysRefusal(turns)))
}

function reportStopSequence({ finish: { stopSequence } }: Answer, report: Report): void {
  if (stopSequence === undefined) return
  const message = 'Responses does not say which sequence stopped the answer; it was left out.'
  report('field_dropped', ['stop_sequence'], message)
}
