/** The shapes a tool may be defined in, and the types that follow from the schemas in them. */
import type { FromSchema } from './from-schema.ts'
import type { StandardInput, StandardOutput, StandardSchema } from './standard-schema.ts'
import type { ExecutionFacts, ToolAnnotations, ToolContext, ToolSpec } from './tool-spec.ts'

/** Stands for a schema that was not given. */
export type NoSchema = { readonly type: 'object' }

/** What the handler is called with. A call's arguments are always an object, even where the schema is too complex to say more. */
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

/** `schema` decides the types when it is given beside a JSON Schema. */
type ValidatingSchema<Parameters, Schema> = [Schema] extends [never] ? Parameters : Schema

/** Definitions often come from code that writes `undefined` for what it leaves out. */
type OrUndefined<T> = { readonly [K in keyof T]?: T[K] | undefined }

interface DefinitionBase<Args, Output> extends OrUndefined<ExecutionFacts> {
  readonly title?: string | undefined
  /** JSON Schema or Standard Schema of the result. */
  readonly outputSchema?: Output | undefined
  readonly annotations?: ToolAnnotations | undefined
  handler?(args: Args, context: ToolContext): ResultOf<Output> | Promise<ResultOf<Output>>
}

/**
 * A tool with its fields side by side: this library's own form, MCP's (`inputSchema`), and Responses'. The
 * schema types are only `object` because interfaces of other libraries lack an index signature.
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
  /** The same as `parameters`, by MCP's name. Give one of them. */
  readonly inputSchema?: Parameters | undefined
  /** Validates the arguments. Give `parameters` beside it when it cannot describe itself as JSON Schema. */
  readonly schema?: Schema | undefined
}

/** The nested form of Chat Completions, with a handler beside it. */
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

/** A definition in either shape. */
export type Definition<Parameters extends object, Schema, Output> =
  | FlatDefinition<Parameters, Schema, Output>
  | NestedDefinition<Parameters, Schema, Output>

/** What a definition with a handler has besides. */
export interface WithHandler<Parameters, Schema, Output> {
  handler(
    args: ArgsOf<ValidatingSchema<Parameters, Schema>>,
    context: ToolContext,
  ): ResultOf<Output> | Promise<ResultOf<Output>>
}

/** What the tool made of it has besides: its handler can also be called directly, without a context. */
export interface WithDirectHandler<Parameters, Schema, Output> {
  handler(
    args: ArgsOf<ValidatingSchema<Parameters, Schema>>,
    context?: ToolContext,
  ): ResultOf<Output> | Promise<ResultOf<Output>>
}

/** The tool that a definition makes. */
export type DefinedTool<Parameters, Schema, Output> = ToolSpec<
  ArgsOf<ValidatingSchema<Parameters, Schema>>,
  ResultOf<Output>
>

/** Any definition, its types forgotten. */
export type AnyDefinition = Definition<object, StandardSchema, object>
