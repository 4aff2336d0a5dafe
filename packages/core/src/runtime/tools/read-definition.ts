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
  ['input_schema', 'inputSchema'],
  ['output_schema', 'outputSchema'],
  ['args', 'parameters'],
  ['timeout', 'timeoutMs'],
])

/**
 * Unknown fields are ignored, since MCP adds new ones and a handler may use fields of its own. But what looks like a typo is
 * one, and without a handler so is a function, or the name that a field has elsewhere.
 */
function refuseTypos(object: JsonObject, known: readonly string[]): void {
  const hasHandler = object.handler !== undefined
  for (const [key, value] of Object.entries(object)) {
    if (known.includes(key)) continue
    const other = typeof value === 'function' ? 'handler' : otherNames.get(key)
    const suggestion = nearestNames(key, known)[0] ?? (hasHandler ? undefined : other)
    if (suggestion === undefined) continue
    throw new ToolError('invalid_definition', `A tool has no field "${key}". Did you mean "${suggestion}"?`)
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
