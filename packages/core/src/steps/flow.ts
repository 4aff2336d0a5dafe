/** Steps in order, where the typed outputs of earlier ones feed the inputs of later ones. */
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import { ToolError } from '../runtime/tools/tool-error.ts'
import { readStepName } from './define-step.ts'
import type { AnyStep, Step } from './step.ts'
import { isStep } from './step.ts'

/** What the input of a step is made from. */
export interface FlowContext<Input, Outputs> {
  /** The flow's own input. */
  readonly input: Input
  /** The outputs so far, by the names of their steps. One that failed and let the flow go on is `undefined`. */
  readonly results: Outputs
}

/** How a step stands in a flow. */
export interface Place<Input, Outputs, StepInput, As extends string> {
  /** Another name for the step, and its tool, in this flow: for a step that stands in it twice. */
  readonly as?: As | undefined
  readonly input: (context: FlowContext<Input, Outputs>) => StepInput | Promise<StepInput>
}

type With<Outputs, Name extends string, Output, Stop extends boolean> = Outputs & {
  readonly [K in Name]: Stop extends true ? Output : Output | undefined
}

/** Immutable: each call of `step` gives a new flow. */
export interface Flow<in Input, out Outputs> {
  readonly name: string
  readonly steps: readonly FlowStep[]
  /** Without a place the step gets the flow's own input, and keeps its own name. */
  step<Output, const Name extends string, const Stop extends boolean>(
    step: Step<Input, Output, Name, Stop>,
  ): Flow<Input, With<Outputs, Name, Output, Stop>>
  step<
    StepInput,
    Output,
    const Name extends string,
    const Stop extends boolean,
    const As extends string = Name,
  >(
    step: Step<StepInput, Output, Name, Stop>,
    place: Place<Input, Outputs, NoInfer<StepInput>, As>,
  ): Flow<Input, With<Outputs, As, Output, Stop>>
  /** For the compiler alone. */
  readonly '~types'?: { readonly input: (input: Input) => void; readonly outputs: Outputs }
}

/** A step in its place, its types forgotten. */
export interface FlowStep {
  readonly name: string
  readonly step: AnyStep
  input(context: FlowContext<unknown, { readonly [step: string]: unknown }>): unknown
}

/** `defineFlow<Brief>('brand').step(palette).step(logo, { input: ({ results }) => results.palette })` */
export function defineFlow<Input = unknown>(name: string): Flow<Input, unknown> {
  if (typeof name !== 'string' || name === '') {
    throw new ToolError('invalid_definition', `A flow must have a name; got ${show(name)}.`)
  }
  return flowOf(name, []) as Flow<Input, unknown>
}

/** The flow that a plain list of steps means: each gets the flow's own input. */
export function flowOfSteps(steps: readonly AnyStep[]): AnyFlow {
  return flowOf(
    'flow',
    steps.reduce<readonly FlowStep[]>((list, step) => append('flow', list, step, {}), []),
  )
}

/** Any flow, its types forgotten. */
export interface AnyFlow {
  readonly name: string
  readonly steps: readonly FlowStep[]
}

function flowOf(name: string, steps: readonly FlowStep[]): AnyFlow {
  const step = (added: AnyStep, place: unknown = {}): AnyFlow =>
    flowOf(name, append(name, steps, added, place))
  const flow = { name, steps, step }
  return Object.freeze(flow)
}

function append(
  flow: string,
  steps: readonly FlowStep[],
  step: AnyStep,
  place: unknown,
): readonly FlowStep[] {
  const mistake = (message: string): ToolError =>
    new ToolError('invalid_definition', `Flow "${flow}": ${message}`)
  if (!isStep(step)) throw mistake(`a step must come from defineStep(); got ${show(step)}.`)
  if (!isObject(place)) throw mistake(`the place of "${step.name}" must be an object; got ${show(place)}.`)
  const { as, input = ownInput } = place
  const name = readStepName(as ?? step.name)
  if (typeof input !== 'function')
    throw mistake(`"input" of "${name}" must be a function; got ${show(input)}.`)
  if (steps.some(other => other.name === name)) {
    throw mistake(`there is a step "${name}" already. Give the second one another name with "as".`)
  }
  for (const wanted of step.includeResults) {
    if (steps.some(other => other.name === wanted)) continue
    throw mistake(`"${name}" includes the result of "${wanted}", which is not a step before it.`)
  }
  const placed = name === step.name ? step : Object.freeze({ ...step, name })
  return Object.freeze([...steps, { name, step: placed, input: input as FlowStep['input'] }])
}

function ownInput({ input }: FlowContext<unknown, unknown>): unknown {
  return input
}
