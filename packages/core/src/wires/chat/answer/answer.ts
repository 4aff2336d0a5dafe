/** A Chat answer. The first choice is the answer; further choices are residue. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, compact, isObject, own, ownString } from '../../../json/object.ts'
import type { Answer } from '../../../model/answer.ts'
import type { Part, Turn } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { into } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { decodeServedTier } from '../../kit/conversation/served-tier.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { reportFinish } from '../../kit/finish-words.ts'
import type { Leftovers } from '../../kit/residue.ts'
import { encodeMessage } from '../request/encode-message.ts'
import { decodeMessage } from '../request/turns.ts'
import { chatResidue } from '../residue.ts'
import { decodeError, decodeErrorAnswer, encodeErrorAnswer, encodeErrorFields } from './errors.ts'
import { decodeFinishReason, encodeFinish, markTruncated } from './finish.ts'
import { decodeUsage, encodeUsage } from './usage.ts'

const choicePath: Path = ['choices', 0]

export function decodeAnswer(body: JsonObject, report: Report): Answer {
  const failed = decodeErrorAnswer(body)
  if (failed !== undefined) return failed
  const fields = new FieldReader(body)
  const left: Leftovers = { entries: [], defaults: [] }
  if (fields.is('object', 'chat.completion')) left.defaults.push([['object'], 'chat.completion'])
  const answer: Draft<Answer> = { turns: [], finish: { reason: 'unfinished' } }
  const id = fields.string('id')
  if (id !== undefined) answer.id = id
  const model = fields.string('model')
  if (model !== undefined) answer.model = model
  const usage = decodeUsage(own(body, 'usage'), ['usage'])
  if (usage !== undefined) {
    fields.ignore('usage')
    answer.usage = usage
  }
  const createdAt = fields.number('created')
  if (createdAt !== undefined) answer.createdAt = createdAt
  const serviceTier = decodeServedTier(fields, left.defaults)
  if (serviceTier !== undefined) answer.serviceTier = serviceTier
  decodeChoices(body, answer, fields, left, report)
  const entries = fields.unread()
  append(entries, left.entries)
  answer.residue = chatResidue.create([], entries, left.defaults)
  return answer
}

function decodeChoices(
  body: JsonObject,
  answer: Draft<Answer>,
  fields: FieldReader,
  left: Leftovers,
  report: Report,
): void {
  const choices = own(body, 'choices')
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = isObject(first) ? own(first, 'message') : undefined
  if (!Array.isArray(choices) || !isObject(first) || !isObject(message)) return
  fields.ignore('choices')
  for (let i = 1; i < choices.length; i++) left.entries.push([['choices', i], choices[i]])
  const choice = new FieldReader(first)
  choice.ignore('message')
  if (choice.is('index', 0)) left.defaults.push([into(choicePath, 'index'), 0])
  const raw = choice.string('finish_reason')
  reportFinish(raw, into(choicePath, 'finish_reason'), report)
  const decoded = decodeMessage(message, 'assistant', into(choicePath, 'message'), report)
  const turn = withRole(decoded, message)
  // An end that is no word may mean anything.
  const isOdd = raw === undefined && (own(first, 'finish_reason') ?? null) !== null
  const reason = isOdd ? 'unfinished' : decodeFinishReason(raw, turn.parts)
  const parts = decodeLogprobs(first, choice, markTruncated(turn.parts, reason), left)
  const failure = decodeError(own(first, 'error'), [...choicePath, 'error'])
  if (failure !== undefined) {
    choice.ignore('error')
    append(left.entries, failure.entries)
    append(left.defaults, failure.defaults)
    answer.error = failure.error
  }
  append(left.entries, choice.unread(choicePath))
  answer.turns = [parts === turn.parts ? turn : { ...turn, parts }]
  const ended = failure === undefined ? reason : 'failed'
  answer.finish = raw === undefined ? { reason: ended } : { reason: ended, raw }
}

/** An answer is always the assistant's; a message with another role, or none, gets it back on Chat. */
function withRole(turn: Turn, message: JsonObject): Turn {
  const role = own(message, 'role')
  if (role === 'assistant' || turn.residue === undefined) return turn
  const defaults: ResidueEntry[] = [...(turn.residue.defaults ?? []), [['role'], role]]
  return { ...turn, residue: { ...turn.residue, defaults } }
}

/** The token probabilities of the text belong to the text; those of a refusal are residue. */
function decodeLogprobs(
  choice: JsonObject,
  fields: FieldReader,
  parts: readonly Part[],
  left: Leftovers,
): readonly Part[] {
  const given = own(choice, 'logprobs')
  const at = parts.findIndex(part => part.kind === 'text')
  const text = parts[at]
  if (!isObject(given) || text?.kind !== 'text') return parts
  const logprobs = own(given, 'content')
  if (!Array.isArray(logprobs)) return parts
  fields.ignore('logprobs')
  const inner = new FieldReader(given)
  inner.ignore('content')
  append(left.entries, inner.unread([...choicePath, 'logprobs']))
  return parts.with(at, { ...text, logprobs })
}

export function encodeAnswer(answer: Answer, context: AnswerContext, report: Report): JsonObject {
  const mine = chatResidue.owns(answer.residue)
  const hasChoice = !mine || answer.turns.length > 0
  const isFailure = answer.error !== undefined || answer.finish.reason === 'failed'
  if (isFailure && !(mine && hasChoice)) return encodeErrorAnswer(answer, report)
  const { id, model, createdAt, usage, serviceTier } = answer
  const written: Record<string, unknown> = compact({
    id: id ?? (mine ? undefined : context.newId('chatcmpl-')),
    object: mine ? undefined : 'chat.completion',
    created: createdAt ?? (mine ? undefined : context.now()),
    model: model ?? (mine ? undefined : requestedModel(context)),
    service_tier: mine ? undefined : serviceTier?.value,
  })
  // An object for now, because residue is restored through objects only.
  if (hasChoice) written.choices = { 0: encodeChoice(answer, context, report) }
  if (usage !== undefined) written.usage = encodeUsage(usage, report)
  chatResidue.restore(written, answer.residue, report)
  if (hasChoice) written.choices = Object.values(written.choices as JsonObject)
  return written
}

export function requestedModel({ request }: AnswerContext): string {
  return (request && ownString(request, 'model')) ?? ''
}

function encodeChoice(answer: Answer, context: AnswerContext, report: Report): JsonObject {
  const mine = chatResidue.owns(answer.residue)
  const turn = oneTurn(answer.turns, report)
  const message = encodeMessage(turn, { newCallId: () => context.newId('call_') }, report)
  // A message that named no role gets none.
  if (message.role === undefined) delete message.role
  const finishReason = encodeFinish(answer, turn.parts, report)
  const logprobs = joinLogprobs(turn.parts)
  if (mine) {
    return compact({
      message,
      finish_reason: finishReason,
      logprobs: logprobs && { content: logprobs },
      error: answer.error && encodeErrorFields(answer.error),
    })
  }
  return {
    index: 0,
    message,
    logprobs: logprobs === undefined ? null : { content: logprobs, refusal: null },
    finish_reason: finishReason ?? 'stop',
  }
}

function joinLogprobs(parts: readonly Part[]): unknown[] | undefined {
  let joined: unknown[] | undefined
  for (const part of parts) {
    if (part.kind !== 'text' || part.logprobs === undefined) continue
    joined ??= []
    append(joined, part.logprobs)
  }
  return joined
}

/** Chat answers with one message, so the parts of all turns are joined in order. */
function oneTurn(turns: readonly Turn[], report: Report): Turn {
  const [first] = turns
  if (turns.length === 1 && first !== undefined)
    return first.role === 'assistant' ? first : { ...first, role: 'assistant' }
  const parts: Part[] = []
  for (const turn of turns) {
    chatResidue.reportForeign(turn.residue, report)
    append(parts, turn.parts)
  }
  return { role: 'assistant', parts, root: [] }
}
