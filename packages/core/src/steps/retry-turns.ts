/**
 * The feedback to the model after a failed attempt. All attempts stay in the conversation, each with its issues, so that
 * the model sees what it tried and does not repeat it.
 */

import { append, isObject } from '../json/object.ts'
import { parseJson } from '../json/text.ts'
import type { Answer } from '../model/answer.ts'
import type { CallPart, Part, ResultPart, Turn } from '../model/conversation.ts'
import type { Path } from '../model/diagnostic.ts'
import { textPart, textTurn, toText } from './request.ts'
import { type AnyStep, stepMark } from './step.ts'
import type { StepError } from './step-error.ts'
import type { FoundIssue } from './step-result.ts'

interface FailedAttempt {
  readonly number: number
  readonly answer?: Answer
  readonly error: StepError
  readonly issues: readonly FoundIssue[]
  /** The output as it was audited, if a sanitizer changed it. */
  readonly sanitized?: unknown
}

/** Returns the turns to append before the next attempt. */
export function createRetryTurns(step: AnyStep): (attempt: FailedAttempt) => Turn[] {
  const usedIds = new Set<string>()
  return attempt => {
    const { answer, number, error } = attempt
    // There is no answer to give feedback on, so the same request is sent again.
    if (error.code === 'model_failed') return []
    const root = ['attempts', number - 1]
    const turns = answer?.turns ?? []
    const feedback = feedbackText(step, attempt)
    const isWhole = callsIn(turns).every(({ form, input }) => form === 'custom' || isObject(parseJson(input)))
    const isReplayable = error.code !== 'truncated_output' && isWhole
    const replayed = isReplayable ? replay(turns, usedIds, number) : asText(turns, root)
    const calls = callsIn(replayed)
    if (calls.length === 0) return [...replayed, textTurn('user', feedback, root)]
    return [...replayed, { role: 'tool', root, parts: calls.map(call => resultOf(call, feedback)) }]
  }
}

function callsIn(turns: readonly Turn[]): CallPart[] {
  return turns.flatMap(({ parts }) => parts.filter(part => part.kind === 'call'))
}

/** The turns as the model wrote them, with reasoning and anything else that the wire requires in a history. */
function replay(turns: readonly Turn[], usedIds: Set<string>, attempt: number): Turn[] {
  return turns.map(turn => ({
    ...turn,
    parts: turn.parts.map(part =>
      part.kind === 'call' ? { ...part, id: uniqueId(usedIds, part.id, attempt) } : part,
    ),
  }))
}

/**
 * Servers refuse a history with a truncated call, or with arguments that are not a JSON object, so such a call is sent as
 * text. Reasoning and ids are dropped, because they belong to the call.
 */
function asText(turns: readonly Turn[], root: Path): Turn[] {
  const parts = turns.flatMap(turn =>
    turn.parts.flatMap((part): Part[] => {
      const text = part.kind === 'call' ? part.input : part.kind === 'text' ? part.text : ''
      return text === '' ? [] : [textPart(text, root)]
    }),
  )
  return parts.length === 0 ? [] : [{ role: 'assistant', parts, root }]
}

function resultOf({ form, id, path }: CallPart, feedback: string): ResultPart {
  const content = [textPart(feedback, path)]
  return {
    kind: 'result',
    form,
    path,
    content,
    plain: true,
    isError: true,
    ...(id !== undefined && { callId: id }),
  }
}

/** Ids pair calls with results, but some servers repeat the same id or send none. */
function uniqueId(used: Set<string>, original: string | undefined, attempt: number): string {
  let id = original ?? `call_${attempt}`
  for (let n = 2; used.has(id); n++) id = `${original ?? 'call'}_${attempt}_${n}`
  used.add(id)
  return id
}

function feedbackText(step: AnyStep, attempt: FailedAttempt): string {
  return [...feedbackLines(step, attempt), retryInstruction(step, attempt.error)].join('\n')
}

function feedbackLines(step: AnyStep, { number, error, issues, sanitized }: FailedAttempt): string[] {
  // The message of this error is advice for the author of the step, not for the model.
  if (error.code === 'truncated_output') return [`Attempt ${number} was cut off before it was complete.`]
  if (error.code !== 'audit_failed') return [`Attempt ${number} was not accepted. ${error.message}`]
  const lines = [`Attempt ${number} was audited and not accepted.`]
  // The default message would only repeat the issues.
  if (step[stepMark].failureReason !== undefined) lines.push(error.message)
  if (sanitized !== undefined) lines.push(`The output as it was audited: ${toText(sanitized)}`)
  if (issues.length > 0) append(lines, ['Issues:', ...issues.map(issueText)])
  return lines
}

function issueText({ id, severity, description, context, suggestions }: FoundIssue, index: number): string {
  const label = id === undefined ? '' : ` (${id})`
  const lines = [`${index + 1}. [${severity}]${label} ${description}`]
  if (context !== undefined) lines.push(`   Context: ${toText(context)}`)
  for (const suggestion of suggestions ?? []) lines.push(`   Suggestion: ${suggestion}`)
  return lines.join('\n')
}

function retryInstruction(step: AnyStep, { code }: StepError): string {
  const how =
    step.carrier === 'tool'
      ? `Call "${step.name}" once, with the complete output as its arguments`
      : 'Answer with the complete output as one JSON object and nothing else'
  if (code === 'audit_failed')
    return `${how}. Fix these issues, and do not bring back those of earlier attempts.`
  if (code === 'truncated_output') return `${how}. Keep it shorter.`
  return `${how}.`
}
