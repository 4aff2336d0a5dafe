/**
 * Tests whether the branches of a `oneOf` exclude each other. Only then is it equivalent to `anyOf`, which strict modes
 * support. Each proof holds for the schemas as written, before objects are closed.
 */
import { isObject, type JsonObject, own } from '../../json/object.ts'
import { canonical, listedValues, typeList, typeOf } from '../equal.ts'

/** Follows a branch's `$ref`; returns the branch itself if there is none. */
type Deref = (schema: unknown) => unknown

/** The limit on comparisons of two branches by one property; a larger union counts as not exclusive. */
const maxComparisons = 20_000

export function areExclusive(branches: readonly unknown[], follow: Deref): boolean {
  const followed = new Map<unknown, unknown>()
  const deref: Deref = schema => {
    if (!followed.has(schema)) followed.set(schema, follow(schema))
    return followed.get(schema)
  }
  const resolved = branches.map(deref)
  if (haveDiscriminator(resolved, deref)) return true
  const widest = resolved.reduce(
    (most: number, one) => Math.max(most, isObject(one) ? keysOf(one).length : 0),
    1,
  )
  if ((resolved.length ** 2 / 2) * widest > maxComparisons) return false
  const types = resolved.map(branch => possibleTypes(branch, deref, new Map()))
  return resolved.every((a, left) =>
    resolved.every((b, right) => right <= left || areDisjointSchemas(a, b, types[left], types[right], deref)),
  )
}

/** Fast path for discriminated unions: one property has different values in all branches. */
function haveDiscriminator(branches: readonly unknown[], deref: Deref): boolean {
  const [head] = branches
  const properties = isObject(head) ? own(head, 'properties') : undefined
  const areObjects = branches.every(branch => isObject(branch) && own(branch, 'type') === 'object')
  if (!isObject(properties) || !areObjects) return false
  return Object.keys(properties).some(key => {
    const taken = new Set<string>()
    return branches.every(branch => {
      const values =
        isObject(branch) && isRequired(branch, key) ? propertyValues(branch, key, deref) : undefined
      return values?.every(value => !taken.has(value) && taken.add(value) !== undefined) ?? false
    })
  })
}

type Types = readonly string[] | undefined

function areDisjointSchemas(a: unknown, b: unknown, left: Types, right: Types, deref: Deref): boolean {
  if (a === false || b === false) return true
  if (!isObject(a) || !isObject(b)) return false
  const shared =
    left === undefined || right === undefined ? undefined : left.filter(type => right.includes(type))
  if (shared?.length === 0) return true
  const [leftValues, rightValues] = [ownValues(a), ownValues(b)]
  if (leftValues !== undefined && rightValues !== undefined) return disjoint(leftValues, rightValues)
  // The remaining tests compare properties, so objects must be the only type that both accept.
  if (shared?.length !== 1 || shared[0] !== 'object') return false
  return (
    keysOf(a).some(key => differByProperty(key, a, b, deref)) ||
    forbidsRequired(a, b) ||
    forbidsRequired(b, a)
  )
}

function differByProperty(key: string, a: JsonObject, b: JsonObject, deref: Deref): boolean {
  if (!isRequired(a, key) && !isRequired(b, key)) return false
  const [left, right] = [propertyValues(a, key, deref), propertyValues(b, key, deref)]
  return left !== undefined && right !== undefined && disjoint(left, right)
}

/** Whether `other` requires a property that `closed` forbids. */
function forbidsRequired(closed: JsonObject, other: JsonObject): boolean {
  if (own(closed, 'additionalProperties') !== false || Object.hasOwn(closed, 'patternProperties'))
    return false
  const known = new Set(keysOf(closed))
  const required = own(other, 'required')
  return Array.isArray(required) && required.some(name => typeof name === 'string' && !known.has(name))
}

function keysOf(schema: JsonObject): string[] {
  const properties = own(schema, 'properties')
  return isObject(properties) ? Object.keys(properties) : []
}

function isRequired(schema: JsonObject, key: string): boolean {
  const required = own(schema, 'required')
  return Array.isArray(required) && required.includes(key)
}

function propertyValues(schema: JsonObject, key: string, deref: Deref): string[] | undefined {
  const properties = own(schema, 'properties')
  const property = isObject(properties) ? deref(own(properties, key)) : undefined
  return isObject(property) ? ownValues(property) : undefined
}

function ownValues(schema: JsonObject): string[] | undefined {
  return listedValues(schema)?.map(canonical)
}

function disjoint(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a)
  return !b.some(value => left.has(value))
}

/** The types that a schema accepts, with `integer` as `number`; `undefined` if it may accept any type. */
function possibleTypes(schema: unknown, deref: Deref, known: Map<unknown, Types>): Types {
  if (known.has(schema)) return known.get(schema)
  // A union that contains itself proves nothing about its types.
  known.set(schema, undefined)
  const node = deref(schema)
  const types = isObject(node) ? ownTypes(node, branch => possibleTypes(branch, deref, known)) : undefined
  known.set(schema, types)
  return types
}

function ownTypes(node: JsonObject, ofBranch: (branch: unknown) => Types): Types {
  const types = typeList(own(node, 'type'))
  if (types !== undefined) return types.map(type => (type === 'integer' ? 'number' : type))
  const values = listedValues(node)
  if (values !== undefined) return [...new Set(values.map(typeOf))]
  const branches = own(node, 'anyOf') ?? own(node, 'oneOf')
  if (!Array.isArray(branches)) return undefined
  const lists = branches.map(ofBranch)
  return lists.every(list => list !== undefined) ? [...new Set(lists.flat())] : undefined
}
