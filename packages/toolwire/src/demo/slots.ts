/** The places in a tool's parameters that a message can fill, each with the little that matters about its schema. */
import type { JsonObject } from './json.ts'
import { isObject, own, ownObject, ownString } from './json.ts'
import { meaningOf, wordsIn } from './words.ts'

type SlotKind = 'text' | 'enum' | 'number' | 'boolean' | 'texts' | 'numbers'

export interface Slot {
  readonly kind: SlotKind
  /** Keys from the root of the arguments. */
  readonly path: readonly string[]
  /** The words of its name, as written and by meaning. */
  readonly words: readonly string[]
  readonly meanings: ReadonlySet<string>
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly format: string | undefined
  /** What an enum can be. */
  readonly values: readonly unknown[]
  readonly hasDefault: boolean
  /** What its description gives as an example. */
  readonly example: string | undefined
}

const maxSlots = 60
const maxDepth = 3

export function slotsOf(schema: unknown): Slot[] {
  if (!isObject(schema)) return []
  const slots: Slot[] = []
  addSlots(schema, schema, [], slots)
  return slots
}

function addSlots(root: JsonObject, holder: JsonObject, path: readonly string[], slots: Slot[]): void {
  const { schema } = resolve(root, holder)
  const properties = ownObject(schema, 'properties') ?? {}
  const required = own(schema, 'required')
  for (const [key, property] of Object.entries(properties)) {
    if (slots.length >= maxSlots) return
    if (!isObject(property)) continue
    const isRequired = Array.isArray(required) && required.includes(key)
    const found = resolve(root, property)
    const here = [...path, key]
    const kind = kindOf(root, found.schema)
    if (kind === 'object') {
      // Objects that may be left out are left out.
      if (isRequired && here.length < maxDepth) addSlots(root, found.schema, here, slots)
    } else if (kind !== undefined) {
      const words = wordsIn(key, 8)
      slots.push({
        kind,
        path: here,
        words,
        meanings: new Set(words.map(meaningOf)),
        isRequired,
        isNullable: found.isNullable,
        format: ownString(found.schema, 'format'),
        values: valuesOf(found.schema),
        example: exampleIn(
          ownString(property, 'description') ?? ownString(found.schema, 'description') ?? '',
        ),
        hasDefault: own(property, 'default') !== undefined || own(found.schema, 'default') !== undefined,
      })
    }
  }
}

function exampleIn(description: string): string | undefined {
  const beginning = description.slice(0, 500)
  const match = /(?:\be\.g\.,?|\bsuch as|\bfor example,?)\s+["'“`]?([^"'”`.;()\n]{1,40})/i.exec(beginning)
  return match?.[1]?.trim()
}

interface Resolved {
  readonly schema: JsonObject
  readonly isNullable: boolean
}

const maxHops = 8

/** Follows references, and of alternatives takes the first that is not `null`. */
function resolve(root: JsonObject, given: JsonObject): Resolved {
  let schema = given
  let isNullable = false
  for (let hop = 0; hop < maxHops; hop++) {
    isNullable ||= allowsNull(schema)
    const inner = target(root, schema)
    if (inner === undefined) break
    schema = inner
  }
  return { schema, isNullable }
}

function target(root: JsonObject, schema: JsonObject): JsonObject | undefined {
  const ref = ownString(schema, '$ref')
  if (ref !== undefined) return refTarget(root, ref)
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const branches = own(schema, key)
    if (!Array.isArray(branches) || own(schema, 'properties') !== undefined) continue
    return branches.find((branch): branch is JsonObject => isObject(branch) && own(branch, 'type') !== 'null')
  }
  return undefined
}

function refTarget(root: JsonObject, ref: string): JsonObject | undefined {
  if (!ref.startsWith('#')) return undefined
  let place: unknown = root
  for (const step of ref.slice(1).split('/').slice(1)) {
    if (!isObject(place)) return undefined
    place = own(place, step.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return isObject(place) ? place : undefined
}

function allowsNull(schema: JsonObject): boolean {
  const type = own(schema, 'type')
  if (type === 'null' || own(schema, 'nullable') === true) return true
  if (Array.isArray(type) && type.includes('null')) return true
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf')
  return (
    Array.isArray(branches) && branches.some(branch => isObject(branch) && own(branch, 'type') === 'null')
  )
}

function kindOf(root: JsonObject, schema: JsonObject): SlotKind | 'object' | undefined {
  if (own(schema, 'const') !== undefined) return undefined
  if (Array.isArray(own(schema, 'enum'))) return 'enum'
  switch (typeOf(schema)) {
    case 'string':
      return 'text'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'object':
      return 'object'
    case 'array': {
      const items = ownObject(schema, 'items')
      const kind = items === undefined ? undefined : kindOf(root, resolve(root, items).schema)
      if (kind === 'text') return 'texts'
      return kind === 'number' ? 'numbers' : undefined
    }
    default:
      return undefined
  }
}

function typeOf(schema: JsonObject): unknown {
  const type = own(schema, 'type')
  if (Array.isArray(type)) return type.find(one => one !== 'null')
  return type ?? (own(schema, 'properties') === undefined ? undefined : 'object')
}

function valuesOf(schema: JsonObject): readonly unknown[] {
  const values = own(schema, 'enum')
  return Array.isArray(values) ? values.slice(0, 500) : []
}
