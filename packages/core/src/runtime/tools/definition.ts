/** The forms in which a tool can be defined, and the types of arguments and results that follow from its schemas. */
import type { FromSchema } from './from-schema.ts'
import type { StandardInput, StandardOutput, StandardSchema } from './standard-schema.ts'
import type { ExecutionFacts, ToolAnnotations, ToolContext, ToolSpec } from './tool-spec.ts'

/** The default of a missing schema. */
export type NoSchema = { readonly type: 'object' }

/** What the handler is called with. Arguments are always an object, even if the type of the schema cannot be inferred. */
type ArgsOf<Source> = Source extends StandardSchema
  ? StandardOutput<Source>
  : unknown extends FromSchema<Source>
    ? { [key: string]: unknown }
    : FromSchema<Source>

/** What the handler returns; a Standard Schema then validates and transforms it. */
type ResultOf<Source> = [Source] extends [never]
  ? unknown
  : Source extends StandardSchema
    ? StandardInput<Source>
    : FromSchema<Source>

/** `schema` determines the types if there is also a JSON Schema. */
type ValidatingSchema<Parameters, Schema> = [Schema] extends [never] ? Parameters : Schema

/** Programs often write `undefined` for a field that they leave out. */
type OrUndefined<T> = { readonly [K in keyof T]?: T[K] | undefined }

interface DefinitionBase<Args, Output> extends OrUndefined<ExecutionFacts> {
  readonly title?: string | undefined
  /** JSON Schema or Standard Schema of the result. */
  readonly outputSchema?: Output | undefined
  readonly annotations?: ToolAnnotations | undefined
  handler?(args: Args, context: ToolContext): ResultOf<Output> | Promise<ResultOf<Output>>
}

/**
 * All fields on one level: this library's own form, MCP's (`inputSchema`) and Responses'. The schema types are only
 * `object`, because interfaces of other libraries have no index signature.
 */
interface FlatDefinition<Parameters extends object, Schema, Output>
  extends DefinitionBase<ArgsOf<ValidatingSchema<Parameters, Schema>>, Output> {
  readonly type?: 'function' | undefined
  readonly function?: never
  readonly name: string
  readonly description?: string | undefined
  readonly strict?: boolean | undefined
  /** JSON Schema or Standard Schema of the arguments. */
  readonly parameters?: Parameters | undefined
  /** MCP's name for `parameters`. Give one of them. */
  readonly inputSchema?: Parameters | undefined
  /** Validates the arguments. Give `parameters` as well if it cannot be converted to JSON Schema. */
  readonly schema?: Schema | undefined
}

/** The nested form of Chat Completions, with a handler on the outer level. */
interface NestedDefinition<Parameters extends object, Schema, Output>
  extends DefinitionBase<ArgsOf<ValidatingSchema<Parameters, Schema>>, Output> {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string | undefined
    readonly strict?: boolean | undefined
    readonly parameters?: Parameters | undefined
    readonly schema?: Schema | undefined
  }
}

/** A definition in either form. */
export type Definition<Parameters extends object, Schema, Output> =
  | FlatDefinition<Parameters, Schema, Output>
  | NestedDefinition<Parameters, Schema, Output>

/** The additional type of a definition with a handler. */
export interface WithHandler<Parameters, Schema, Output> {
  handler(
    args: ArgsOf<ValidatingSchema<Parameters, Schema>>,
    context: ToolContext,
  ): ResultOf<Output> | Promise<ResultOf<Output>>
}

/** The additional type of its tool, whose handler can also be called directly, without a context. */
export interface WithDirectHandler<Parameters, Schema, Output> {
  handler(
    args: ArgsOf<ValidatingSchema<Parameters, Schema>>,
    context?: ToolContext,
  ): ResultOf<Output> | Promise<ResultOf<Output>>
}

/** The tool that `defineTool` returns. */
export type DefinedTool<Parameters, Schema, Output> = ToolSpec<
  ArgsOf<ValidatingSchema<Parameters, Schema>>,
  ResultOf<Output>
>

/** Any definition, without its specific types. */
export type AnyDefinition = Definition<object, StandardSchema, object>
