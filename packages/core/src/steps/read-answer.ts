/**
 * Finds the output in an answer, or the error if there is none. Calls are detected by the parts, not by the finish
 * reason, since servers differ. A truncated answer is never used, even if it looks complete.
 */
import type { Answer } from '../model/answer.ts'
import { type CallPart, isCall } from '../model/conversation.ts'
import { partsOf, refusalOf, textOf } from '../runtime/conversation/answer.ts'
import type { AnyStep } from './step.ts'
import { StepError } from './step-error.ts'

type OutputSearch =
  | { readonly raw: string; readonly error?: undefined }
  /** `raw` is what arrived of a truncated output. */
  | { readonly raw?: string; readonly error: StepError }

export function findOutput(answer: Answer, step: AnyStep): OutputSearch {
  const { reason } = answer.finish
  const fail = (code: StepError['code'], message: string): StepError =>
    new StepError(code, step.name, message)
  if (answer.error !== undefined || reason === 'failed' || reason === 'cancelled') {
    const { error } = answer
    return {
      error: fail('model_failed', error?.message ?? `The provider says that the answer was ${reason}.`),
    }
  }
  if (reason === 'refusal' || reason === 'filter') {
    const why = reason === 'filter' ? "The provider's filter stopped the answer" : 'The request was refused'
    return { error: fail('refused', withText(why, refusalOf(answer) ?? textOf(answer))) }
  }
  const cut = reason === 'length' || reason === 'unfinished'
  if (step.carrier === 'format') return findText(answer, cut, fail)
  return findCall(answer, step, cut, fail)
}

type Fail = (code: StepError['code'], message: string) => StepError

function findCall(answer: Answer, step: AnyStep, cut: boolean, fail: Fail): OutputSearch {
  const calls = partsOf(answer).filter(isCall)
  const [call, ...others] = calls
  if (call === undefined) {
    if (cut)
      return { error: fail('truncated_output', `The answer ended before the call. ${maxTokensAdvice}`) }
    const refusal = refusalOf(answer)
    if (refusal !== undefined) return { error: fail('refused', withText('The request was refused', refusal)) }
    return { error: fail('no_call', withText(`"${step.name}" was not called`, textOf(answer))) }
  }
  if (cut || calls.some(isIncomplete)) {
    return { raw: call.input, error: fail('truncated_output', `The call was cut off. ${maxTokensAdvice}`) }
  }
  if (others.length > 0) {
    const names = calls.map(({ name }) => JSON.stringify(name)).join(', ')
    return { error: fail('several_calls', `One call was asked for and ${calls.length} came: ${names}.`) }
  }
  if (call.name !== step.name || call.form !== 'function' || call.namespace !== undefined) {
    const name = JSON.stringify(call.name)
    return {
      raw: call.input,
      error: fail('wrong_tool', `${name} was called instead of "${step.name}".`),
    }
  }
  return { raw: call.input }
}

function findText(answer: Answer, cut: boolean, fail: Fail): OutputSearch {
  const raw = textOf(answer)
  const partial = raw === '' ? {} : { raw }
  if (cut)
    return { ...partial, error: fail('truncated_output', `The answer was cut off. ${maxTokensAdvice}`) }
  const refusal = refusalOf(answer)
  if (refusal !== undefined) return { error: fail('refused', withText('The request was refused', refusal)) }
  if (raw.trim() === '') return { error: fail('no_call', 'There was no text.') }
  return { raw }
}

const maxTokensAdvice = 'Give the step more "maxTokens", or ask for less.'

function isIncomplete({ status }: CallPart): boolean {
  return status === 'incomplete' || status === 'in_progress'
}

function withText(statement: string, text: string): string {
  if (text === '') return `${statement}.`
  return `${statement}: ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`
}
