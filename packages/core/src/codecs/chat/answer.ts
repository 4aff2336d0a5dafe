/** A whole Chat answer. The first choice is the answer; further ones have no place outside Chat. */
import type { Answer } from '../../model/answer.ts'
import type { Part, Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { AnswerContext } from '../codec.ts'
import type { FieldReader } from '../field-reader.ts'
import { createFieldReader } from '../field-reader.ts'
import { finish } from '../tool-refs.ts'
import { decodeError, decodeErrorAnswer, encodeErrorAnswer, writeError } from './errors.ts'
import { encodeFinish, finishOf, markTruncated } from './finish.ts'
import { encodeMessage } from './message-writer.ts'
import { isOwn, ownResidue, readNumber } from './own-residue.ts'
import { decodeMessage } from './turns.ts'
import { decodeUsage, encodeUsage } from './usage.ts'

const choicePath = ['choices', 0] as const

export function decodeAnswer(body: JsonObject, report: Report): Answer {
  const failed = decodeErrorAnswer(body)
  if (failed !== undefined) return failed
  const fields = createFieldReader(body)
  const left: Leftovers = { entries: [], quiet: [] }
  if (own(body, 'object') === 'chat.completion') {
    fields.skip('object')
    left.quiet.push([['object'], 'chat.completion'])
  }
  const usage = decodeUsage(own(body, 'usage'), ['usage'])
  if (usage !== undefined) fields.skip('usage')
  const head = { id: fields.string('id'), model: fields.string('model'), usage }
  const createdAt = readNumber(body, 'created', fields)
  const choice = readChoices(body, fields, left, report)
  return {
    ...compact({ ...head, createdAt }),
    ...choice,
    residue: ownResidue([], [...fields.rest(), ...left.entries], left.quiet),
  }
}

interface Leftovers {
  readonly entries: ResidueEntry[]
  readonly quiet: ResidueEntry[]
}

type Choice = Pick<Answer, 'turns' | 'finish' | 'error'>

function readChoices(body: JsonObject, fields: FieldReader, left: Leftovers, report: Report): Choice {
  const choices = own(body, 'choices')
  const [first, ...others]: unknown[] = Array.isArray(choices) ? choices : []
  const message = isObject(first) ? own(first, 'message') : undefined
  if (!isObject(first) || !isObject(message)) return { turns: [], finish: { reason: 'unfinished' } }
  fields.skip('choices')
  left.entries.push(...others.map((choice, i): ResidueEntry => [['choices', i + 1], choice]))
  const choice = createFieldReader(first)
  choice.skip('message')
  if (own(first, 'index') === 0) {
    choice.skip('index')
    left.quiet.push([[...choicePath, 'index'], 0])
  }
  const raw = choice.string('finish_reason')
  const decoded = decodeMessage(message, 'assistant', [...choicePath, 'message'], report)
  const turn = withRole(decoded, message)
  const reason = finishOf(raw, turn.parts)
  const parts = readLogprobs(first, choice, markTruncated(turn.parts, reason), left)
  const failure = decodeError(own(first, 'error'), [...choicePath, 'error'])
  if (failure !== undefined) {
    choice.skip('error')
    left.entries.push(...failure.entries)
    left.quiet.push(...failure.quiet)
  }
  left.entries.push(...choice.rest([...choicePath]))
  return {
    turns: [{ ...turn, parts }],
    finish: { reason: failure === undefined ? reason : 'failed', ...compact({ raw }) },
    ...compact({ error: failure?.error }),
  }
}

/** Whoever speaks in an answer is the assistant; a message that says otherwise, or nothing, is kept as it was. */
function withRole(turn: Turn, message: JsonObject): Turn {
  const role = own(message, 'role')
  if (role === 'assistant' || turn.residue === undefined) return turn
  const quiet: ResidueEntry[] = [...(turn.residue.quiet ?? []), [['role'], role]]
  return { ...turn, residue: { ...turn.residue, quiet } }
}

/** The probabilities of the text's tokens go with the text; those of a refusal are only Chat's. */
function readLogprobs(
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
  fields.skip('logprobs')
  const inner = createFieldReader(given)
  inner.skip('content')
  left.entries.push(...inner.rest([...choicePath, 'logprobs']))
  return parts.with(at, { ...text, logprobs })
}

export function encodeAnswer(answer: Answer, context: AnswerContext, report: Report): JsonObject {
  const mine = isOwn(answer.residue)
  const hasChoice = !mine || answer.turns.length > 0
  const isFailure = answer.error !== undefined || answer.finish.reason === 'failed'
  if (isFailure && !(mine && hasChoice)) return encodeErrorAnswer(answer, report)
  const { id, model, createdAt, usage } = answer
  const written: Record<string, unknown> = {
    ...compact({
      id: id ?? (mine ? undefined : context.newId('chatcmpl-')),
      object: mine ? undefined : 'chat.completion',
      created: createdAt ?? (mine ? undefined : context.now()),
      model: model ?? (mine ? undefined : requestedModel(context)),
      // An object for now, because residue finds its way through objects only.
      choices: hasChoice ? { 0: encodeChoice(answer, context, report) } : undefined,
      usage: usage && encodeUsage(usage, report),
    }),
  }
  finish(written, answer.residue, 'chat', report)
  if (hasChoice) written.choices = Object.values(written.choices as JsonObject)
  return written
}

export function requestedModel({ request }: AnswerContext): string {
  const model = request && own(request, 'model')
  return typeof model === 'string' ? model : ''
}

function encodeChoice(answer: Answer, context: AnswerContext, report: Report): JsonObject {
  const mine = isOwn(answer.residue)
  const turn = oneTurn(answer.turns, report)
  const message = encodeMessage(turn, { newCallId: () => context.newId('call_') }, report)
  // A message that named no role gets none.
  if (message.role === undefined) delete message.role
  const finishReason = encodeFinish(answer, turn.parts, report)
  const logprobs = turn.parts.flatMap(part => (part.kind === 'text' ? (part.logprobs ?? []) : []))
  const hasLogprobs = turn.parts.some(part => part.kind === 'text' && part.logprobs !== undefined)
  if (mine) {
    return compact({
      message,
      finish_reason: finishReason,
      logprobs: hasLogprobs ? { content: logprobs } : undefined,
      error: answer.error && writeError(answer.error),
    })
  }
  return {
    index: 0,
    message,
    logprobs: hasLogprobs ? { content: logprobs, refusal: null } : null,
    finish_reason: finishReason ?? 'stop',
  }
}

/** Chat answers with one message; the turns of other wires are laid into it in their order. */
function oneTurn(turns: readonly Turn[], report: Report): Turn {
  const [first] = turns
  if (turns.length === 1 && first !== undefined) return { ...first, role: 'assistant' }
  for (const { residue } of turns) finish({}, residue, 'chat', report)
  return { role: 'assistant', parts: turns.flatMap(({ parts }) => parts), root: [] }
}
