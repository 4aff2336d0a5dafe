/** `runFlow`: runs the steps of a flow one after the other and returns the result of each. */

import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import { setOwn } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Usage } from '../model/answer.ts'
import { addTokens, noUsage } from '../model/usage.ts'
import { untilAborted } from '../runtime/conversation/abort.ts'
import type { ModelPort } from '../runtime/conversation/model-port.ts'
import { safeListener, ToolError } from '../runtime/errors.ts'
import type { Signal } from '../runtime/host.ts'
import { type AnyFlow, type Flow, type FlowStep, flowOfSteps } from './flow.ts'
import { cancelled, runStep } from './run-step.ts'
import type { AnyStep, Step } from './step.ts'
import { describeReason, StepError } from './step-error.ts'
import type { StepEvent, StepResult } from './step-result.ts'

interface FlowResultBase {
  readonly flow: string
  /** The results of all steps that were run, with their attempts. */
  readonly steps: { readonly [name: string]: StepResult }
  /** Names of all failed steps in order, including those that did not end the flow. */
  readonly failed: readonly string[]
  /** Names of the steps that were not reached. */
  readonly skipped: readonly string[]
  /** The sum over all attempts of all steps. */
  readonly usage: Usage
}

/** How a flow ended, with the outputs of the steps that succeeded. */
export type FlowResult<Outputs> =
  | (FlowResultBase & { readonly ok: true; readonly outputs: Outputs; readonly error?: undefined })
  /** A step failed that stops the flow; `outputs` has the outputs before it. */
  | (FlowResultBase & { readonly ok: false; readonly outputs: Partial<Outputs>; readonly error: StepError })

/** `step` is the name of the step in the flow. */
export type FlowEvent =
  | StepEvent
  | { readonly type: 'flow-finished'; readonly flow: string; readonly result: FlowResult<unknown> }

/** The model of a flow, and who watches it. */
export interface RunFlowOptions {
  readonly model: ModelPort
  readonly signal?: Signal | undefined
  /** Called for every event. What it throws is ignored. */
  readonly onEvent?: ((event: FlowEvent) => void) | undefined
}

const known: KnownOptions<RunFlowOptions> = { model: true, signal: true, onEvent: true }

/** The input that all steps of a list accept. */
type InputOfSteps<Steps extends readonly AnyStep[]> = [Steps[number]] extends [Step<infer Input>]
  ? Input
  : never

/** The outputs of a list of steps, by name. */
type OutputsOfSteps<Steps extends readonly AnyStep[]> = {
  readonly [S in Steps[number] as S['name']]: S extends Step<never, infer Output, string, infer Stop>
    ? Stop extends true
      ? Output
      : Output | undefined
    : never
}

/** Runs the steps in order. A list of steps is a flow in which each gets the flow's own input. */
export function runFlow<Input, Outputs>(
  flow: Flow<Input, Outputs>,
  input: NoInfer<Input>,
  options: RunFlowOptions,
): Promise<FlowResult<Outputs>>
export function runFlow<const Steps extends readonly AnyStep[]>(
  steps: Steps,
  input: InputOfSteps<Steps>,
  options: RunFlowOptions,
): Promise<FlowResult<OutputsOfSteps<Steps>>>
export async function runFlow(
  flowOrSteps: AnyFlow | readonly AnyStep[],
  input: unknown,
  options: RunFlowOptions,
): Promise<FlowResult<unknown>> {
  const flow = isList(flowOrSteps) ? flowOfSteps(flowOrSteps) : flowOrSteps
  if (!Array.isArray(flow?.steps) || flow.steps.length === 0) {
    const got = Array.isArray(flow?.steps) ? 'one without steps' : show(flow)
    throw new ToolError(
      'invalid_definition',
      `A flow of defineFlow() or a list of steps is needed; got ${got}.`,
    )
  }
  refuseUnknownOptions('runFlow', options, known)
  return run(flow, input, { ...options, onEvent: safeListener(options.onEvent) })
}

type Outputs = { readonly [name: string]: unknown }

async function run(flow: AnyFlow, input: unknown, options: RunFlowOptions): Promise<FlowResult<Outputs>> {
  const outputs: Record<string, unknown> = {}
  const steps: Record<string, StepResult> = {}
  const failed: string[] = []
  let usage: Usage = { ...noUsage }
  let error: StepError | undefined
  let reached = 0
  for (const flowStep of flow.steps) {
    reached++
    const { name, step } = flowStep
    const result = await runFlowStep(flowStep, { input, results: { ...outputs } }, options)
    setOwn(steps, name, result)
    setOwn(outputs, name, result.ok ? result.output : undefined)
    usage = addTokens(usage, result.usage)
    if (result.ok) continue
    failed.push(name)
    // Cancelling always ends the entire flow.
    if (!step.stopOnFailure && result.error.code !== 'cancelled') continue
    error = result.error
    break
  }
  const skipped = flow.steps.slice(reached).map(({ name }) => name)
  const base = { flow: flow.name, steps, failed, skipped, usage, outputs }
  const result: FlowResult<Outputs> =
    error === undefined ? { ...base, ok: true } : { ...base, ok: false, error }
  options.onEvent?.({ type: 'flow-finished', flow: flow.name, result })
  return result
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: AnyFlow | readonly AnyStep[]): value is readonly AnyStep[] {
  return Array.isArray(value)
}

async function runFlowStep(
  { name, step, input }: FlowStep,
  context: { readonly input: unknown; readonly results: Outputs },
  options: RunFlowOptions,
): Promise<StepResult> {
  const { signal } = options
  let stepInput: unknown
  try {
    const makeInput = async (): Promise<unknown> => input(context)
    // A cancelled step needs no input.
    if (!signal?.aborted) stepInput = await untilAborted(makeInput(), signal)
  } catch (cause) {
    const message = `The flow could not make the input of "${name}": ${describeReason(cause)}`
    const failure = signal?.aborted
      ? cancelled(step, signal)
      : new StepError('input_error', name, message, { cause })
    const result = failureResult(step, failure)
    options.onEvent?.({ type: 'step-started', step: name })
    options.onEvent?.({ type: 'step-finished', step: name, result })
    return result
  }
  // The types of `defineFlow` have matched the input to the step.
  return runStep(step, stepInput as never, { ...options, results: context.results })
}

function failureResult({ name, diagnostics }: AnyStep, error: StepError): StepResult {
  return { ok: false, step: name, attempts: [], issues: [], usage: { ...noUsage }, diagnostics, error }
}
