/** An answer, or an error body. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, compact, own, ownString } from '../../../json/object.ts'
import type { Answer } from '../../../model/answer.ts'
import type { Part, Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { decodeBlocks, encodeBlocks } from '../parts.ts'
import { messagesResidue } from '../residue.ts'
import { decodeErrorAnswer, encodeErrorAnswer, isErrorBody } from './errors.ts'
import type { Calls } from './finish.ts'
import { callsIn, decodeFinish, encodeFinish, factsOf, isCut, markTruncated } from './finish.ts'
import { decodeServedTier, decodeUsage, encodeServedTier, encodeUsage } from './usage.ts'

export function decodeAnswer(body: JsonObject, report: Report): Answer {
  if (isErrorBody(body)) return decodeErrorAnswer(body)
  const fields = new FieldReader(body)
  const defaults: ResidueEntry[] = []
  const parts = decodeContent(own(body, 'content'), fields, defaults)
  const envelope = decodeFields(body, fields, defaults, callsIn(parts ?? []), report)
  if (parts === undefined) return { turns: [], ...envelope }
  const written = markTruncated(parts, envelope.finish.reason)
  return { turns: [{ role: 'assistant', parts: written, root: [] }], ...envelope }
}

/** An answer without its content, which a stream has decoded already. */
export function decodeEnvelope(body: JsonObject, calls: Calls, report: Report): Envelope {
  const fields = new FieldReader(body)
  fields.ignore('content')
  return decodeFields(body, fields, [], calls, report)
}

function decodeFields(
  body: JsonObject,
  fields: FieldReader,
  defaults: ResidueEntry[],
  calls: Calls,
  report: Report,
): Envelope {
  // Every answer of this wire has these, so other wires lose nothing without them.
  if (fields.is('type', 'message')) defaults.push([['type'], 'message'])
  if (fields.is('role', 'assistant')) defaults.push([['role'], 'assistant'])
  const envelope: Draft<Envelope> = { finish: decodeFinish(fields, calls, report) }
  const id = fields.string('id')
  if (id !== undefined) envelope.id = id
  const model = fields.string('model')
  if (model !== undefined) envelope.model = model
  const usage = decodeUsage(own(body, 'usage'), ['usage'])
  if (usage !== undefined) {
    fields.ignore('usage')
    envelope.usage = usage
    const serviceTier = decodeServedTier(own(body, 'usage') as JsonObject)
    if (serviceTier !== undefined) envelope.serviceTier = serviceTier
  }
  envelope.residue = messagesResidue.create([], fields.unread(), defaults)
  return envelope
}

function decodeContent(content: unknown, fields: FieldReader, defaults: ResidueEntry[]): Part[] | undefined {
  if (Array.isArray(content)) {
    fields.ignore('content')
    return decodeBlocks(content, ['content'])
  }
  if (typeof content !== 'string') return undefined
  fields.ignore('content')
  defaults.push([['content'], content])
  return [{ kind: 'text', text: content, path: ['content'] }]
}

export function encodeAnswer(answer: Answer, context: AnswerContext, report: Report): JsonObject {
  if (answer.error !== undefined || answer.finish.reason === 'failed')
    return encodeErrorAnswer(answer, report)
  const isOwn = answer.residue?.wire === 'messages'
  const parts = partsOf(answer.turns)
  const stop = encodeFinish(answer, factsOf(parts), report)
  for (const turn of answer.turns) reportResidue(turn.residue, report)
  const content = encodeBlocks(parts, {
    report,
    own: isOwn,
    answer: {
      newId: prefix => context.newId(prefix),
      refused: stop === 'refusal',
      cut: isCut(answer.finish, stop),
    },
  })
  const absent = isOwn && answer.turns.length === 0
  return encodeEnvelope(answer, stop, absent ? undefined : content, context, report)
}

function partsOf(turns: readonly Turn[]): readonly Part[] {
  const [first] = turns
  if (turns.length === 1 && first !== undefined) return first.parts
  const parts: Part[] = []
  for (const turn of turns) append(parts, turn.parts)
  return parts
}

type Envelope = Omit<Answer, 'turns'>

/** The answer around its content. An answer that was read from this wire is restored unchanged. */
export function encodeEnvelope(
  answer: Envelope,
  stop: string | undefined,
  content: readonly unknown[] | undefined,
  context: AnswerContext,
  report: Report,
): JsonObject {
  const { id, model, usage, finish, residue, serviceTier } = answer
  if (residue?.wire === 'messages') {
    const written = compact({
      id,
      model,
      content,
      stop_reason: stop,
      stop_sequence: finish.stopSequence,
      usage: usage && encodeUsage(usage, report),
    })
    return messagesResidue.complete(written, residue, report)
  }
  const written: Record<string, unknown> = openingOf(answer, context)
  written.content = content
  written.stop_reason = stop
  written.stop_sequence = finish.stopSequence ?? null
  const tier = serviceTier && encodeServedTier(serviceTier, report)
  written.usage = { ...encodeUsage(usage, report), ...tier }
  return messagesResidue.complete(written, residue, report)
}

/** The fields of an answer at its beginning, before it has content. */
export function openingOf(
  { id, model }: { id?: string; model?: string },
  context: AnswerContext,
): Record<string, unknown> {
  return {
    id: ownId(id) ?? context.newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: model ?? (context.request && ownString(context.request, 'model')) ?? '',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
  }
}

/** The upstream's id stays part of the new one, so that an answer can be traced. */
function ownId(id: string | undefined): string | undefined {
  if (id === undefined || id === '') return undefined
  return id.startsWith('msg_') ? id : `msg_${id}`
}
