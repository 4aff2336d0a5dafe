/** Checks the size limits of a strict schema, and that it is not recursive where recursion is not supported. */

import { isObject, type JsonObject, own } from '../../json/object.ts'
import type { Path } from '../../model/diagnostic.ts'
import { typeList } from '../equal.ts'
import { createRefIndex } from '../refs/refs.ts'
import { definitionKeywords, type Size, walk } from '../walk.ts'
import type { StrictLimits, StrictRules } from './rules.ts'

export interface Violation {
  readonly at: Path
  readonly message: string
  /** A size limit is exceeded; otherwise a form is not supported. */
  readonly limit: boolean
}

export function limitViolations(schema: JsonObject, rules: StrictRules, size: Size): Violation[] {
  const { limits } = rules
  const found: Violation[] = []
  if (isFarBelow(size, limits)) return found
  const add = (at: Path, message: string): void => void found.push({ at, message, limit: true })
  const over = (count: number, limit: number, what: string): void => {
    if (count > limit) add([], `The schema has ${count} ${what}; strict mode takes at most ${limit}.`)
  }
  const total = { properties: 0, characters: 0, enumValues: 0 }
  walk(schema, [], (node, at) => {
    for (const keyword of ['properties', ...definitionKeywords]) {
      const members = own(node, keyword)
      if (!isObject(members)) continue
      const names = Object.keys(members)
      if (keyword === 'properties') total.properties += names.length
      total.characters += names.reduce((sum, name) => sum + name.length, 0)
    }
    const values = own(node, 'enum')
    if (Array.isArray(values)) {
      total.enumValues += values.length
      const characters = values.reduce((sum: number, value) => sum + lengthOf(value), 0)
      total.characters += characters
      if (values.length > limits.largeEnum && characters > limits.largeEnumCharacters) {
        const size = `${values.length} values with ${characters} characters`
        const limit = `more than ${limits.largeEnum} values may have ${limits.largeEnumCharacters} characters`
        add([...at, 'enum'], `"enum" has ${size}; in strict mode ${limit} at most.`)
      }
    }
    if (Object.hasOwn(node, 'const')) total.characters += lengthOf(node.const)
  })
  over(total.properties, limits.properties, 'properties')
  over(total.characters, limits.characters, 'characters in names and values')
  over(total.enumValues, limits.enumValues, 'enum values')
  const { depth, cycle } = nesting(schema)
  over(depth, limits.depth, 'levels of nesting')
  if (cycle && !rules.recursion)
    add(
      [],
      'The schema refers to itself, which strict mode does not take here; write a fixed number of levels out.',
    )
  return found
}

/** Whether a schema without references is so small that it needs no exact count. */
function isFarBelow(size: Size, limits: StrictLimits): boolean {
  const { nodes, depth, characters, hasRefs } = size
  // An upper bound: JSON needs at most 6 characters for one (`\u0000`), and fewer than 32 around a value.
  const longest = 6 * characters + 32 * nodes
  return (
    !(size.tooDeep || size.tooLarge || hasRefs) &&
    nodes <= Math.min(limits.properties, limits.enumValues, limits.largeEnum) &&
    depth < limits.depth &&
    longest <= limits.characters
  )
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0)
}

/**
 * The deepest nesting of objects and arrays, with each reference followed once. A cycle adds no depth: a recursive
 * schema counts with the levels that it writes out.
 */
function nesting(root: JsonObject): { depth: number; cycle: boolean } {
  const refs = createRefIndex(root)
  const known = new Map<JsonObject, number>()
  const open = new Set<JsonObject>()
  let cycle = false
  // An explicit stack, since chains of definitions can be long. A schema is measured after all that it leads to.
  const stack: { node: JsonObject; below: JsonObject[] | undefined }[] = [{ node: root, below: undefined }]
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { node } = frame
    if (frame.below !== undefined) {
      const deepest = frame.below.reduce((depth, child) => Math.max(depth, known.get(child) ?? 0), 0)
      known.set(node, deepest + levels(node))
      open.delete(node)
      stack.pop()
      continue
    }
    if (known.has(node)) {
      stack.pop()
      continue
    }
    open.add(node)
    const { children, target } = refs.edgesOf(node, root)
    frame.below = [...children, target?.schema].filter(isObject)
    for (const child of frame.below) {
      if (open.has(child)) cycle = true
      else if (!known.has(child)) stack.push({ node: child, below: undefined })
    }
  }
  return { depth: known.get(root) ?? 0, cycle }
}

function levels(node: JsonObject): number {
  return typeList(own(node, 'type'))?.some(type => type === 'object' || type === 'array') ? 1 : 0
}
