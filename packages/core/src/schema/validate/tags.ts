/**
 * Finds the properties that tell the branches of a union apart, such as `kind`. A model that wrote a wrong one
 * must hear of it first: complaints about the rest of each branch would only lead it astray.
 */
import { isObject, type JsonObject, own } from '../../json/json.ts'
import { canonical, listedValues, typeList } from '../equal.ts'
import type { RefIndex } from '../refs/refs.ts'
import { issue, missing, type Place, type ValidationIssue, valueIssue, values } from './run.ts'

export interface Tag {
  readonly key: string
  /** Whether no branch can do without it. */
  readonly required: boolean
  /** By branch, the values it takes, under their canonical text; nothing for a branch that takes no objects. */
  readonly branches: readonly (Choice['values'] | undefined)[]
}

interface Choice {
  readonly values: ReadonlyMap<string, unknown>
  readonly required: boolean
}

export type FindTags = (branches: readonly unknown[], resource: JsonObject) => Tag[]

/** A tag stands among the first properties of this kind; the bound keeps many unions of large branches cheap. */
const maxChoices = 8
const maxHops = 20

export function createTagFinder(refs: RefIndex): FindTags {
  const known = new Map<JsonObject, ReadonlyMap<string, Choice>>()

  const follow = (given: unknown, from: JsonObject): { schema: unknown; resource: JsonObject } => {
    let [schema, resource] = [given, from]
    for (let hop = 0; hop < maxHops && isObject(schema); hop++) {
      const ref = own(schema, '$ref')
      const inside = refs.enter(schema, resource)
      const target = typeof ref === 'string' ? refs.resolve(ref, inside) : undefined
      if (target === undefined) return { schema, resource: inside }
      schema = target.schema
      resource = target.resource
    }
    return { schema, resource }
  }

  /** The first properties of a schema that take listed values only. */
  const choicesOf = (schema: JsonObject, resource: JsonObject): ReadonlyMap<string, Choice> => {
    const before = known.get(schema)
    if (before !== undefined) return before
    const choices = new Map<string, Choice>()
    known.set(schema, choices)
    const [properties, listed] = [own(schema, 'properties'), own(schema, 'required')]
    const required = new Set(Array.isArray(listed) ? listed : [])
    for (const [key, member] of Object.entries(isObject(properties) ? properties : {})) {
      const property = follow(member, resource).schema
      const list = isObject(property) ? listedValues(property) : undefined
      if (list === undefined) continue
      const byText = new Map(list.map(value => [canonical(value), value]))
      choices.set(key, { values: byText, required: required.has(key) })
      if (choices.size === maxChoices) break
    }
    return choices
  }

  return (branches, resource) => {
    const byBranch = branches.map(branch => {
      const { schema, resource: inside } = follow(branch, resource)
      if (schema === false) return undefined
      if (!isObject(schema)) return new Map<string, Choice>()
      const types = typeList(own(schema, 'type'))
      return types === undefined || types.includes('object') ? choicesOf(schema, inside) : undefined
    })
    const objects = byBranch.filter(choices => choices !== undefined)
    const shared = [...(objects[0]?.keys() ?? [])].filter(key => objects.every(choices => choices.has(key)))
    return shared.map(key => ({
      key,
      required: objects.every(choices => choices.get(key)?.required === true),
      branches: byBranch.map(choices => choices?.get(key)?.values),
    }))
  }
}

/** What a wrong tag says about the value, or the issues of the one branch that the tags choose. */
export function explainByTags(
  value: unknown,
  place: Place | undefined,
  tags: readonly Tag[],
  failures: readonly (readonly ValidationIssue[])[],
): readonly ValidationIssue[] | undefined {
  if (!isObject(value) || tags.length === 0) return undefined
  let chosen = failures.map((_, index) => index)
  for (const { key, required, branches } of tags) {
    const all = (): unknown[] => [...new Map(branches.flatMap(one => [...(one ?? [])])).values()]
    if (!Object.hasOwn(value, key)) {
      if (required) return [missing(place, key, 'required', `; it must be ${values(all())}`)]
      continue
    }
    const text = canonical(value[key])
    if (!branches.some(one => one?.has(text))) {
      return issue({ parent: place, key }, 'enum', valueIssue(all(), value[key]))
    }
    chosen = chosen.filter(index => branches[index]?.has(text))
  }
  const [only] = chosen
  return chosen.length === 1 && only !== undefined ? failures[only] : undefined
}
