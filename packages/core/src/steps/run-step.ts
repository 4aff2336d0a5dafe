/**
 * Runs a step: asks, judges, and asks again with the whole story until an output is accepted or the retries
 * are used up. Whatever the model does ends in a result; only mistakes in calling this are thrown.
 */

import { compact, isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Usage } from '../model/answer.ts'
import type { Turn } from '../model/conversation.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { untilAborted } from '../runtime/conversation/abort.ts'
import type { ModelPort, Reply } from '../runtime/conversation/model-port.ts'
import { addUsage, noUsage } from '../runtime/conversation/usage.ts'
import type { Signal } from '../runtime/host.ts'
import { callListener } from '../runtime/safe-listener.ts'
import { ToolError } from '../runtime/tools/tool-error.ts'
import type { OutputCheck } from './judge-output.ts'
import { checkOutput } from './judge-output.ts'
import { buildPrompt } from './prompt.ts'
import { findOutput } from './read-answer.ts'
import { buildRequest } from './request.ts'
import { createRetryWriter } from './retry-turns.ts'
import type { AnyStep, EarlierResults, Step } from './step.ts'
import { isStep, stepMark } from './step.ts'
import type { StepErrorCode } from './step-error.ts'
import { reasonOf, StepError } from './step-error.ts'
import type { Attempt, StepEvent, StepResult } from './step-result.ts'

export interface RunStepOptions {
  readonly model: ModelPort
  readonly signal?: Signal | undefined
  /** Hears what happens. What it throws is passed over. */
  readonly onEvent?: ((event: StepEvent) => void) | undefined
  /** Outputs of earlier steps by name, for `includeResults`, the prompt and the audits. */
  readonly results?: EarlierResults | undefined
}

const mendable: readonly StepErrorCode[] = [
  'wrong_tool',
  'several_calls',
  'no_call',
  'invalid_json',
  'invalid_output',
  'audit_failed',
]

/** Asks the model until an output is accepted or the retries are used up. Whatever the model does is a result. */
export async function runStep<Input, Output>(
  step: Step<Input, Output>,
  input: NoInfer<Input>,
  options: RunStepOptions,
): Promise<StepResult<Output>> {
  checkArguments(step, options)
  // The step's own schema has checked every output, so the type that was forgotten inside holds again here.
  return run(step, input, options) as Promise<StepResult<Output>>
}

function checkArguments(step: unknown, options: RunStepOptions): void {
  if (!isStep(step)) {
    throw new ToolError('invalid_definition', `The step must come from defineStep(); got ${show(step)}.`)
  }
  const model: unknown = isObject(options) ? options.model : undefined
  if (!isObject(model) || typeof model.ask !== 'function') {
    const remedy = 'Give the port that connectModel() makes, or an object with a method "ask".'
    throw new ToolError('invalid_definition', `Step "${step.name}": "model" is missing. ${remedy}`)
  }
  for (const name of step.includeResults) {
    if (options.results !== undefined && Object.hasOwn(options.results, name)) continue
    const remedy = `Give it as "results.${name}", or run the step in a flow after the step "${name}".`
    throw new ToolError(
      'invalid_definition',
      `Step "${step.name}" includes the result of "${name}". ${remedy}`,
    )
  }
}

interface Context {
  readonly step: AnyStep
  readonly input: unknown
  readonly model: ModelPort
  readonly signal: Signal | undefined
  readonly results: EarlierResults
  readonly attempts: Attempt[]
  readonly diagnostics: Diagnostic[]
  tell(event: StepEvent): void
}

async function run(
  step: AnyStep,
  given: unknown,
  { model, signal, onEvent, results = {} }: RunStepOptions,
): Promise<StepResult> {
  const tell = callListener(onEvent)
  tell({ type: 'step-started', step: step.name })
  const attempts: Attempt[] = []
  const diagnostics = [...step.diagnostics]
  const finish = (error: StepError | undefined): StepResult => {
    const result = resultOf(step, attempts, diagnostics, error)
    tell({ type: 'step-finished', step: step.name, result })
    return result
  }
  if (signal?.aborted) return finish(cancelled(step, signal))
  const prepared = await untilAborted(prepare(step, given, results), signal).catch((cause: unknown) => {
    if (signal?.aborted) return cancelled(step, signal)
    const message = `The input could not be made into a prompt: ${reasonOf(cause)}`
    return new StepError('input_error', step.name, message, { cause })
  })
  if (prepared instanceof StepError) return finish(prepared)
  const { input, turns } = prepared
  return finish(await converse({ step, input, model, signal, results, attempts, diagnostics, tell }, turns))
}

async function prepare(
  step: AnyStep,
  given: unknown,
  results: EarlierResults,
): Promise<{ input: unknown; turns: Turn[] }> {
  const { sanitizeInput } = step[stepMark]
  const input = sanitizeInput === undefined ? given : await sanitizeInput(given)
  return { input, turns: await buildPrompt(step, input, results) }
}

/** Gives the error of the last attempt, or nothing when it was accepted. */
async function converse(context: Context, turns: Turn[]): Promise<StepError | undefined> {
  const { step, attempts, signal, tell } = context
  const writer = createRetryWriter(step)
  for (let number = 1; ; number++) {
    if (signal?.aborted) return cancelled(step, signal)
    tell({ type: 'attempt-started', step: step.name, attempt: number })
    const { attempt, sanitized } = await tryOnce(context, turns, number)
    attempts.push(attempt)
    const { error, issues, answer } = attempt
    if (error === undefined) return undefined
    if (error.code === 'audit_failed')
      tell({ type: 'audit-failed', step: step.name, attempt: number, issues })
    if (number > step.maxRetries || !isRetried(step, error)) return error
    tell({ type: 'retry', step: step.name, attempt: number, error })
    turns.push(...writer.tell({ number, error, issues, sanitized, ...compact({ answer }) }))
  }
}

function isRetried(step: AnyStep, { code }: StepError): boolean {
  const also: readonly StepErrorCode[] = step[stepMark].alsoRetry
  return mendable.includes(code) || also.includes(code)
}

interface Tried {
  readonly attempt: Attempt
  readonly sanitized?: unknown
}

async function tryOnce(context: Context, turns: readonly Turn[], number: number): Promise<Tried> {
  const { step, model, signal, diagnostics, tell } = context
  let reply: Reply
  try {
    const asked = model.ask(buildRequest(step, [...turns]), {
      ...compact({ signal }),
      onEvent: event => tell({ type: 'answer', step: step.name, attempt: number, event }),
    })
    reply = await untilAborted(asked, signal)
  } catch (cause) {
    const error = signal?.aborted
      ? cancelled(step, signal)
      : new StepError('model_failed', step.name, `The model could not be asked: ${reasonOf(cause)}`, {
          cause,
        })
    return { attempt: { number, issues: [], error } }
  }
  addNew(diagnostics, reply.diagnostics)
  const { answer } = reply
  const head = { number, answer, ...compact({ usage: answer.usage }) }
  if (signal?.aborted) return { attempt: { ...head, issues: [], error: cancelled(step, signal) } }
  const found = findOutput(answer, step)
  if (found.error !== undefined) return { attempt: { ...head, issues: [], ...found } }
  const { raw } = found
  // An audit that goes on after an abort is not waited for.
  const judging = untilAborted(judge(context, raw, number), signal)
  const { sanitized, ...judged } = await judging.catch((cause: unknown): OutputCheck => {
    if (!signal?.aborted) throw cause
    return { issues: [], error: cancelled(step, signal) }
  })
  return { attempt: { ...head, raw, ...judged }, sanitized }
}

/** Every attempt sends the same schema and settings, and would report the same of them. */
function addNew(known: Diagnostic[], more: readonly Diagnostic[]): void {
  const keyOf = ({ code, path, message }: Diagnostic): string => JSON.stringify([code, path, message])
  const seen = new Set(known.map(keyOf))
  known.push(...more.filter(diagnostic => !seen.has(keyOf(diagnostic))))
}

function judge(context: Context, raw: string, attempt: number): Promise<OutputCheck> {
  const { step, input, results, signal, attempts } = context
  return checkOutput(step, raw, {
    input,
    attempt,
    results,
    earlier: [...attempts],
    ...compact({ signal }),
  })
}

export function cancelled(step: AnyStep, signal: Signal | undefined): StepError {
  const cause: unknown = signal?.reason
  return new StepError('cancelled', step.name, 'The step was cancelled.', { cause })
}

function resultOf(
  { name }: AnyStep,
  attempts: readonly Attempt[],
  diagnostics: readonly Diagnostic[],
  error: StepError | undefined,
): StepResult {
  const last = attempts.at(-1)
  const usage = attempts.reduce<Usage>((total, attempt) => addUsage(total, attempt.usage), { ...noUsage })
  const base = { step: name, attempts, issues: last?.issues ?? [], usage, diagnostics }
  return error === undefined ? { ...base, ok: true, output: last?.output } : { ...base, ok: false, error }
}
