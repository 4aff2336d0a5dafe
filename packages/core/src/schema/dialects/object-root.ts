/**
 * Gives the schema of a tool's arguments the root that servers demand: an object, without the keywords that they refuse
 * there. What cannot be one becomes the only property of one, and the arguments are taken out of it again.
 */
import type { JsonObject } from '../../json/object.ts'
import { isObject, omit, own } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { typeList } from '../equal.ts'
import { createRefIndex } from '../refs/refs.ts'
import { mergeExact } from '../strict/merge.ts'
import { definitionKeywords, isWithinLimits, mapChildren } from '../walk.ts'

export interface RootRules {
  /** It must be an object. */
  readonly soundSchemas: boolean
  /** It must spell out `type: "object"`. */
  readonly rootTypeRequired: boolean
  /** It must list its properties, even when there are none. */
  readonly rootProperties: boolean
  /** Keywords that must not stand there. */
  readonly rootRefused: readonly string[]
}

export interface ObjectRoot {
  readonly schema: JsonObject
  /** The property that holds the arguments, if the root is new. */
  readonly wrappedIn?: string
}

/** The property of a root that is new. */
const wrapperKey = 'input'

export function fitRoot(schema: JsonObject, rules: RootRules, path: Path, report: Report): ObjectRoot {
  const { rootTypeRequired, rootProperties } = rules
  const resolved = rootTypeRequired ? resolveRoot(schema, path, report) : schema
  const root = mergeAllOf(resolved, rules, path, report)
  const reason = whyWrapped(root, rules)
  if (reason !== undefined) {
    if (!isWithinLimits(root, path, report)) return { schema: root }
    const message = `The target refuses ${reason} at the root; the arguments became the property "${wrapperKey}" of an object, and are taken out again.`
    report('parameters_wrapped', path, message)
    return { schema: wrap(root), wrappedIn: wrapperKey }
  }
  const typed = rootTypeRequired ? withType(root, path, report) : root
  if (!rootProperties || own(typed, 'properties') !== undefined) return { schema: typed }
  report(
    'parameters_properties_added',
    path,
    'The target requires "properties" at the root; an empty list was added.',
  )
  return { schema: { ...typed, properties: {} } }
}

/** Generators write `{"$ref": "#/definitions/X", "definitions": {…}}`; servers look for the type at the root itself. */
function resolveRoot(schema: JsonObject, path: Path, report: Report): JsonObject {
  if (typeof own(schema, '$ref') !== 'string' || own(schema, 'type') !== undefined) return schema
  const refs = createRefIndex(schema)
  const seen = new Set<unknown>()
  let root = schema
  for (let ref = own(root, '$ref'); typeof ref === 'string'; ref = own(root, '$ref')) {
    const target = refs.resolve(ref, schema)?.schema
    if (!isObject(target) || seen.has(target)) return schema
    seen.add(target)
    root = { ...target, ...omit(root, ['$ref']) }
  }
  report('schema_rewritten', [...path, '$ref'], 'What the reference at the root leads to was written there.')
  return root
}

/** Schemas that all apply are one schema, where that can be said exactly. */
function mergeAllOf(schema: JsonObject, { rootRefused }: RootRules, path: Path, report: Report): JsonObject {
  const branches = own(schema, 'allOf')
  if (!rootRefused.includes('allOf') || !Array.isArray(branches)) return schema
  if (!branches.every(branch => isObject(branch) && !Object.hasOwn(branch, '$ref'))) return schema
  const merged = mergeList([omit(schema, ['allOf']), ...branches])
  if (merged === undefined) return schema
  report('schema_rewritten', [...path, 'allOf'], 'The schemas of "allOf" at the root were merged into one.')
  return merged
}

/** Halves are merged first: one schema after the other would copy what is merged already once for each. */
function mergeList(schemas: readonly JsonObject[]): JsonObject | undefined {
  if (schemas.length < 2) return schemas[0]
  const half = schemas.length >> 1
  const [a, b] = [mergeList(schemas.slice(0, half)), mergeList(schemas.slice(half))]
  return a && b && mergeExact(a, b)
}

function whyWrapped(root: JsonObject, { soundSchemas, rootRefused }: RootRules): string | undefined {
  const refused = rootRefused.find(keyword => own(root, keyword) !== undefined)
  if (refused !== undefined) return JSON.stringify(refused)
  if (!soundSchemas) return undefined
  const type = own(root, 'type')
  const types = typeList(type)
  if (types !== undefined) return types.includes('object') ? undefined : `the type ${JSON.stringify(type)}`
  const keyword = ['enum', 'const', '$ref'].find(name => own(root, name) !== undefined)
  return keyword && JSON.stringify(keyword)
}

function wrap(root: JsonObject): JsonObject {
  const kept = [...definitionKeywords, '$schema', '$id']
  const outside = Object.fromEntries(Object.entries(root).filter(([key]) => kept.includes(key)))
  const inner = moveRefs(omit(root, kept))
  return {
    type: 'object',
    properties: { [wrapperKey]: inner },
    required: [wrapperKey],
    additionalProperties: false,
    ...moveRefs(outside),
  }
}

/** References to the old root, and to what stands in it beside the definitions, now lead through the wrapper. */
function moveRefs(schema: JsonObject): JsonObject {
  const moved = mapChildren(schema, child => (isObject(child) ? moveRefs(child) : child))
  const ref = own(moved, '$ref')
  if (typeof ref !== 'string' || !(ref === '#' || ref.startsWith('#/'))) return moved
  if (definitionKeywords.some(keyword => ref.startsWith(`#/${keyword}/`))) return moved
  return { ...moved, $ref: `#/properties/${wrapperKey}${ref.slice(1)}` }
}

function withType(root: JsonObject, path: Path, report: Report): JsonObject {
  const type = own(root, 'type')
  if (type === 'object' || (type !== undefined && !typeList(type)?.includes('object'))) return root
  const message = 'The target requires `type: "object"` at the root; it was added.'
  report('parameters_root_typed', [...path, 'type'], message)
  return { type: 'object', ...omit(root, ['type']) }
}

/**
 * Until 2019 `items` could be a list, which servers refuse today. An array without `items` may hold anything, which some
 * servers want to be said.
 */
export function fitItems(schema: JsonObject, path: Path, needsItems: boolean, report: Report): JsonObject {
  const inner = mapChildren(schema, (child, step) =>
    isObject(child) ? fitItems(child, [...path, ...step], needsItems, report) : child,
  )
  const items = own(inner, 'items')
  if (Array.isArray(items)) {
    report('schema_rewritten', [...path, 'items'], 'A list as "items" was written as "prefixItems".')
    const rest = own(inner, 'additionalItems') ?? {}
    return { ...omit(inner, ['items', 'additionalItems']), prefixItems: items, items: rest }
  }
  const isBare = needsItems && items === undefined && own(inner, 'prefixItems') === undefined
  if (!isBare || !typeList(own(inner, 'type'))?.includes('array')) return inner
  report('schema_rewritten', path, 'The array did not say what its items are; "items" allows anything now.')
  return { ...inner, items: {} }
}
