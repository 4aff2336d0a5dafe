/**
 * How deep the shallowest value of each schema is. A sample that has grown deep goes on by the shallowest way,
 * which is how recursive schemas come to an end.
 */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import { listedValues, typeList } from '../../schema/equal.ts'
import type { RefIndex } from '../../schema/refs/refs.ts'

export type Heights = (schema: unknown) => number

const endless = Number.POSITIVE_INFINITY
const rounds = 100

export function findHeights(refs: RefIndex): Heights {
  const known = new Map<JsonObject, number>()
  const heightOf: Heights = schema => {
    if (schema === false) return endless
    return isObject(schema) ? (known.get(schema) ?? endless) : 0
  }
  // Children stand after their parents in the index, so going backwards settles most of it in one round.
  const schemas = [...refs.schemas].reverse()
  for (let round = 0, isStable = false; !isStable && round < rounds; round++) {
    isStable = true
    for (const [schema, resource] of schemas) {
      const height = measureHeight(schema, resource, refs, heightOf)
      if (height === heightOf(schema)) continue
      known.set(schema, height)
      isStable = false
    }
  }
  return heightOf
}

function measureHeight(schema: JsonObject, resource: JsonObject, refs: RefIndex, heightOf: Heights): number {
  if (listedValues(schema) !== undefined) return 0
  const ref = own(schema, '$ref')
  const target = typeof ref === 'string' ? refs.resolve(ref, resource) : undefined
  const parts = [ownHeight(schema, heightOf), target === undefined ? 0 : heightOf(target.schema)]
  for (const member of listOf(schema, 'allOf')) parts.push(heightOf(member))
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = listOf(schema, keyword)
    if (branches.length > 0) parts.push(Math.min(...branches.map(heightOf)))
  }
  return Math.max(...parts)
}

/** A schema that takes anything but objects and arrays has values without depth. */
function ownHeight(schema: JsonObject, heightOf: Heights): number {
  const types = typeList(own(schema, 'type')) ?? impliedTypes(schema)
  if (types.length === 0) return 0
  return Math.min(...types.map(type => heightByType(type, schema, heightOf)))
}

function impliedTypes(schema: JsonObject): string[] {
  return Object.hasOwn(schema, 'properties') ? ['object'] : []
}

export function heightByType(type: string, schema: JsonObject, heightOf: Heights): number {
  if (type === 'object') {
    const properties = own(schema, 'properties')
    const members = listOf(schema, 'required').map(key =>
      isObject(properties) && typeof key === 'string' ? heightOf(own(properties, key)) : 0,
    )
    return 1 + Math.max(0, ...members)
  }
  if (type !== 'array') return 0
  const least = own(schema, 'minItems')
  if (typeof least !== 'number' || least < 1) return 1
  const list = Array.isArray(own(schema, 'items')) ? listOf(schema, 'items') : listOf(schema, 'prefixItems')
  const rest = own(schema, 'items')
  const first = list.slice(0, least).map(heightOf)
  return 1 + Math.max(0, ...first, least > list.length && isObject(rest) ? heightOf(rest) : 0)
}

export function listOf(schema: JsonObject, keyword: string): readonly unknown[] {
  const value = own(schema, keyword)
  return Array.isArray(value) ? value : []
}
