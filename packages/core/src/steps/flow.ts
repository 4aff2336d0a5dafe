/** `defineFlow`: steps in order, where the typed outputs of earlier steps are inputs of later ones. */
import { refuseUnknownOptions } from '../json/known-options.ts'
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import { ToolError } from '../runtime/errors.ts'
import { readStepName } from './define-step.ts'
import { type AnyStep, isStep, type Step } from './step.ts'

/** What the input of a step is computed from. */
export interface FlowContext<Input, Outputs> {
  /** The flow's own input. */
  readonly input: Input
  /** The outputs so far, by step name. `undefined` for a step that failed without stopping the flow. */
  readonly results: Outputs
}

/** Where a step of a flow gets its input from, and under which name its output is known. */
export interface FlowStepOptions<Input, Outputs, StepInput, As extends string> {
  /** Another name for the step and its tool in this flow, so that a step can occur twice. */
  readonly as?: As | undefined
  readonly input: (context: FlowContext<Input, Outputs>) => StepInput | Promise<StepInput>
}

type AddOutput<Outputs, Name extends string, Output, Stop extends boolean> = Outputs & {
  readonly [K in Name]: Stop extends true ? Output : Output | undefined
}

/** Immutable: each call of `step` returns a new flow. */
export interface Flow<in Input, out Outputs> {
  readonly name: string
  readonly steps: readonly FlowStep[]
  /** Without options the step gets the flow's own input and keeps its name. */
  step<Output, const Name extends string, const Stop extends boolean>(
    step: Step<Input, Output, Name, Stop>,
  ): Flow<Input, AddOutput<Outputs, Name, Output, Stop>>
  step<
    StepInput,
    Output,
    const Name extends string,
    const Stop extends boolean,
    const As extends string = Name,
  >(
    step: Step<StepInput, Output, Name, Stop>,
    options: FlowStepOptions<Input, Outputs, NoInfer<StepInput>, As>,
  ): Flow<Input, AddOutput<Outputs, As, Output, Stop>>
  /** For the compiler alone. */
  readonly '~types'?: { readonly input: (input: Input) => void; readonly outputs: Outputs }
}

/** A step with its name and input in a flow, without its specific types. */
export interface FlowStep {
  readonly name: string
  readonly step: AnyStep
  input(context: FlowContext<unknown, { readonly [step: string]: unknown }>): unknown
}

/** Begins a flow of steps: `defineFlow<Brief>('brand').step(palette).step(logo, { input: ({ results }) => results.palette })` */
export function defineFlow<Input = unknown>(name: string): Flow<Input, unknown> {
  if (typeof name !== 'string' || name === '') {
    throw new ToolError('invalid_definition', `A flow must have a name; got ${show(name)}.`)
  }
  return flowOf(name, []) as Flow<Input, unknown>
}

/** The flow of a plain list of steps: each gets the flow's own input. */
export function flowOfSteps(steps: readonly AnyStep[]): AnyFlow {
  return flowOf(
    'flow',
    steps.reduce<readonly FlowStep[]>((list, step) => append('flow', list, step, {}), []),
  )
}

/** Any flow, without its specific types. */
export interface AnyFlow {
  readonly name: string
  readonly steps: readonly FlowStep[]
}

function flowOf(name: string, steps: readonly FlowStep[]): AnyFlow {
  const step = (added: AnyStep, options: unknown = {}): AnyFlow =>
    flowOf(name, append(name, steps, added, options))
  const flow = { name, steps, step }
  return Object.freeze(flow)
}

function append(
  flow: string,
  steps: readonly FlowStep[],
  step: AnyStep,
  options: unknown,
): readonly FlowStep[] {
  const mistake = (message: string): ToolError =>
    new ToolError('invalid_definition', `Flow "${flow}": ${message}`)
  if (!isStep(step)) throw mistake(`a step must come from defineStep(); got ${show(step)}.`)
  if (!isObject(options))
    throw mistake(`the options of "${step.name}" must be an object; got ${show(options)}.`)
  refuseUnknownOptions(`Flow "${flow}": step`, options, { as: true, input: true })
  const { as, input = (context: FlowContext<unknown, unknown>) => context.input } = options
  const name = readStepName(as ?? step.name)
  if (typeof input !== 'function')
    throw mistake(`"input" of "${name}" must be a function; got ${show(input)}.`)
  if (steps.some(other => other.name === name)) {
    throw mistake(`there is a step "${name}" already. Give the second one another name with "as".`)
  }
  for (const required of step.includeResults) {
    if (steps.some(other => other.name === required)) continue
    throw mistake(`"${name}" includes the result of "${required}", which is not a step before it.`)
  }
  const renamed = name === step.name ? step : Object.freeze({ ...step, name })
  return Object.freeze([...steps, { name, step: renamed, input: input as FlowStep['input'] }])
}
