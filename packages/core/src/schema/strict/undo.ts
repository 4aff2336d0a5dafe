/**
 * Removes from arguments the `null`s that strict mode introduced: where an optional property was made required and
 * nullable, and nowhere else. Guided by the strict schema and the record of those properties.
 */
import { append, isObject, type JsonObject, own, setOwn } from '../../json/object.ts'
import { equal, hasType, listedValues, typeList, typeOf } from '../equal.ts'

/** Keyed by the `properties` of a strict object schema: the names whose `null` means "absent". */
type Synthetic = ReadonlyMap<JsonObject, ReadonlySet<string>>

type Expand = (schema: JsonObject) => readonly JsonObject[]

/** Deeper arguments are returned unchanged, to protect the call stack. */
const maxArgsDepth = 256

export function createUndo(
  root: JsonObject,
  synthetic: Synthetic,
  resolve: (ref: string) => unknown,
): (args: unknown) => unknown {
  const expand = createExpand(resolve)
  return args => new NullRemover(synthetic, expand).clean(args, [root], 0)
}

/** Replaces unions and references by the plain schemas that may apply to a value. */
function createExpand(resolve: (ref: string) => unknown): Expand {
  const cache = new Map<JsonObject, readonly JsonObject[]>()
  return schema => {
    const cached = cache.get(schema)
    if (cached !== undefined) return cached
    const plain = new Set<JsonObject>()
    const seen = new Set<JsonObject>()
    const pending: unknown[] = [schema]
    while (pending.length > 0) {
      const next = pending.pop()
      if (!isObject(next) || seen.has(next)) continue
      seen.add(next)
      const [ref, union] = [own(next, '$ref'), own(next, 'anyOf')]
      if (typeof ref === 'string') pending.push(resolve(ref))
      else if (Array.isArray(union)) append(pending, union.toReversed())
      else plain.add(next)
    }
    const list = [...plain]
    cache.set(schema, list)
    return list
  }
}

/** Cleans the arguments of one call. */
class NullRemover {
  readonly #synthetic: Synthetic
  readonly #expand: Expand
  /** Each value is matched with each schema once, which keeps recursive unions linear. */
  readonly #fits: WeakMap<object, Map<JsonObject, boolean>> = new WeakMap()

  constructor(synthetic: Synthetic, expand: Expand) {
    this.#synthetic = synthetic
    this.#expand = expand
  }

  clean(value: unknown, schemas: readonly JsonObject[], depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > maxArgsDepth) return value
    const active = this.#candidates(value, schemas, depth)
    if (Array.isArray(value)) {
      const items = active.map(option => own(option, 'items')).filter(isObject)
      if (items.length === 0) return value
      const cleaned = value.map(item => this.clean(item, items, depth + 1))
      return cleaned.some((item, index) => item !== value[index]) ? cleaned : value
    }
    return isObject(value) ? this.#cleanObject(value, active, depth) : value
  }

  #cleanObject(value: JsonObject, active: readonly JsonObject[], depth: number): unknown {
    const out: Record<string, unknown> = {}
    let changed = false
    for (const [key, member] of Object.entries(value)) {
      const declaring = active.filter(option => Object.hasOwn(propertiesOf(option), key))
      // Removed only if every schema that may apply introduced the `null`; otherwise it could be a real value.
      const drop =
        member === null &&
        declaring.length > 0 &&
        declaring.every(option => this.#synthetic.get(propertiesOf(option))?.has(key))
      const inner = declaring.map(option => own(propertiesOf(option), key)).filter(isObject)
      const next = drop || inner.length === 0 ? member : this.clean(member, inner, depth + 1)
      if (drop || next !== member) changed = true
      if (!drop) setOwn(out, key, next)
    }
    return changed ? out : value
  }

  /** The alternatives that fit the value; if none does, those that it was most likely written for. */
  #candidates(value: unknown, schemas: readonly JsonObject[], depth: number): readonly JsonObject[] {
    const options = [...new Set(schemas.flatMap(this.#expand))]
    if (options.length < 2) return options
    for (const test of [
      (option: JsonObject) => this.#matches(value, option, depth),
      (option: JsonObject) => fitsShallow(value, option) && fitsDiscriminators(value, option),
      (option: JsonObject) => fitsDiscriminators(value, option),
    ]) {
      const chosen = options.filter(test)
      if (chosen.length > 0) return chosen
    }
    return options
  }

  #matches(value: unknown, schema: JsonObject, depth: number): boolean {
    if (typeof value !== 'object' || value === null || depth > maxArgsDepth) return fitsShallow(value, schema)
    const known = this.#fits.get(value) ?? new Map<JsonObject, boolean>()
    this.#fits.set(value, known)
    const result = known.get(schema) ?? this.#matchesDeep(value, schema, depth)
    known.set(schema, result)
    return result
  }

  #matchesDeep(value: object, schema: JsonObject, depth: number): boolean {
    if (!fitsShallow(value, schema)) return false
    if (Array.isArray(value)) {
      return value.every(item => this.#matchesAny(item, own(schema, 'items'), depth + 1))
    }
    const properties = propertiesOf(schema)
    return Object.entries(value).every(([key, member]) =>
      this.#matchesAny(member, own(properties, key), depth + 1),
    )
  }

  #matchesAny(value: unknown, schema: unknown, depth: number): boolean {
    return isObject(schema) && this.#expand(schema).some(option => this.#matches(value, option, depth))
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
function fitsDiscriminators(value: unknown, schema: JsonObject): boolean {
  if (!isObject(value)) return typeList(own(schema, 'type'))?.includes(typeOf(value)) ?? false
  return Object.entries(propertiesOf(schema)).every(([key, property]) => {
    if (!isObject(property) || !Object.hasOwn(value, key)) return true
    return listedValues(property)?.some(one => equal(one, own(value, key))) ?? true
  })
}
