/**
 * The one table of places where a JSON Schema holds another schema, and the walks over it. Every pass goes
 * through here, so a property that happens to be called `items` or `$ref` is never taken for a keyword.
 */

import { isObject, type JsonObject } from '../json/json.ts'
import type { Path, Report } from '../model/diagnostic.ts'

type Shape = 'one' | 'list' | 'map' | 'one-or-list'

/** All drafts together; a keyword that a draft lacks does no harm here. */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
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

/** Where definitions stand. They apply nowhere until a reference leads to them. */
export const containers = ['$defs', 'definitions'] as const

export function isContainer(keyword: unknown): boolean {
  return keyword === '$defs' || keyword === 'definitions'
}

/** JSON levels, counted before any recursion; one schema level takes up to two of them. */
export const maxDepth = 512
export const maxNodes = 1_000_000

interface Child {
  /** From the parent: `['properties', 'x']`, `['anyOf', 0]`, `['items']`. */
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

type ChildMap = (child: JsonObject | boolean, path: Path) => unknown

/** A copy with every direct subschema replaced; the same object when nothing was. Key order is kept. */
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

/** Visits every subschema object below and including `root`, parents first. Call `guard` before. */
export function walk(root: unknown, path: Path, visit: (schema: JsonObject, path: Path) => void): void {
  if (!isObject(root)) return
  visit(root, path)
  for (const child of childrenOf(root)) walk(child.schema, [...path, ...child.path], visit)
}

export interface Size {
  readonly nodes: number
  /** How far below the root the deepest value lies. */
  readonly depth: number
  /** Of all names and texts. */
  readonly characters: number
  /** Something in it is called `$ref`. */
  readonly hasRefs: boolean
  readonly tooDeep: boolean
  readonly tooLarge: boolean
}

/** Depth and size of any JSON value without recursion; stops at the caps, so cyclic input ends too. */
export function measure(value: unknown, depthCap: number = maxDepth, nodeCap: number = maxNodes): Size {
  const tally = new Tally()
  tally.count(value)
  for (let depth = 0; ; depth++) {
    const before = tally.nodes
    const level = tally.nextLevel()
    for (const item of level) {
      if (Array.isArray(item)) tally.addList(item, nodeCap)
      else tally.addObject(item as JsonObject)
      if (tally.nodes > nodeCap) return tally.size(nodeCap + 1, depth, false, true)
    }
    const isDeeper = tally.nodes > before
    if (!isDeeper || depth === depthCap) return tally.size(tally.nodes, depth, isDeeper, false)
  }
}

/** Counts a value level by level. */
class Tally {
  nodes = 0
  #characters = 0
  #hasRefs = false
  #below: object[] = []

  nextLevel(): readonly object[] {
    const level = this.#below
    this.#below = []
    return level
  }

  count(member: unknown): void {
    this.nodes++
    if (typeof member === 'string') this.#characters += member.length
    else if (typeof member === 'object' && member !== null) this.#below.push(member)
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

/** Must be asked before any recursion into a schema; `false` means the pass gives the schema back unchanged. */
export function guard(schema: unknown, path: Path, report: Report): boolean {
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
