/**
 * Finds the properties that tell the branches of a union apart, such as `kind`. If a model wrote a wrong one, only
 * that is reported: issues about the other properties of each branch would mislead it.
 */
import { isObject, type JsonObject, own } from '../../json/object.ts'
import { canonical, listedValues, typeList } from '../equal.ts'
import type { RefIndex } from '../refs/refs.ts'
import {
  allowedText,
  issue,
  missingProperty,
  type ValidationIssue,
  type ValuePath,
  wrongValueText,
} from './check.ts'

export interface Discriminator {
  readonly key: string
  /** Whether every branch requires it. */
  readonly required: boolean
  /** For each branch its allowed values, keyed by canonical text; `undefined` for a branch that allows no objects. */
  readonly branches: readonly (EnumProperty['values'] | undefined)[]
}

interface EnumProperty {
  readonly values: ReadonlyMap<string, unknown>
  readonly required: boolean
}

export type FindDiscriminators = (branches: readonly unknown[], resource: JsonObject) => Discriminator[]

/** Only the first properties with an enum are considered, so that large unions stay cheap. */
const maxEnumProperties = 8
const maxHops = 20

export function createDiscriminatorFinder(refs: RefIndex): FindDiscriminators {
  const cache = new Map<JsonObject, ReadonlyMap<string, EnumProperty>>()

  const followRefs = (start: unknown, from: JsonObject): { schema: unknown; resource: JsonObject } => {
    let [schema, resource] = [start, from]
    for (let hop = 0; hop < maxHops && isObject(schema); hop++) {
      const ref = own(schema, '$ref')
      const inside = refs.resourceOf(schema, resource)
      const target = typeof ref === 'string' ? refs.resolve(ref, inside) : undefined
      if (target === undefined) return { schema, resource: inside }
      schema = target.schema
      resource = target.resource
    }
    return { schema, resource }
  }

  /** The first properties of a schema that have an `enum` or `const`. */
  const enumPropertiesOf = (schema: JsonObject, resource: JsonObject): ReadonlyMap<string, EnumProperty> => {
    const cached = cache.get(schema)
    if (cached !== undefined) return cached
    const found = new Map<string, EnumProperty>()
    cache.set(schema, found)
    const [properties, listed] = [own(schema, 'properties'), own(schema, 'required')]
    const required = new Set(Array.isArray(listed) ? listed : [])
    for (const [key, member] of Object.entries(isObject(properties) ? properties : {})) {
      const property = followRefs(member, resource).schema
      const list = isObject(property) ? listedValues(property) : undefined
      if (list === undefined) continue
      const byText = new Map(list.map(value => [canonical(value), value]))
      found.set(key, { values: byText, required: required.has(key) })
      if (found.size === maxEnumProperties) break
    }
    return found
  }

  return (branches, resource) => {
    const byBranch = branches.map(branch => {
      const { schema, resource: inside } = followRefs(branch, resource)
      if (schema === false) return undefined
      if (!isObject(schema)) return new Map<string, EnumProperty>()
      const types = typeList(own(schema, 'type'))
      return types === undefined || types.includes('object') ? enumPropertiesOf(schema, inside) : undefined
    })
    const objects = byBranch.filter(one => one !== undefined)
    const shared = [...(objects[0]?.keys() ?? [])].filter(key => objects.every(one => one.has(key)))
    return shared.map(key => ({
      key,
      required: objects.every(one => one.get(key)?.required === true),
      branches: byBranch.map(one => one?.get(key)?.values),
    }))
  }
}

/** The issue of a wrong discriminator, or the issues of the only branch that the discriminators select. */
export function explainByDiscriminators(
  value: unknown,
  at: ValuePath | undefined,
  discriminators: readonly Discriminator[],
  failures: readonly (readonly ValidationIssue[])[],
): readonly ValidationIssue[] | undefined {
  if (!isObject(value) || discriminators.length === 0) return undefined
  let chosen = failures.map((_, index) => index)
  for (const { key, required, branches } of discriminators) {
    const all = (): unknown[] => [...new Map(branches.flatMap(one => [...(one ?? [])])).values()]
    if (!Object.hasOwn(value, key)) {
      if (required) return [missingProperty(at, key, 'required', `; it must be ${allowedText(all())}`)]
      continue
    }
    const text = canonical(value[key])
    if (!branches.some(one => one?.has(text))) {
      return issue({ parent: at, key }, 'enum', wrongValueText(all(), value[key]))
    }
    chosen = chosen.filter(index => branches[index]?.has(text))
  }
  const [only] = chosen
  return chosen.length === 1 && only !== undefined ? failures[only] : undefined
}
