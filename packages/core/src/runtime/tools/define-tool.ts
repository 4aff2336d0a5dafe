/**
 * `defineTool`: makes a tool from any common form: JSON Schema, a schema library, Chat's nested definition, an MCP
 * tool. Mistakes in a definition are thrown here, before a model sees the tool.
 */
import { findNonJson } from '../../json/non-json.ts'
import { compact, isObject, type JsonObject } from '../../json/object.ts'
import { show } from '../../json/text.ts'
import { ToolError } from '../errors.ts'
import type { DefinedTool, Definition, NoSchema, WithDirectHandler, WithHandler } from './definition.ts'
import { type JsonSchema, toJsonSchema } from './json-schema.ts'
import { createReader, type FieldSource, findFields, readName } from './read-definition.ts'
import { isStandardSchema, type StandardSchema } from './standard-schema.ts'
import { detachedContext, isToolSpec, type ToolAnnotations, type ToolSpec, toolMark } from './tool-spec.ts'

type Handler = NonNullable<ToolSpec['handler']>

/**
 * Defines a tool once, for every wire. A tool that is already defined is returned unchanged.
 *
 * @example
 * ```js
 * import { defineTool } from '@toolwire/core'
 *
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers',
 *   parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
 *   handler: ({ a, b }) => a + b, // a and b are inferred as numbers
 * })
 * console.log(add.name, await add.handler({ a: 2, b: 3 }))
 * ```
 */
export function defineTool<Tool extends ToolSpec>(tool: Tool): Tool
export function defineTool<
  const Parameters extends object = NoSchema,
  Schema extends StandardSchema = never,
  const Output extends object = never,
>(
  definition: Definition<Parameters, Schema, Output> & WithHandler<Parameters, Schema, Output>,
): DefinedTool<Parameters, Schema, Output> & WithDirectHandler<Parameters, Schema, Output>
export function defineTool<
  const Parameters extends object = NoSchema,
  Schema extends StandardSchema = never,
  const Output extends object = never,
>(definition: Definition<Parameters, Schema, Output>): DefinedTool<Parameters, Schema, Output>
export function defineTool(definition: unknown): ToolSpec {
  if (isToolSpec(definition)) return freezeTool(definition)
  if (!isObject(definition)) {
    throw new ToolError('invalid_definition', `A tool definition must be an object; got ${show(definition)}.`)
  }
  const { type, outputSchema } = definition
  if (type !== undefined && type !== 'function') {
    throw new ToolError(
      'invalid_definition',
      `"type" must be "function" or left out; got ${JSON.stringify(type)}. Only functions can be defined here.`,
    )
  }
  const source = findFields(definition)
  const name = readName(source)
  const inner = createReader(name, source)
  const outer = createReader(name, { fields: definition, prefix: '' })
  const schema = readSchema(source, name)
  const annotations = outer.field('annotations', 'an object', isObject)
  return Object.freeze<ToolSpec>({
    [toolMark]: true,
    name,
    parameters: readParameters(source, name),
    ...compact({
      title: outer.string('title'),
      description: inner.string('description'),
      outputSchema: (outputSchema ?? undefined) && readOutputSchema(outputSchema, name),
      strict: inner.boolean('strict'),
      annotations: annotations && Object.freeze<ToolAnnotations>({ ...annotations }),
      parallel: outer.boolean('parallel') ?? (annotations?.readOnlyHint === true || undefined),
      idempotent: outer.boolean('idempotent') ?? isIdempotent(annotations),
      timeoutMs: outer.field('timeoutMs', 'a positive number', isPositive),
      needsApproval: outer.boolean('needsApproval'),
      validateArguments: schema && validatorOf(schema),
      validateResult: isStandardSchema(outputSchema) ? validatorOf(outputSchema) : undefined,
      handler: bindTo(definition, outer.field('handler', 'a function', isHandler), name),
    }),
  })
}

/** Every member of a list as a tool that can be sent, in whatever form `defineTool` takes. */
export function defineTools(tools: unknown): ToolSpec[] {
  if (typeof tools === 'object' && tools !== null && Symbol.iterator in tools)
    return Array.from(tools as Iterable<ToolSpec>, tool => sendable(defineTool(tool)))
  const remedy = isObject(tools) ? ' Put the tool into a list.' : ''
  throw new ToolError('not_a_list', `Tools must be given as a list; got ${show(tools)}.${remedy}`)
}

function sendable(tool: ToolSpec): ToolSpec {
  const { name, parameters, outputSchema } = tool
  const problem = findNonJson({ parameters, outputSchema })
  if (problem === undefined) return tool
  throw new ToolError('invalid_definition', `Tool "${name}": ${problem.message}`)
}

/** A copy made by `{ ...tool, name }` is not frozen, and its name has not been checked. */
function freezeTool(tool: ToolSpec): ToolSpec {
  readName({ fields: { name: tool.name }, prefix: '' })
  return Object.isFrozen(tool) ? tool : Object.freeze({ ...tool })
}

function readSchema({ fields, prefix }: FieldSource, name: string): StandardSchema | undefined {
  const { schema, parameters, inputSchema } = fields
  if (isStandardSchema(schema)) return schema
  if (schema === undefined || schema === null) return [parameters, inputSchema].find(isStandardSchema)
  throw new ToolError(
    'invalid_definition',
    `Tool "${name}": "${prefix}schema" must be a Standard Schema. Give JSON Schema as "${prefix}parameters".`,
  )
}

const noParameters: JsonSchema = { type: 'object', properties: {} }
/** What strict mode demands of an object without properties. */
const strictNoParameters: JsonSchema = { ...noParameters, required: [], additionalProperties: false }

function readParameters({ fields, prefix }: FieldSource, name: string): JsonSchema {
  const isPresent = (key: string): boolean => fields[key] !== undefined && fields[key] !== null
  const [key, second] = ['parameters', 'inputSchema', 'schema'].filter(isPresent)
  if (key === 'parameters' && second === 'inputSchema') {
    throw new ToolError(
      'invalid_definition',
      `Tool "${name}": "parameters" and "inputSchema" mean the same. Give one of them.`,
    )
  }
  const label = `Tool "${name}": "${prefix}${key}"`
  const remedy = `You can give the JSON Schema as "${prefix}parameters" and the schema that validates as "${prefix}schema".`
  const none = fields.strict === true ? strictNoParameters : noParameters
  const source = key === undefined ? none : fields[key]
  const parameters = toJsonSchema(source, { label, side: 'input', remedy })
  const { type } = parameters
  const describesObject = Array.isArray(type) ? type.includes('object') : type === 'object'
  if (type === undefined || describesObject) return parameters
  throw new ToolError(
    'parameters_not_object',
    `${label} must describe an object, because a call's arguments are one; its type is ${JSON.stringify(type)}.`,
  )
}

function readOutputSchema(source: unknown, name: string): JsonSchema {
  const remedy = 'You can give the output schema as JSON Schema.'
  return toJsonSchema(source, { label: `Tool "${name}": "outputSchema"`, side: 'output', remedy })
}

/** A read-only tool can be repeated. MCP defines `idempotentHint` only for tools that are not read-only. */
function isIdempotent(annotations: JsonObject | undefined): boolean | undefined {
  if (annotations?.readOnlyHint === true) return true
  return typeof annotations?.idempotentHint === 'boolean' ? annotations.idempotentHint : undefined
}

function validatorOf(schema: StandardSchema): NonNullable<ToolSpec['validateArguments']> {
  return value => schema['~standard'].validate(value)
}

/** A handler written as a method gets the definition as `this`. */
function bindTo(definition: JsonObject, handler: Handler | undefined, name: string): Handler | undefined {
  return (
    handler &&
    ((args, context = detachedContext(name)) => Reflect.apply(handler, definition, [args, context]))
  )
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function'
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && Number.isFinite(value)
}
