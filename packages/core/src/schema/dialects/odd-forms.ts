/** Finds in one cheap walk what a server would refuse in a schema, so that sound schemas are not copied. */
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import { jsonTypes } from '../equal.ts'
import { eachSubschema, isSchema, maxDepth } from '../walk.ts'

export interface OddForms {
  /** Something that `normalize` rewrites. */
  odd: boolean
  /** An array without `items`. */
  bareArrays: boolean
  /** A keyword whose value cannot be right, such as `properties: 5`. Nobody can tell what it means. */
  invalid: boolean
}

export function findOddForms(schema: unknown): OddForms {
  const found: OddForms = { odd: false, bareArrays: false, invalid: false }
  if (isObject(schema)) look(schema, found, 0)
  return found
}

/** What lies too deep is not looked at, and is left as it is. */
function look(node: JsonObject, found: OddForms, depth: number): void {
  if (depth > maxDepth) return
  let isArray = false
  let hasItems = false
  for (const keyword of Object.keys(node)) {
    const value = node[keyword]
    if (isOddValue(keyword, value)) found.odd = true
    else if (isInvalidValue(keyword, value)) found.invalid = true
    if (keyword === 'type') isArray = value === 'array' || (Array.isArray(value) && value.includes('array'))
    if (keyword === 'items' || keyword === 'prefixItems') hasItems = true
    if (typeof value === 'object') eachSubschema(keyword, value, child => look(child, found, depth + 1))
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
    default:
      return false
  }
}
