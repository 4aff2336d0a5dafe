/** Finds in one cheap walk what a server would refuse in a schema, so that sound schemas are not copied. */
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import { jsonTypes } from '../equal.ts'
import { eachSubschema, isSchema, maxDepth } from '../walk.ts'

export interface OddForms {
  /** Something that `normalize` or `fitItems` rewrites. */
  odd: boolean
  /** An array without `items`. */
  bareArrays: boolean
  /** A keyword whose value cannot be right, such as `properties: 5`. Nobody can tell what it means. */
  invalid: boolean
}

export function findOddForms(schema: unknown): OddForms {
  const found: OddForms = { odd: false, bareArrays: false, invalid: false }
  let depth = 0
  // One function for the whole schema: this is done for every tool of every request.
  const lookInside = (node: JsonObject): void => {
    // What lies too deep is not looked at, and is left as it is.
    if (depth > maxDepth) return
    depth++
    look(node, found, lookInside)
    depth--
  }
  if (isObject(schema)) lookInside(schema)
  return found
}

function look(node: JsonObject, found: OddForms, lookInside: (child: JsonObject) => void): void {
  let isArray = false
  let hasItems = false
  for (const keyword of Object.keys(node)) {
    const value = node[keyword]
    // Most of a schema is this, and right.
    if (keyword === 'description' && typeof value === 'string') continue
    if (keyword === 'type' && typeof value === 'string' && jsonTypes.has(value)) {
      isArray = value === 'array'
      continue
    }
    if (isOddValue(keyword, value)) found.odd = true
    else if (isInvalidValue(keyword, value)) found.invalid = true
    if (keyword === 'type') isArray = Array.isArray(value) && value.includes('array')
    if (keyword === 'items' || keyword === 'prefixItems') hasItems = true
    if (typeof value === 'object') eachSubschema(keyword, value, lookInside)
  }
  if (isArray && !hasItems) found.bareArrays = true
}

function isOddValue(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case 'type':
      if (typeof value === 'string') return !jsonTypes.has(value)
      return !Array.isArray(value) || value.length === 0 || !value.every(type => jsonTypes.has(type))
    case 'nullable':
    case 'required':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return typeof value === 'boolean'
    case 'items':
      return Array.isArray(value)
    default:
      return false
  }
}

/** Whether the value of a keyword has a type that JSON Schema does not allow there. */
export function isInvalidValue(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case 'properties':
      return !isObject(value) || !Object.values(value).every(isSchema)
    case 'required':
      // A flag is an older form of it.
      if (typeof value === 'boolean') return false
      return !Array.isArray(value) || !value.every(name => typeof name === 'string')
    case 'enum':
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return !Array.isArray(value)
    case 'items':
      // A list is an older form of it.
      return !isSchema(value) && !Array.isArray(value)
    case 'not':
    case 'additionalProperties':
      return !isSchema(value)
    case '$ref':
    case 'pattern':
    case 'description':
      return typeof value !== 'string'
    case 'minimum':
    case 'maximum':
    case 'multipleOf':
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
      return typeof value !== 'number'
    default:
      return false
  }
}
