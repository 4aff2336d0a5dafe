/**
 * Reads the fields of a definition and throws for typos and wrong types. A definition comes from the program itself and
 * may be a class instance, so inherited fields count here.
 */

import { nearestNames } from '../../json/nearest-names.ts'
import { isObject, type JsonObject } from '../../json/object.ts'
import { show } from '../../json/text.ts'
import { ToolError } from '../errors.ts'

const sharedFields = [
  'type',
  'title',
  'outputSchema',
  'annotations',
  'handler',
  'parallel',
  'idempotent',
  'timeoutMs',
  'needsApproval',
]
const innerFields = ['name', 'description', 'strict', 'parameters', 'schema']
const nestedFields = [...sharedFields, 'function']
const flatFields = [...sharedFields, ...innerFields, 'inputSchema']

/** The object that has the name and the schema, and the prefix of its fields in messages. */
export interface FieldSource {
  readonly fields: JsonObject
  readonly prefix: string
}

/** Returns the definition itself, or its `function` in the nested form. */
export function findFields(definition: JsonObject): FieldSource {
  const inner = definition.function
  if (inner === undefined) {
    refuseTypos(definition, flatFields)
    return { fields: definition, prefix: '' }
  }
  if (!isObject(inner)) {
    throw new ToolError('invalid_definition', `"function" must be an object; got ${show(inner)}.`)
  }
  for (const field of [...innerFields, 'inputSchema']) {
    if (definition[field] === undefined) continue
    throw new ToolError(
      'invalid_definition',
      `"${field}" is beside "function", where it would be ignored. Move it inside "function".`,
    )
  }
  refuseTypos(definition, nestedFields)
  refuseTypos(inner, innerFields)
  return { fields: inner, prefix: 'function.' }
}

/** What other libraries and wires call a field. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['execute', 'handler'],
  ['run', 'handler'],
  ['invoke', 'handler'],
  ['callback', 'handler'],
  ['func', 'handler'],
  ['fn', 'handler'],
  ['implementation', 'handler'],
  ['input_schema', 'inputSchema'],
  ['output_schema', 'outputSchema'],
  ['args', 'parameters'],
  ['timeout', 'timeoutMs'],
])

/** Fields of MCP tools that are of no use here. */
const ofMcp: readonly string[] = ['_meta', 'icons', 'execution']

/**
 * With a handler it is a program's own definition, in which every unknown field is a mistake. Without one it may come
 * from elsewhere, such as an MCP server, which adds new fields: then only functions and what looks like a typo are.
 */
function refuseTypos(object: JsonObject, known: readonly string[]): void {
  const isOwn = typeof object.handler === 'function'
  for (const [key, value] of Object.entries(object)) {
    if (known.includes(key) || ofMcp.includes(key)) continue
    const suggestion = otherNames.get(key) ?? nearestNames(key, known)[0]
    const isFunction = typeof value === 'function'
    if (suggestion === undefined && !isOwn && !isFunction) continue
    const other = suggestion ?? (isFunction && !isOwn ? 'handler' : undefined)
    const remedy = other === undefined ? `The fields are: ${known.join(', ')}.` : `Did you mean "${other}"?`
    throw new ToolError('invalid_definition', `A tool has no field "${key}". ${remedy}`)
  }
}

export function readName({ fields, prefix }: FieldSource): string {
  const { name } = fields
  if (typeof name === 'string' && name !== '') return name
  throw new ToolError('missing_name', `"${prefix}name" must be a non-empty string; got ${show(name)}.`)
}

export interface FieldReader {
  field<T>(key: string, what: string, fits: (value: unknown) => value is T): T | undefined
  string(key: string): string | undefined
  boolean(key: string): boolean | undefined
}

/** `null` counts as absent, as on the wires. */
export function createReader(tool: string, { fields, prefix }: FieldSource): FieldReader {
  const field: FieldReader['field'] = (key, what, fits) => {
    const value = fields[key] ?? undefined
    if (value === undefined || fits(value)) return value
    throw new ToolError(
      'invalid_definition',
      `Tool "${tool}": "${prefix}${key}" must be ${what}; got ${show(value)}.`,
    )
  }
  return {
    field,
    string: key => field(key, 'a string', value => typeof value === 'string'),
    boolean: key => field(key, 'true or false', value => typeof value === 'boolean'),
  }
}
