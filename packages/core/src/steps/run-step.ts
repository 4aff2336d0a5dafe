/**
 * `runStep`: requests an output, checks it, and requests it again with feedback until it is accepted or the retries are
 * used up. Whatever the model does ends in a result; only wrong arguments are thrown.
 */

import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import { append, compact, isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Usage } from '../model/answer.ts'
import type { Turn } from '../model/conversation.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { addTokens, noUsage } from '../model/usage.ts'
import { untilAborted } from '../runtime/conversation/abort.ts'
import type { ModelPort, Reply } from '../runtime/conversation/model-port.ts'
import { ModelError } from '../runtime/conversation/model-port.ts'
import { safeListener, ToolError } from '../runtime/errors.ts'
import type { Signal } from '../runtime/host.ts'
import { checkOutput, type OutputCheck } from './check-output.ts'
import { findOutput } from './read-answer.ts'
import { buildPrompt, buildRequest } from './request.ts'
import { createRetryTurns } from './retry-turns.ts'
import { type AnyStep, type EarlierResults, isStep, type Step, stepMark } from './step.ts'
import { describeReason, StepError, type StepErrorCode } from './step-error.ts'
import type { Attempt, StepEvent, StepResult } from './step-result.ts'

/** The model of a step, who watches it, and what earlier steps gave. */
export interface RunStepOptions {
  readonly model: ModelPort
  readonly signal?: Signal | undefined
  /** Called for every event. What it throws is ignored. */
  readonly onEvent?: ((event: StepEvent) => void) | undefined
  /** Outputs of earlier steps by name, for `includeResults`, the prompt and the audits. */
  readonly results?: EarlierResults | undefined
}

const known: KnownOptions<RunStepOptions> = { model: true, signal: true, onEvent: true, results: true }

const retryableCodes: readonly StepErrorCode[] = [
  'wrong_tool',
  'several_calls',
  'no_call',
  'invalid_json',
  'invalid_output',
  'audit_failed',
]

/** If a server asks for a longer pause, the step ends: whoever runs it knows better whether to come back. */
const longestWait = 60_000

/** Requests an output until it is accepted or the retries are used up. Failures of the model are returned, not thrown. */
export async function runStep<Input, Output>(
  step: Step<Input, Output>,
  input: NoInfer<Input>,
  options: RunStepOptions,
): Promise<StepResult<Output>> {
  checkArguments(step, options)
  // The schema of the step has validated every output, so the type holds although it is unknown inside.
  return run(step, input, options) as Promise<StepResult<Output>>
}

function checkArguments(step: unknown, options: RunStepOptions): void {
  if (!isStep(step)) {
    throw new ToolError('invalid_definition', `The step must come from defineStep(); got ${show(step)}.`)
  }
  refuseUnknownOptions('runStep', options, known)
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

interface StepRun {
  readonly step: AnyStep
  readonly input: unknown
  readonly model: ModelPort
  readonly signal: Signal | undefined
  readonly results: EarlierResults
  readonly attempts: Attempt[]
  readonly diagnostics: Diagnostic[]
  emit(event: StepEvent): void
}

async function run(
  step: AnyStep,
  rawInput: unknown,
  { model, signal, onEvent, results = {} }: RunStepOptions,
): Promise<StepResult> {
  const emit = safeListener(onEvent)
  emit({ type: 'step-started', step: step.name })
  const attempts: Attempt[] = []
  const diagnostics = [...step.diagnostics]
  const finish = (error: StepError | undefined): StepResult => {
    const result = resultOf(step, attempts, diagnostics, error)
    emit({ type: 'step-finished', step: step.name, result })
    return result
  }
  if (signal?.aborted) return finish(cancelled(step, signal))
  const prepared = await untilAborted(prepare(step, rawInput, results), signal).catch((cause: unknown) => {
    if (signal?.aborted) return cancelled(step, signal)
    const message = `The input could not be made into a prompt: ${describeReason(cause)}`
    return new StepError('input_error', step.name, message, { cause })
  })
  if (prepared instanceof StepError) return finish(prepared)
  const { input, turns } = prepared
  return finish(
    await runAttempts({ step, input, model, signal, results, attempts, diagnostics, emit }, turns),
  )
}

async function prepare(
  step: AnyStep,
  rawInput: unknown,
  results: EarlierResults,
): Promise<{ input: unknown; turns: Turn[] }> {
  const { sanitizeInput } = step[stepMark]
  const input = sanitizeInput === undefined ? rawInput : await sanitizeInput(rawInput)
  return { input, turns: await buildPrompt(step, input, results) }
}

/** Returns the error of the last attempt, or `undefined` if it was accepted. */
async function runAttempts(context: StepRun, turns: Turn[]): Promise<StepError | undefined> {
  const { step, attempts, signal, emit } = context
  const retryTurns = createRetryTurns(step)
  for (let number = 1; ; number++) {
    if (signal?.aborted) return cancelled(step, signal)
    emit({ type: 'attempt-started', step: step.name, attempt: number })
    const { attempt, sanitized } = await runAttempt(context, turns, number)
    attempts.push(attempt)
    const { error, issues, answer } = attempt
    if (error === undefined) return undefined
    if (error.code === 'audit_failed')
      emit({ type: 'audit-failed', step: step.name, attempt: number, issues })
    if (number > step.maxRetries || !isRetried(step, error)) return error
    const waitMs = error.cause instanceof ModelError ? (error.cause.retryAfterMs ?? 0) : 0
    if (waitMs > longestWait) return error
    emit({ type: 'retry', step: step.name, attempt: number, error })
    if (waitMs > 0) await context.model.wait?.(waitMs, signal)
    append(turns, retryTurns({ number, error, issues, sanitized, ...compact({ answer }) }))
  }
}

function isRetried(step: AnyStep, { code }: StepError): boolean {
  const also: readonly StepErrorCode[] = step[stepMark].alsoRetry
  return retryableCodes.includes(code) || also.includes(code)
}

interface AttemptResult {
  readonly attempt: Attempt
  readonly sanitized?: unknown
}

async function runAttempt(context: StepRun, turns: readonly Turn[], number: number): Promise<AttemptResult> {
  const { step, model, signal, diagnostics, emit } = context
  let reply: Reply
  try {
    const pending = model.ask(buildRequest(step, [...turns]), {
      ...compact({ signal }),
      onEvent: event => emit({ type: 'answer', step: step.name, attempt: number, event }),
    })
    reply = await untilAborted(pending, signal)
  } catch (cause) {
    const error = signal?.aborted
      ? cancelled(step, signal)
      : new StepError('model_failed', step.name, `The model could not be asked: ${describeReason(cause)}`, {
          cause,
        })
    return { attempt: { number, issues: [], error } }
  }
  addNewDiagnostics(diagnostics, reply.diagnostics)
  const { answer } = reply
  const head = { number, answer, ...compact({ usage: answer.usage }) }
  if (signal?.aborted) return { attempt: { ...head, issues: [], error: cancelled(step, signal) } }
  const found = findOutput(answer, step)
  if (found.error !== undefined) return { attempt: { ...head, issues: [], ...found } }
  const { raw } = found
  // An audit that continues after an abort is not awaited.
  const checking = untilAborted(checkAttempt(context, raw, number), signal)
  const { sanitized, ...checked } = await checking.catch((cause: unknown): OutputCheck => {
    if (!signal?.aborted) throw cause
    return { issues: [], error: cancelled(step, signal) }
  })
  return { attempt: { ...head, raw, ...checked }, sanitized }
}

/** Every attempt sends the same schema and settings, so most diagnostics would repeat. */
function addNewDiagnostics(known: Diagnostic[], more: readonly Diagnostic[]): void {
  const keyOf = ({ code, path, message }: Diagnostic): string => JSON.stringify([code, path, message])
  const seen = new Set(known.map(keyOf))
  for (const diagnostic of more) if (!seen.has(keyOf(diagnostic))) known.push(diagnostic)
}

function checkAttempt(context: StepRun, raw: string, attempt: number): Promise<OutputCheck> {
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
  const usage = attempts.reduce<Usage>((total, attempt) => addTokens(total, attempt.usage), { ...noUsage })
  const base = { step: name, attempts, issues: last?.issues ?? [], usage, diagnostics }
  return error === undefined ? { ...base, ok: true, output: last?.output } : { ...base, ok: false, error }
}
