/** A structured step: one call that the model is made to make, whose arguments are the step's output. */
import type { FilePart, ImagePart, TextPart } from '../model/conversation.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Signal } from '../runtime/host.ts'
import type { FromSchema } from '../runtime/tools/from-schema.ts'
import type { JsonSchema } from '../runtime/tools/json-schema.ts'
import type { StandardInput, StandardOutput, StandardSchema } from '../runtime/tools/standard-schema.ts'
import type { OutputSchema } from './output-schema.ts'
import type { TerminalCode } from './step-error.ts'
import type { Attempt, FoundIssue, Issue, IssueSeverity } from './step-result.ts'

/** Marks what `defineStep` made, and holds what only the runner needs, its types forgotten. */
export const stepMark: unique symbol = Symbol.for('toolwire.step')

export type Carrier = 'tool' | 'format'

/** An output is always an object, even where the schema is too complex to say more. */
type ObjectOf<T> = unknown extends T ? { [key: string]: unknown } : T

/** What the step gives: the schema's type, or what a Standard Schema makes of the model's output. */
export type OutputOf<Schema> = Schema extends StandardSchema
  ? StandardOutput<Schema>
  : ObjectOf<FromSchema<Schema>>

/** What the model writes and the sanitizer sees: before the transforms of a Standard Schema. */
type DraftOf<Schema> = Schema extends StandardSchema ? StandardInput<Schema> : ObjectOf<FromSchema<Schema>>

type WithoutPath<P> = P extends unknown ? Omit<P, 'path' | 'residue'> : never

/** A piece of a prompt: `{ kind: 'text', text }`, an image or a file. */
export type PromptPart = WithoutPath<TextPart | ImagePart | FilePart>

export type Prompt = string | readonly PromptPart[]

type Awaitable<T> = T | Promise<T>

/** Outputs of earlier steps by name. A step that failed is there, as `undefined`. */
export type EarlierResults = { readonly [step: string]: unknown }

export interface PromptContext {
  readonly results: EarlierResults
}

export interface AuditContext<Input = unknown, Output = unknown> {
  readonly input: Input
  /** The attempt that is being looked at, from 1. */
  readonly attempt: number
  /** The attempts before it, with their issues. */
  readonly earlier: readonly Attempt<Output>[]
  readonly results: EarlierResults
  readonly signal?: Signal
}

/** Looks at an output that fits its schema and has been sanitised. No issues means that it finds nothing wrong. */
export interface Audit<Output = unknown, Input = unknown> {
  readonly name: string
  audit(output: Output, context: AuditContext<Input, Output>): Awaitable<readonly Issue[]>
}

export interface PassContext<Input = unknown, Output = unknown> extends AuditContext<Input, Output> {
  readonly issues: readonly FoundIssue[]
  /** Those of the issues that `severityFilter` counts as failing. */
  readonly failing: readonly FoundIssue[]
}

export interface StepConfig<
  Schema extends object = object,
  Input = unknown,
  Name extends string = string,
  Stop extends boolean = boolean,
> {
  /** Names the step, and the tool that the model calls: letters, digits, `_` and `-`, at most 64. */
  readonly name: Name
  readonly description?: string | undefined
  /** JSON Schema or Standard Schema of what the model must give. The tool is built from it and nothing else. */
  readonly outputSchema: Schema
  /** What the model is told as its system. */
  readonly instructions?: string | ((input: Input) => Awaitable<string>) | undefined
  /** What the model is asked. Left out: the input itself, a text as it is and all else as JSON. */
  readonly prompt?: ((input: Input, context: PromptContext) => Awaitable<Prompt>) | undefined
  readonly sanitizeInput?: ((input: Input) => Awaitable<NoInfer<Input>>) | undefined
  /** May change values; what it returns is checked against the schema again. */
  readonly sanitizeOutput?:
    | ((output: DraftOf<Schema>, context: { readonly input: Input }) => Awaitable<DraftOf<Schema>>)
    | undefined
  readonly audits?: readonly Audit<OutputOf<Schema>, Input>[] | undefined
  /** How often the model is asked again after the first attempt. 3 unless stated. */
  readonly maxRetries?: number | undefined
  /** Failures that are retried besides those that the model can mend. */
  readonly alsoRetry?: readonly TerminalCode[] | undefined
  /** Whether a flow ends when this step fails. True unless stated. */
  readonly stopOnFailure?: Stop | undefined
  /** Issues of this severity or worse fail an attempt. `high` unless stated. */
  readonly severityFilter?: IssueSeverity | undefined
  /** Decides instead of `severityFilter` whether an audited output passes. */
  readonly passes?:
    | ((output: OutputOf<Schema>, context: PassContext<Input, OutputOf<Schema>>) => Awaitable<boolean>)
    | undefined
  /** Words the error of an attempt that its audits fail. */
  readonly failureReason?: ((issues: readonly FoundIssue[]) => string) | undefined
  /** The most tokens that one answer may have. */
  readonly maxTokens?: number | undefined
  /** `tool`: a call that the model is made to make. `format`: an answer in text that is bound to the schema. */
  readonly carrier?: Carrier | undefined
  /** Earlier steps whose results are shown to the model after the prompt. */
  readonly includeResults?: readonly string[] | undefined
}

export interface Step<
  in Input = never,
  out Output = unknown,
  out Name extends string = string,
  out Stop extends boolean = boolean,
> {
  readonly [stepMark]: StepParts
  readonly name: Name
  readonly description?: string
  /** The output schema as JSON Schema, as it was given. */
  readonly outputSchema: JsonSchema
  /** Whether the model is bound to the schema by strict mode. Where not, `diagnostics` say why. */
  readonly strict: boolean
  readonly carrier: Carrier
  readonly maxRetries: number
  readonly stopOnFailure: Stop
  readonly severityFilter: IssueSeverity
  readonly includeResults: readonly string[]
  /** What was changed in the schema for strict mode, or why that could not be. */
  readonly diagnostics: readonly Diagnostic[]
  /** For the compiler alone. */
  readonly '~types'?: { readonly input: (input: Input) => void; readonly output: Output }
}

/** Any step, its types forgotten. */
export type AnyStep = Step

/** The step's functions. Inputs and outputs are `unknown` here; `defineStep` has matched them to each other. */
export interface StepParts {
  readonly schema: OutputSchema
  readonly instructions?: (input: unknown) => Awaitable<string>
  readonly prompt?: (input: unknown, context: PromptContext) => Awaitable<Prompt>
  readonly sanitizeInput?: (input: unknown) => unknown
  readonly sanitizeOutput?: (output: unknown, context: { readonly input: unknown }) => unknown
  readonly audits: readonly Audit[]
  readonly passes?: (output: unknown, context: PassContext) => Awaitable<boolean>
  readonly failureReason?: (issues: readonly FoundIssue[]) => string
  readonly maxTokens?: number
  readonly alsoRetry: readonly TerminalCode[]
}

export function isStep(value: unknown): value is AnyStep {
  return typeof value === 'object' && value !== null && (value as Partial<AnyStep>)[stepMark] !== undefined
}
