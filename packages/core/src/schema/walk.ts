/**
 * The table of keywords that hold subschemas, and the traversals that use it. Every pass traverses schemas with these
 * functions, so a property that is named `items` or `$ref` is never mistaken for a keyword.
 */

import { isObject, type JsonObject } from '../json/object.ts'
import type { Path, Report } from '../model/diagnostic.ts'

type ChildShape = 'one' | 'list' | 'map' | 'one-or-list'

/** The keywords of all drafts. */
const shapes: ReadonlyMap<string, ChildShape> = new Map<string, ChildShape>([
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['dependentSchemas', 'map'],
  ['dependencies', 'map'],
  ['items', 'one-or-list'],
  ['prefixItems', 'list'],
  ['additionalItems', 'one'],
  ['unevaluatedItems', 'one'],
  ['contains', 'one'],
  ['additionalProperties', 'one'],
  ['unevaluatedProperties', 'one'],
  ['propertyNames', 'one'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['not', 'one'],
  ['if', 'one'],
  ['then', 'one'],
  ['else', 'one'],
  ['contentSchema', 'one'],
])

/** The keywords that hold definitions, which apply only where a reference leads to them. */
export const definitionKeywords = ['$defs', 'definitions'] as const

export function isDefinitionKeyword(keyword: unknown): boolean {
  return keyword === '$defs' || keyword === 'definitions'
}

/** Levels of JSON, of which one level of schemas takes up to two. Checked before any recursion. */
export const maxDepth = 512
export const maxNodes = 1_000_000

interface Child {
  /** Relative to the parent: `['properties', 'x']`, `['anyOf', 0]`, `['items']`. */
  readonly path: Path
  readonly schema: JsonObject | boolean
}

export function isSchema(value: unknown): value is JsonObject | boolean {
  return typeof value === 'boolean' || isObject(value)
}

/** The direct subschemas of one schema object, in key order. */
export function childrenOf(schema: JsonObject): Child[] {
  const children: Child[] = []
  const add = (value: unknown, path: Path): void => {
    if (isSchema(value)) children.push({ path, schema: value })
  }
  for (const keyword of Object.keys(schema)) {
    const shape = shapes.get(keyword)
    if (shape === undefined) continue
    const value = schema[keyword]
    if (shape === 'map') {
      if (isObject(value)) for (const key of Object.keys(value)) add(value[key], [keyword, key])
    } else if (Array.isArray(value)) {
      if (shape !== 'one') for (const [index, member] of value.entries()) add(member, [keyword, index])
    } else if (shape !== 'list') {
      add(value, [keyword])
    }
  }
  return children
}

/** Visits the subschema objects that a keyword holds, without their paths. */
export function eachSubschema(keyword: string, value: unknown, visit: (schema: JsonObject) => void): void {
  const shape = shapes.get(keyword)
  if (shape === undefined || typeof value !== 'object' || value === null) return
  if (shape === 'map') {
    if (isObject(value)) for (const key of Object.keys(value)) visitIfObject(value[key], visit)
  } else if (Array.isArray(value)) {
    if (shape !== 'one') for (const member of value) visitIfObject(member, visit)
  } else if (shape !== 'list') visitIfObject(value, visit)
}

function visitIfObject(value: unknown, visit: (schema: JsonObject) => void): void {
  if (isObject(value)) visit(value)
}

type ChildMap = (child: JsonObject | boolean, path: Path) => unknown

/** A copy with every direct subschema replaced, in the same key order; the same object if none changed. */
export function mapChildren(schema: JsonObject, map: ChildMap): JsonObject {
  let changed = false
  const visit = (value: unknown, path: Path): unknown => {
    if (!isSchema(value)) return value
    const next = map(value, path)
    if (next !== value) changed = true
    return next
  }
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    const shape = shapes.get(keyword)
    if (shape === undefined) return [keyword, value]
    if (shape === 'map') return [keyword, isObject(value) ? mapValues(value, keyword, visit) : value]
    if (Array.isArray(value)) {
      return [
        keyword,
        shape === 'one' ? value : value.map((member, index) => visit(member, [keyword, index])),
      ]
    }
    return [keyword, shape === 'list' ? value : visit(value, [keyword])]
  })
  return changed ? Object.fromEntries(entries) : schema
}

function mapValues(
  map: JsonObject,
  keyword: string,
  visit: (value: unknown, path: Path) => unknown,
): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, member]) => [key, visit(member, [keyword, key])]))
}

/** Visits `root` and every subschema object below it, parents first. Call `isWithinLimits` before. */
export function walk(root: unknown, path: Path, visit: (schema: JsonObject, path: Path) => void): void {
  if (!isObject(root)) return
  visit(root, path)
  for (const child of childrenOf(root)) walk(child.schema, [...path, ...child.path], visit)
}

export interface Size {
  readonly nodes: number
  /** The number of levels below the root. */
  readonly depth: number
  /** The total length of all names and strings. */
  readonly characters: number
  /** Whether any key is `$ref`. */
  readonly hasRefs: boolean
  readonly tooDeep: boolean
  readonly tooLarge: boolean
}

/** Measures any JSON value without recursion; stops at the limits, so that cyclic input terminates too. */
export function measure(value: unknown, depthCap: number = maxDepth, nodeCap: number = maxNodes): Size {
  const tally = new Tally()
  tally.count(value)
  for (let depth = 0; ; depth++) {
    const before = tally.nodes
    const level = tally.takeLevel()
    for (const item of level) {
      if (Array.isArray(item)) tally.addList(item, nodeCap)
      else tally.addObject(item as JsonObject)
      if (tally.nodes > nodeCap) return tally.size(nodeCap + 1, depth, false, true)
    }
    const isDeeper = tally.nodes > before
    if (!isDeeper || depth === depthCap) return tally.size(tally.nodes, depth, isDeeper, false)
  }
}

/** Counts the nodes of a value level by level. */
class Tally {
  nodes = 0
  #characters = 0
  #hasRefs = false
  #nextLevel: object[] = []

  takeLevel(): readonly object[] {
    const level = this.#nextLevel
    this.#nextLevel = []
    return level
  }

  count(member: unknown): void {
    this.nodes++
    if (typeof member === 'string') this.#characters += member.length
    else if (typeof member === 'object' && member !== null) this.#nextLevel.push(member)
  }

  addList(list: readonly unknown[], nodeCap: number): void {
    if (this.nodes + list.length > nodeCap) this.nodes += list.length
    else for (const member of list) this.count(member)
  }

  addObject(object: JsonObject): void {
    for (const key of Object.keys(object)) {
      this.#characters += key.length
      if (key === '$ref') this.#hasRefs = true
      this.count(object[key])
    }
  }

  size(nodes: number, depth: number, tooDeep: boolean, tooLarge: boolean): Size {
    return { nodes, depth, characters: this.#characters, hasRefs: this.#hasRefs, tooDeep, tooLarge }
  }
}

/** Must be called before any recursion into a schema; if it reports and returns `false`, the pass changes nothing. */
export function isWithinLimits(schema: unknown, path: Path, report: Report): boolean {
  const size = measure(schema)
  if (size.tooDeep) {
    report(
      'schema_too_deep',
      path,
      `The schema is nested deeper than ${maxDepth} levels and was left unchanged.`,
    )
  } else if (size.tooLarge) {
    report('schema_too_large', path, `The schema has more than ${maxNodes} nodes and was left unchanged.`)
  }
  return !size.tooDeep && !size.tooLarge
}
