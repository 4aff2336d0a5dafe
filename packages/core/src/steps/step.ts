/** The types of a structured step: one forced call, whose arguments are the output of the step. */
import type { FilePart, ImagePart, TextPart } from '../model/conversation.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Signal } from '../runtime/host.ts'
import type { FromSchema } from '../runtime/tools/from-schema.ts'
import type { JsonSchema } from '../runtime/tools/json-schema.ts'
import type { StandardInput, StandardOutput, StandardSchema } from '../runtime/tools/standard-schema.ts'
import type { OutputSchema } from './output-schema.ts'
import type { TerminalCode } from './step-error.ts'
import type { Attempt, FoundIssue, Issue, IssueSeverity } from './step-result.ts'

/** Marks objects made by `defineStep`, and holds what only the runner needs, without specific types. */
export const stepMark: unique symbol = Symbol.for('toolwire.step')

/** How a step's output is asked for: as the arguments of a tool, or as the format of the answer. */
export type Carrier = 'tool' | 'format'

/** An output is always an object, even if the type of the schema cannot be inferred. */
type ObjectOf<T> = unknown extends T ? { [key: string]: unknown } : T

/** The output of the step: the type of the JSON Schema, or the output type of a Standard Schema. */
export type OutputOf<Schema> = Schema extends StandardSchema
  ? StandardOutput<Schema>
  : ObjectOf<FromSchema<Schema>>

/** What the model writes and the sanitizer gets: before the transforms of a Standard Schema. */
type DraftOf<Schema> = Schema extends StandardSchema ? StandardInput<Schema> : ObjectOf<FromSchema<Schema>>

type WithoutPath<P> = P extends unknown ? Omit<P, 'path' | 'residue'> : never

/** A part of a prompt: `{ kind: 'text', text }`, an image or a file. */
export type PromptPart = WithoutPath<TextPart | ImagePart | FilePart>

/** What a step says to the model. */
export type Prompt = string | readonly PromptPart[]

type Awaitable<T> = T | Promise<T>

/** Outputs of earlier steps by name; `undefined` for a failed one. */
export type EarlierResults = { readonly [step: string]: unknown }

/** What a prompt can use beside its input. */
export interface PromptContext {
  readonly results: EarlierResults
}

/** What an audit knows beside the output it judges. */
export interface AuditContext<Input = unknown, Output = unknown> {
  readonly input: Input
  /** The number of the current attempt, from 1. */
  readonly attempt: number
  /** The attempts before it, with their issues. */
  readonly earlier: readonly Attempt<Output>[]
  readonly results: EarlierResults
  readonly signal?: Signal
}

/** Examines an output that has been validated and sanitized. An empty list means that nothing is wrong. */
export interface Audit<Output = unknown, Input = unknown> {
  readonly name: string
  audit(output: Output, context: AuditContext<Input, Output>): Awaitable<readonly Issue[]>
}

/** What a sanitizer or audit of a later pass knows beside its output. */
export interface PassContext<Input = unknown, Output = unknown> extends AuditContext<Input, Output> {
  readonly issues: readonly FoundIssue[]
  /** The issues that fail the attempt according to `severityFilter`. */
  readonly failing: readonly FoundIssue[]
}

/** Prompt, schema, sanitizers and audits of a step. */
export interface StepConfig<
  Schema extends object = object,
  Input = unknown,
  Name extends string = string,
  Stop extends boolean = boolean,
> {
  /** The name of the step and of the tool that the model calls: letters, digits, `_` and `-`, at most 64. */
  readonly name: Name
  readonly description?: string | undefined
  /** JSON Schema or Standard Schema of the output. It is the only source of the tool's parameters. */
  readonly outputSchema: Schema
  /** The system prompt. */
  readonly instructions?: string | ((input: Input) => Awaitable<string>) | undefined
  /** The user prompt. Default: the input, a string unchanged and anything else as JSON. */
  readonly prompt?: ((input: Input, context: PromptContext) => Awaitable<Prompt>) | undefined
  readonly sanitizeInput?: ((input: Input) => Awaitable<NoInfer<Input>>) | undefined
  /** May change values; its result is validated against the schema again. */
  readonly sanitizeOutput?:
    | ((output: DraftOf<Schema>, context: { readonly input: Input }) => Awaitable<DraftOf<Schema>>)
    | undefined
  readonly audits?: readonly Audit<OutputOf<Schema>, Input>[] | undefined
  /** The maximum number of further attempts after the first. Default: 3. */
  readonly maxRetries?: number | undefined
  /** Failures that are retried in addition to those that the model can correct. */
  readonly alsoRetry?: readonly TerminalCode[] | undefined
  /** Whether a flow ends when this step fails. Default: true. */
  readonly stopOnFailure?: Stop | undefined
  /** Issues of this severity or higher fail an attempt. Default: `high`. */
  readonly severityFilter?: IssueSeverity | undefined
  /** Decides instead of `severityFilter` whether an audited output passes. */
  readonly passes?:
    | ((output: OutputOf<Schema>, context: PassContext<Input, OutputOf<Schema>>) => Awaitable<boolean>)
    | undefined
  /** Returns the error message of an attempt that failed its audits. */
  readonly failureReason?: ((issues: readonly FoundIssue[]) => string) | undefined
  /** The maximum number of tokens of one answer. */
  readonly maxTokens?: number | undefined
  /** `tool`: a forced call. `format`: a text answer with the schema as its output format. */
  readonly carrier?: Carrier | undefined
  /** Earlier steps whose results are appended to the prompt. */
  readonly includeResults?: readonly string[] | undefined
}

/** A request whose answer must fit an output schema. */
export interface Step<
  in Input = never,
  out Output = unknown,
  out Name extends string = string,
  out Stop extends boolean = boolean,
> {
  readonly [stepMark]: StepParts
  readonly name: Name
  readonly description?: string
  /** The output schema as JSON Schema, before changes for strict mode. */
  readonly outputSchema: JsonSchema
  /** Whether strict mode is used. If not, `diagnostics` has the reason. */
  readonly strict: boolean
  readonly carrier: Carrier
  readonly maxRetries: number
  readonly stopOnFailure: Stop
  readonly severityFilter: IssueSeverity
  readonly includeResults: readonly string[]
  /** What was changed in the schema for strict mode, or why strict mode is not possible. */
  readonly diagnostics: readonly Diagnostic[]
  /** For the compiler alone. */
  readonly '~types'?: { readonly input: (input: Input) => void; readonly output: Output }
}

/** Any step, without its specific types. */
export type AnyStep = Step

/** The functions of the step. Inputs and outputs are `unknown` here; the types of `defineStep` have matched them. */
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
