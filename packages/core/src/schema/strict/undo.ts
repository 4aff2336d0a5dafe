/**
 * Takes the `null`s out of arguments that strict mode forced in: where an optional property was made required
 * and nullable, and nowhere else. Guided by the strict schema itself plus the record of those properties.
 */
import { isObject, type JsonObject, own, setOwn } from '../../json/json.ts'
import { equal, hasType, listedValues, typeList, typeOf } from '../equal.ts'

/** Keyed by the `properties` of a strict object schema: the names whose `null` stands for "left out". */
type Synthetic = ReadonlyMap<JsonObject, ReadonlySet<string>>

/** Deeper arguments are given back as they are; the bound keeps the call stack safe. */
const maxArgsDepth = 256

export function createUndo(
  root: JsonObject,
  synthetic: Synthetic,
  resolve: (ref: string) => unknown,
): (args: unknown) => unknown {
  /** The schemas that are not unions or references and that may apply to a value here. */
  const alternatives = new Map<JsonObject, JsonObject[]>()
  const expand = (schema: JsonObject): JsonObject[] => {
    const known = alternatives.get(schema)
    if (known !== undefined) return known
    const plain = new Set<JsonObject>()
    const seen = new Set<JsonObject>()
    const waiting: unknown[] = [schema]
    while (waiting.length > 0) {
      const next = waiting.pop()
      if (!isObject(next) || seen.has(next)) continue
      seen.add(next)
      const [ref, union] = [own(next, '$ref'), own(next, 'anyOf')]
      if (typeof ref === 'string') waiting.push(resolve(ref))
      else if (Array.isArray(union)) waiting.push(...union.toReversed())
      else plain.add(next)
    }
    const list = [...plain]
    alternatives.set(schema, list)
    return list
  }

  return args => {
    // One answer per value and schema, however many branches ask: keeps recursive unions linear.
    const answers = new WeakMap<object, Map<JsonObject, boolean>>()

    const fits = (value: unknown, schema: JsonObject, depth: number): boolean => {
      if (typeof value !== 'object' || value === null || depth > maxArgsDepth)
        return fitsShallow(value, schema)
      const known = answers.get(value) ?? new Map<JsonObject, boolean>()
      answers.set(value, known)
      const answer = known.get(schema) ?? fitsDeep(value, schema, depth)
      known.set(schema, answer)
      return answer
    }

    const fitsAny = (value: unknown, schema: unknown, depth: number): boolean =>
      isObject(schema) && expand(schema).some(option => fits(value, option, depth))

    const fitsDeep = (value: object, schema: JsonObject, depth: number): boolean => {
      if (!fitsShallow(value, schema)) return false
      if (Array.isArray(value)) return value.every(item => fitsAny(item, own(schema, 'items'), depth + 1))
      const properties = propertiesOf(schema)
      return Object.entries(value).every(([key, member]) => fitsAny(member, own(properties, key), depth + 1))
    }

    /** Those alternatives that fit; when none does, those that the value was most likely meant for. */
    const candidates = (value: unknown, schemas: readonly JsonObject[], depth: number): JsonObject[] => {
      const options = [...new Set(schemas.flatMap(expand))]
      if (options.length < 2) return options
      for (const test of [
        (option: JsonObject) => fits(value, option, depth),
        (option: JsonObject) => fitsShallow(value, option) && fitsTags(value, option),
        (option: JsonObject) => fitsTags(value, option),
      ]) {
        const chosen = options.filter(test)
        if (chosen.length > 0) return chosen
      }
      return options
    }

    const clean = (value: unknown, schemas: readonly JsonObject[], depth: number): unknown => {
      if (typeof value !== 'object' || value === null || depth > maxArgsDepth) return value
      const active = candidates(value, schemas, depth)
      if (Array.isArray(value)) {
        const items = active.map(option => own(option, 'items')).filter(isObject)
        if (items.length === 0) return value
        const cleaned = value.map(item => clean(item, items, depth + 1))
        return cleaned.some((item, index) => item !== value[index]) ? cleaned : value
      }
      return isObject(value) ? cleanObject(value, active, depth) : value
    }

    const cleanObject = (value: JsonObject, active: readonly JsonObject[], depth: number): unknown => {
      const out: Record<string, unknown> = {}
      let changed = false
      for (const [key, member] of Object.entries(value)) {
        const declaring = active.filter(option => Object.hasOwn(propertiesOf(option), key))
        // Every schema that may apply has to agree, or a `null` that was meant would be lost.
        const drop =
          member === null &&
          declaring.length > 0 &&
          declaring.every(option => synthetic.get(propertiesOf(option))?.has(key))
        const inner = declaring.map(option => own(propertiesOf(option), key)).filter(isObject)
        const next = drop || inner.length === 0 ? member : clean(member, inner, depth + 1)
        if (drop || next !== member) changed = true
        if (!drop) setOwn(out, key, next)
      }
      return changed ? out : value
    }

    return clean(args, [root], 0)
  }
}

function propertiesOf(schema: JsonObject): JsonObject {
  const properties = own(schema, 'properties')
  return isObject(properties) ? properties : {}
}

function fitsShallow(value: unknown, schema: JsonObject): boolean {
  if (!hasType(value, typeList(own(schema, 'type')) ?? [])) return false
  const values = own(schema, 'enum')
  if (Array.isArray(values) && !values.some(one => equal(one, value))) return false
  if (Object.hasOwn(schema, 'const') && !equal(schema.const, value)) return false
  if (!isObject(value)) return true
  const properties = propertiesOf(schema)
  const required = own(schema, 'required')
  return (
    Object.keys(value).every(key => Object.hasOwn(properties, key)) &&
    (!Array.isArray(required) ||
      required.every(name => typeof name === 'string' && Object.hasOwn(value, name)))
  )
}

/** Whether the constants among an object's properties are those of this schema. */
function fitsTags(value: unknown, schema: JsonObject): boolean {
  if (!isObject(value)) return typeList(own(schema, 'type'))?.includes(typeOf(value)) ?? false
  return Object.entries(propertiesOf(schema)).every(([key, property]) => {
    if (!isObject(property) || !Object.hasOwn(value, key)) return true
    return listedValues(property)?.some(one => equal(one, own(value, key))) ?? true
  })
}
