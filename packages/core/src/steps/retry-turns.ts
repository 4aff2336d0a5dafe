/**
 * How the model is told what was wrong with an attempt. Attempts stay in the conversation one after the other,
 * each with its own issues, so that the model sees what it tried and does not go back to it.
 */

import { isObject } from '../json/object.ts'
import type { Answer } from '../model/answer.ts'
import type { CallPart, Part, ResultPart, Turn } from '../model/conversation.ts'
import type { Path } from '../model/diagnostic.ts'
import type { FoundIssue } from './issue.ts'
import { textPart, textTurn, toText } from './prompt.ts'
import type { AnyStep } from './step.ts'
import { stepMark } from './step.ts'
import type { StepError } from './step-error.ts'

interface FailedAttempt {
  readonly number: number
  readonly answer?: Answer
  readonly error: StepError
  readonly issues: readonly FoundIssue[]
  /** The output as it was audited, where a sanitizer changed it. */
  readonly sanitized?: unknown
}

interface RetryWriter {
  /** What goes after everything said so far, before the model is asked again. */
  tell(attempt: FailedAttempt): Turn[]
}

export function createRetryWriter(step: AnyStep): RetryWriter {
  const usedIds = new Set<string>()
  return {
    tell: attempt => {
      const { answer, number, error } = attempt
      // Nothing was said that could be answered: the same is asked again.
      if (error.code === 'model_failed') return []
      const root = ['attempts', number - 1]
      const turns = answer?.turns ?? []
      const told = wordProblem(step, attempt)
      const isReplayable = error.code !== 'truncated_output' && callsIn(turns).every(hasObjectInput)
      const said = isReplayable ? replay(turns, usedIds, number) : asText(turns, root)
      const calls = callsIn(said)
      if (calls.length === 0) return [...said, textTurn('user', told, root)]
      return [...said, { role: 'tool', root, parts: calls.map(call => resultOf(call, told)) }]
    },
  }
}

function callsIn(turns: readonly Turn[]): CallPart[] {
  return turns.flatMap(({ parts }) => parts.filter(part => part.kind === 'call'))
}

/** As the model said it, with its reasoning and whatever else its wire wants to see again. */
function replay(turns: readonly Turn[], usedIds: Set<string>, attempt: number): Turn[] {
  return turns.map(turn => ({
    ...turn,
    parts: turn.parts.map(part =>
      part.kind === 'call' ? { ...part, id: uniqueId(usedIds, part.id, attempt) } : part,
    ),
  }))
}

/**
 * Servers refuse a history with a call that is cut off or whose arguments are no JSON object, so it goes back as
 * the text it is. Reasoning and ids stay behind: they are bound to the call that is not there any more.
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

function resultOf({ form, id, path }: CallPart, told: string): ResultPart {
  const content = [textPart(told, path)]
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

/** Ids pair calls with results, and some servers give every call the same one or none. */
function uniqueId(used: Set<string>, given: string | undefined, attempt: number): string {
  let id = given ?? `call_${attempt}`
  for (let n = 2; used.has(id); n++) id = `${given ?? 'call'}_${attempt}_${n}`
  used.add(id)
  return id
}

function hasObjectInput({ form, input }: CallPart): boolean {
  if (form === 'custom') return true
  try {
    return isObject(JSON.parse(input))
  } catch {
    return false
  }
}

function wordProblem(step: AnyStep, attempt: FailedAttempt): string {
  return [...problemLines(step, attempt), askAgain(step, attempt.error)].join('\n')
}

function problemLines(step: AnyStep, { number, error, issues, sanitized }: FailedAttempt): string[] {
  // The error's own message advises whoever wrote the step.
  if (error.code === 'truncated_output') return [`Attempt ${number} was cut off before it was complete.`]
  if (error.code !== 'audit_failed') return [`Attempt ${number} was not accepted. ${error.message}`]
  const lines = [`Attempt ${number} was audited and not accepted.`]
  // Our own words for it would only repeat the issues.
  if (step[stepMark].failureReason !== undefined) lines.push(error.message)
  if (sanitized !== undefined) lines.push(`The output as it was audited: ${toText(sanitized)}`)
  if (issues.length > 0) lines.push('Issues:', ...issues.map(wordIssue))
  return lines
}

function wordIssue({ id, severity, description, context, suggestions }: FoundIssue, index: number): string {
  const label = id === undefined ? '' : ` (${id})`
  const lines = [`${index + 1}. [${severity}]${label} ${description}`]
  if (context !== undefined) lines.push(`   Context: ${toText(context)}`)
  for (const suggestion of suggestions ?? []) lines.push(`   Suggestion: ${suggestion}`)
  return lines.join('\n')
}

function askAgain(step: AnyStep, { code }: StepError): string {
  const how =
    step.carrier === 'tool'
      ? `Call "${step.name}" once, with the complete output as its arguments`
      : 'Answer with the complete output as one JSON object and nothing else'
  if (code === 'audit_failed')
    return `${how}. Mend these issues, and do not bring back those of earlier attempts.`
  if (code === 'truncated_output') return `${how}. Keep it shorter.`
  return `${how}.`
}
