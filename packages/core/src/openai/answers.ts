/** Answers of Responses: decoded with the calls undone, and encoded as one message of Chat. */

import { answerFor } from '../convert/adapt/turns/foreign-parts.ts'
import type { CallUndo } from '../convert/undo/call-undo.ts'
import { restoreAnswer } from '../convert/undo/partition-calls.ts'
import { restoreCallPart } from '../convert/undo/restore-call-part.ts'
import { createUniqueIds } from '../convert/undo/unique-ids.ts'
import type { JsonObject } from '../json/object.ts'
import { isObject, omit, own } from '../json/object.ts'
import type { Answer, FinishReason } from '../model/answer.ts'
import type { CallPart, Part } from '../model/conversation.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import { builtInConversations } from '../wires/registry.ts'
import type { AssistantMessage } from './tool-manager-types.ts'

export interface CallReader {
  readonly undo: CallUndo
  readonly newId: (prefix: string) => string
}

export type IdentifiedCall = CallPart & { readonly id: string }

type AnswerContent = Pick<Answer, 'turns' | 'finish'>

const truncatingReasons: ReadonlySet<FinishReason> = new Set([
  'length',
  'filter',
  'failed',
  'cancelled',
  'unfinished',
] as const)

/** Decodes an answer. Its calls have unique ids and refer to the tools that the program declared. */
export function readAnswer(body: JsonObject, { undo, newId }: CallReader, report: Report): Answer {
  const decoded = builtInConversations.responses.decodeAnswer(withRoles(body), report)
  const isTruncated = truncatingReasons.has(decoded.finish.reason)
  const unique = createUniqueIds(report)
  const answer = restoreAnswer(
    decoded,
    { undo, newId, verbatim: false },
    call => withId(unique(markTruncated(withoutEmptyId(call), isTruncated)), newId, report),
    report,
  )
  for (const part of partsOf(answer)) reportNameless(part, report)
  return answer
}

/** Adds the role `assistant` to messages without one: an answer contains no other role. */
function withRoles(body: JsonObject): JsonObject {
  const output = own(body, 'output')
  if (!Array.isArray(output)) return body
  const lacksRole = (item: unknown): item is JsonObject =>
    isObject(item) && own(item, 'type') === 'message' && own(item, 'role') === undefined
  return { ...body, output: output.map(item => (lacksRole(item) ? { ...item, role: 'assistant' } : item)) }
}

/** An empty id cannot pair a call with its result, so it counts as missing. */
function withoutEmptyId(call: CallPart): CallPart {
  if (call.id !== '') return call
  const { id: _, ...rest } = call
  return rest
}

function withId(call: CallPart, newId: CallReader['newId'], report: Report): IdentifiedCall {
  if (call.id) return { ...call, id: call.id }
  const id = newId('call_')
  report('call_id_inferred', call.path, `The call has no id; it goes as "${id}".`)
  return { ...call, id }
}

/** One call with an id, undone to a call of the tool that the program declared. */
export function readCall(part: CallPart, { undo, newId }: CallReader, report: Report): IdentifiedCall {
  const call = withId(part, newId, report)
  const restored = restoreCallPart(call, { undo, newId, verbatim: false }, report)
  return restored.kind === 'call' ? { ...restored, id: call.id } : call
}

/** In a truncated answer only a call whose item says `completed` is known to be complete. */
function markTruncated(call: CallPart, isTruncated: boolean): CallPart {
  const isComplete = call.status === 'completed' || (call.status === undefined && !isTruncated)
  return isComplete ? call : { ...call, status: 'incomplete' }
}

function reportNameless(part: Part, report: Report): void {
  if (part.kind !== 'opaque' || !isObject(part.value)) return
  const type = own(part.value, 'type')
  if (type !== 'function_call' && type !== 'custom_tool_call') return
  report('missing_name', [...part.path, 'name'], 'The call does not name a tool; it was left out.')
}

export function partsOf({ turns }: Pick<Answer, 'turns'>): readonly Part[] {
  return turns.flatMap(({ parts }) => parts)
}

/** Maps the paths of diagnostics, for a decoder that gets the caller's value inside another one. */
export function withPaths(report: Report, toCaller: (path: Path) => Path): Report {
  return (code, path, message) => report(code, toCaller(path), message)
}

/** Encodes an answer as one message of Chat. Facts about the answer itself, such as its usage, are not part of it. */
export function writeAssistantMessage(
  { turns, finish }: AnswerContent,
  newId: CallReader['newId'],
  report: Report,
): AssistantMessage {
  const { chat } = builtInConversations
  const known = answerFor(turns, { target: chat, isNative: false, isMixed: false, report })
  reportTruncation({ turns, finish }, report)
  const answer = { turns: known, finish: { reason: 'stop' } } as const
  const { choices } = chat.encodeAnswer(answer, { newId, now: () => 0 }, report)
  const [choice]: unknown[] = Array.isArray(choices) ? choices : []
  const message = isObject(choice) ? own(choice, 'message') : undefined
  if (!isObject(message)) throw new TypeError('The Chat codec wrote an answer without a message.')
  // The codec writes exactly these fields, with `null` for a missing refusal.
  return omit(message, own(message, 'refusal') === null ? ['refusal'] : []) as unknown as AssistantMessage
}

/** A message has no field for how the answer ended, but whoever runs its calls must know. */
function reportTruncation(answer: AnswerContent, report: Report): void {
  const { reason, raw = reason } = answer.finish
  if (reason !== 'stop' && reason !== 'calls' && reason !== 'refusal') {
    const message = `The answer did not end by itself ("${raw}"); a message of Chat cannot say so.`
    report('field_dropped', ['status'], message)
  }
  for (const part of partsOf(answer)) {
    if (part.kind !== 'call' || part.status !== 'incomplete') continue
    const message = `The call of "${part.name}" was cut off; a message of Chat cannot say so. It will not be run.`
    report('field_dropped', [...part.path, 'status'], message)
  }
}
