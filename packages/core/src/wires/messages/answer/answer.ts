/** A whole answer, or an error body. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, compact, own } from '../../../json/object.ts'
import type { Answer, Finish, FinishReason } from '../../../model/answer.ts'
import type { Part, Turn } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import type { AnswerContext } from '../../define-wire.ts'
import type { FieldReader } from '../../kit/field-reader.ts'
import { createFieldReader } from '../../kit/field-reader.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { decodeBlocks, encodeBlocks } from '../parts.ts'
import { messagesResidue } from '../residue.ts'
import { decodeErrorAnswer, encodeErrorAnswer, isErrorBody } from './errors.ts'
import { decodeUsage, encodeUsage } from './usage.ts'

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
])

export function decodeAnswer(body: JsonObject): Answer {
  if (isErrorBody(body)) return decodeErrorAnswer(body)
  const fields = createFieldReader(body)
  const quiet: ResidueEntry[] = []
  const parts = decodeContent(own(body, 'content'), fields, quiet)
  const envelope = decodeFields(body, fields, quiet, hasCalls(parts ?? []))
  const turns = parts === undefined ? [] : [turnOf(markCut(parts, envelope.finish))]
  return { turns, ...envelope }
}

/** All of an answer but what was said, for a stream has read that already. */
export function decodeEnvelope(body: JsonObject, calls: boolean): Envelope {
  const fields = createFieldReader(body)
  fields.ignore('content')
  return decodeFields(body, fields, [], calls)
}

function decodeFields(
  body: JsonObject,
  fields: FieldReader,
  quiet: ResidueEntry[],
  calls: boolean,
): Envelope {
  // Every answer of this wire says so much, so it is worth no word elsewhere.
  if (fields.is('type', 'message')) quiet.push([['type'], 'message'])
  if (fields.is('role', 'assistant')) quiet.push([['role'], 'assistant'])
  const envelope: Draft<Envelope> = { finish: decodeFinish(fields, calls) }
  const id = fields.string('id')
  if (id !== undefined) envelope.id = id
  const model = fields.string('model')
  if (model !== undefined) envelope.model = model
  const usage = decodeUsage(own(body, 'usage'), ['usage'])
  if (usage !== undefined) {
    fields.ignore('usage')
    envelope.usage = usage
  }
  envelope.residue = messagesResidue.create([], fields.unread(), quiet)
  return envelope
}

function turnOf(parts: readonly Part[]): Turn {
  return { role: 'assistant', parts, root: [] }
}

function decodeContent(content: unknown, fields: FieldReader, quiet: ResidueEntry[]): Part[] | undefined {
  if (Array.isArray(content)) {
    fields.ignore('content')
    return decodeBlocks(content, ['content'])
  }
  if (typeof content !== 'string') return undefined
  fields.ignore('content')
  quiet.push([['content'], content])
  return [{ kind: 'text', text: content, path: ['content'] }]
}

function decodeFinish(fields: FieldReader, calls: boolean): Finish {
  const raw = fields.string('stop_reason')
  const finish: Draft<Finish> = { reason: decodeFinishReason(raw, calls) }
  if (raw !== undefined) finish.raw = raw
  const stopSequence = fields.string('stop_sequence')
  if (stopSequence !== undefined) finish.stopSequence = stopSequence
  return finish
}

/** Whether the client has calls to answer shows in the content; the word for it is not always right. */
export function decodeFinishReason(raw: string | undefined, calls: boolean): FinishReason {
  if (raw === undefined) return 'unfinished'
  const reason = reasons.get(raw) ?? 'stop'
  if (reason !== 'stop' && reason !== 'calls') return reason
  return calls ? 'calls' : 'stop'
}

function hasCalls(parts: readonly Part[]): boolean {
  return parts.some(({ kind }) => kind === 'call')
}

/** Of an answer that was cut short, the block that was being written is the last one. */
function markCut(parts: readonly Part[], { reason }: Finish): readonly Part[] {
  const last = parts.at(-1)
  if (last?.kind !== 'call' || reason !== 'length') return parts
  return [...parts.slice(0, -1), { ...last, status: 'incomplete' }]
}

export function encodeAnswer(answer: Answer, context: AnswerContext, report: Report): JsonObject {
  if (answer.error !== undefined || answer.finish.reason === 'failed')
    return encodeErrorAnswer(answer, report)
  const isOwn = answer.residue?.wire === 'messages'
  const parts = partsOf(answer.turns)
  const stop = encodeFinish(answer, saidIn(parts), report)
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

/** The answer around its content. What this wire once said it says again, word for word. */
export function encodeEnvelope(
  answer: Envelope,
  stop: string | null | undefined,
  content: readonly unknown[] | undefined,
  context: AnswerContext,
  report: Report,
): JsonObject {
  const { id, model, usage, finish, residue } = answer
  if (residue?.wire === 'messages') {
    const written = compact({
      id,
      model,
      content,
      stop_reason: stop ?? undefined,
      stop_sequence: finish.stopSequence,
      usage: usage && encodeUsage(usage, report),
    })
    return messagesResidue.complete(written, residue, report)
  }
  const written: Record<string, unknown> = openingOf(answer, context)
  written.content = content
  written.stop_reason = stop
  written.stop_sequence = finish.stopSequence ?? null
  written.usage = encodeUsage(usage, report)
  return messagesResidue.complete(written, residue, report)
}

/** What an answer says before anything is said in it. */
export function openingOf(
  { id, model }: { id?: string; model?: string },
  context: AnswerContext,
): Record<string, unknown> {
  const asked = context.request && own(context.request, 'model')
  return {
    id: ownId(id) ?? context.newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: model ?? (typeof asked === 'string' ? asked : ''),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
  }
}

/** The upstream's id stays readable in ours, so that an answer can be traced. */
function ownId(id: string | undefined): string | undefined {
  if (id === undefined || id === '') return undefined
  return id.startsWith('msg_') ? id : `msg_${id}`
}

/** What of the content bears on the stop reason. */
export interface Said {
  calls: boolean
  refusal: boolean
  /** A call was cut short. */
  cutCall: boolean
}

function saidIn(parts: readonly Part[]): Said {
  return {
    calls: hasCalls(parts),
    refusal: parts.some(({ kind }) => kind === 'refusal'),
    cutCall: parts.some(part => part.kind === 'call' && part.status === 'incomplete'),
  }
}

/** Calls are not to be run when this is so, and their state needs no word of its own. */
export function isCut({ reason }: Finish, stop: string | null | undefined): boolean {
  return reason === 'length' || reason === 'filter' || reason === 'unfinished' || stop === 'max_tokens'
}

export function encodeFinish(
  { finish, residue }: Envelope,
  said: Said,
  report: Report,
): string | null | undefined {
  // Of an answer of this wire only somebody else's hand can change the reason, and then its word no longer fits.
  const isKept = finish.raw !== undefined || finish.reason === 'unfinished'
  if (residue?.wire === 'messages' && isKept) return finish.raw
  switch (finish.reason) {
    case 'stop':
    case 'calls':
      // "tool_use" would have the client run a call that nobody finished.
      if (said.cutCall) return 'max_tokens'
      if (finish.reason === 'calls' || said.calls) return 'tool_use'
      if (said.refusal) return 'refusal'
      return finish.stopSequence === undefined ? 'end_turn' : 'stop_sequence'
    case 'length':
      return 'max_tokens'
    case 'filter':
    case 'refusal':
      return 'refusal'
    case 'pause':
      return 'pause_turn'
    case 'cancelled':
      report(
        'field_dropped',
        ['status'],
        'Messages cannot say that an answer was cancelled; it has no stop reason.',
      )
      return null
    default:
      return null
  }
}
