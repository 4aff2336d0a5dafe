/**
 * Merges two schemas that both apply into one that accepts exactly the same values, or returns `undefined` if there is
 * no such schema. The only exception is that objects get closed, which every strict schema does anyway.
 */
import { isObject, type JsonObject, own, setOwn } from '../../json/object.ts'
import { canonical, equal, hasType, typeList } from '../equal.ts'

type Merge = (a: unknown, b: unknown) => unknown

const fail = Symbol('cannot be merged')

export function mergeExact(a: JsonObject, b: JsonObject): JsonObject | undefined {
  if (!propertiesFit(a, b) || !propertiesFit(b, a)) return undefined
  const out: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(a)) {
    const merged = Object.hasOwn(b, keyword) ? mergeKeyword(keyword, value, b[keyword]) : value
    if (merged === fail) return undefined
    setOwn(out, keyword, merged)
  }
  for (const [keyword, value] of Object.entries(b))
    if (!Object.hasOwn(a, keyword)) setOwn(out, keyword, value)
  return reconcile(out)
}

/** A closed schema forbids properties that only the other one declares; merging is exact only if there are none. */
function propertiesFit(closed: JsonObject, other: JsonObject): boolean {
  const extra = own(closed, 'additionalProperties')
  if (extra === undefined || extra === true) return !Object.hasOwn(closed, 'patternProperties')
  const known = own(closed, 'properties')
  const names = isObject(known) ? known : {}
  const declared = own(other, 'properties')
  return isObject(declared) ? Object.keys(declared).every(name => Object.hasOwn(names, name)) : true
}

function mergeKeyword(keyword: string, a: unknown, b: unknown): unknown {
  if (equal(a, b)) return a
  return (merges.get(keyword) ?? (() => fail))(a, b)
}

const numbers =
  (pick: (a: number, b: number) => number): Merge =>
  (a, b) =>
    typeof a === 'number' && typeof b === 'number' ? pick(a, b) : fail

const first: Merge = a => a

const merges: ReadonlyMap<string, Merge> = new Map<string, Merge>([
  ['type', mergeTypes],
  ['enum', mergeValues],
  ['properties', mergeProperties],
  ['required', mergeRequired],
  [
    'additionalProperties',
    (a, b) => (a === false || b === false ? false : a === true ? b : b === true ? a : fail),
  ],
  ['items', mergeSchemas],
  ['minimum', numbers(Math.max)],
  ['exclusiveMinimum', numbers(Math.max)],
  ['minLength', numbers(Math.max)],
  ['minItems', numbers(Math.max)],
  ['minProperties', numbers(Math.max)],
  ['maximum', numbers(Math.min)],
  ['exclusiveMaximum', numbers(Math.min)],
  ['maxLength', numbers(Math.min)],
  ['maxItems', numbers(Math.min)],
  ['maxProperties', numbers(Math.min)],
  ['uniqueItems', (a, b) => a === true || b === true],
  ['description', (a, b) => (typeof a === 'string' && typeof b === 'string' ? `${a} ${b}` : a)],
  // The outer schema's annotations win; they do not affect which values are valid.
  ['title', first],
  ['default', first],
  ['examples', first],
  ['$comment', first],
  ['$schema', first],
  ['$id', first],
])

function mergeTypes(a: unknown, b: unknown): unknown {
  const [left, right] = [typeList(a), typeList(b)]
  if (left === undefined || right === undefined) return fail
  const both = left.flatMap(type => {
    if (right.includes(type)) return [type]
    if (type === 'number' && right.includes('integer')) return ['integer']
    return type === 'integer' && right.includes('number') ? ['integer'] : []
  })
  if (both.length === 0) return fail
  return both.length === 1 ? both[0] : [...new Set(both)]
}

function mergeValues(a: unknown, b: unknown): unknown {
  if (!Array.isArray(a) || !Array.isArray(b)) return fail
  const allowed = new Set(b.map(canonical))
  const both = a.filter(value => allowed.has(canonical(value)))
  return both.length === 0 ? fail : both
}

function mergeRequired(a: unknown, b: unknown): unknown {
  return Array.isArray(a) && Array.isArray(b) ? [...new Set([...a, ...b])] : fail
}

function mergeProperties(a: unknown, b: unknown): unknown {
  if (!isObject(a) || !isObject(b)) return fail
  const out: Record<string, unknown> = { ...a }
  for (const [key, member] of Object.entries(b)) {
    const merged = Object.hasOwn(a, key) ? mergeSchemas(a[key], member) : member
    if (merged === fail) return fail
    setOwn(out, key, merged)
  }
  return out
}

function mergeSchemas(a: unknown, b: unknown): unknown {
  if (equal(a, b)) return a
  if (a === true || (isObject(a) && Object.keys(a).length === 0)) return b
  if (b === true || (isObject(b) && Object.keys(b).length === 0)) return a
  if (!isObject(a) || !isObject(b)) return fail
  // A reference with siblings would have to be split again.
  if (Object.hasOwn(a, '$ref') || Object.hasOwn(b, '$ref')) return fail
  return mergeExact(a, b) ?? fail
}

/** Makes `enum`, `const` and `type` consistent if they came from different sides. */
function reconcile(schema: JsonObject): JsonObject | undefined {
  const types = typeList(own(schema, 'type'))
  const fits = (value: unknown): boolean => types === undefined || hasType(value, types)
  const values = own(schema, 'enum')
  if (Object.hasOwn(schema, 'const')) {
    if (!fits(schema.const)) return undefined
    if (Array.isArray(values) && !values.some(value => equal(value, schema.const))) return undefined
    return schema
  }
  if (!Array.isArray(values)) return schema
  const kept = values.filter(fits)
  if (kept.length === 0) return undefined
  return kept.length === values.length ? schema : { ...schema, enum: kept }
}
