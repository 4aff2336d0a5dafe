/**
 * Reads the fields of a definition and refuses what cannot be meant. A definition is the program's own and
 * may be an instance of a class, so fields are read through the prototype here.
 */
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import { kindOf } from './json-schema.ts'
import { nearest } from './near-names.ts'
import { ToolError } from './tool-error.ts'

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

/** The object that holds name and schema, and how its fields are called in messages. */
export interface Holder {
  readonly fields: JsonObject
  readonly prefix: string
}

/** Finds the holder: the definition itself, or its `function`. */
export function openHolder(definition: JsonObject): Holder {
  const inner = definition.function
  if (inner === undefined) {
    refuseTypos(definition, flatFields)
    return { fields: definition, prefix: '' }
  }
  if (!isObject(inner)) {
    throw new ToolError('invalid_definition', `"function" must be an object; got ${kindOf(inner)}.`)
  }
  for (const field of [...innerFields, 'inputSchema']) {
    if (definition[field] === undefined) continue
    throw new ToolError(
      'invalid_definition',
      `"${field}" stands beside "function", where it would be ignored. Move it inside "function".`,
    )
  }
  refuseTypos(definition, nestedFields)
  refuseTypos(inner, innerFields)
  return { fields: inner, prefix: 'function.' }
}

/** Unknown fields are let be, since MCP adds new ones; but one that nearly has a known name is a mistake. */
function refuseTypos(object: JsonObject, known: readonly string[]): void {
  for (const key of Object.keys(object)) {
    const [meant] = known.includes(key) ? [] : nearest(key, known)
    if (meant === undefined) continue
    throw new ToolError('invalid_definition', `There is no field "${key}". Did you mean "${meant}"?`)
  }
}

export function readName({ fields, prefix }: Holder): string {
  const { name } = fields
  if (typeof name === 'string' && name !== '') return name
  throw new ToolError('missing_name', `"${prefix}name" must be a non-empty string; got ${show(name)}.`)
}

export interface Reader {
  field<T>(key: string, what: string, fits: (value: unknown) => value is T): T | undefined
  string(key: string): string | undefined
  boolean(key: string): boolean | undefined
}

/** `null` counts as not given, as on the wires. */
export function createReader(tool: string, { fields, prefix }: Holder): Reader {
  const field: Reader['field'] = (key, what, fits) => {
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

function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return JSON.stringify(value)
  return kindOf(value)
}
