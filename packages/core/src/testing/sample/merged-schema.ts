/** The schemas that apply to one value, with references and branches resolved, and the least depth of their values. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import { canonical, listedValues, typeList } from '../../schema/equal.ts'
import type { RefIndex } from '../../schema/refs/refs.ts'

/** A schema and the resource that its references are resolved against. */
export interface SchemaAt {
  readonly schema: unknown
  readonly resource: JsonObject
}

export interface MergedSchema {
  /** Every schema object that applies. */
  readonly nodes: readonly { readonly schema: JsonObject; readonly resource: JsonObject }[]
  /** The types that all of them allow; `undefined` when none has a type. */
  readonly types: readonly string[] | undefined
  /** The values that all `const` and `enum` allow; `undefined` without these. */
  readonly listed: readonly unknown[] | undefined
  /** Examples and defaults. */
  readonly preferred: readonly unknown[]
}

export function mergeSchemas(
  schemas: readonly SchemaAt[],
  refs: RefIndex,
  chooseBranch: (branches: readonly unknown[]) => unknown,
): MergedSchema {
  const nodes: { schema: JsonObject; resource: JsonObject }[] = []
  const seen = new Set<unknown>()
  const add = ({ schema, resource: enclosing }: SchemaAt): void => {
    if (!isObject(schema) || seen.has(schema)) return
    seen.add(schema)
    const resource = refs.resourceOf(schema, enclosing)
    nodes.push({ schema, resource })
    const target = refTarget(schema, resource, refs)
    if (target !== undefined) add(target)
    const branches = branchLists(schema).map(chooseBranch)
    for (const inner of [...arrayIn(schema, 'allOf'), ...branches]) add({ schema: inner, resource })
  }
  for (const schema of schemas) add(schema)
  const typeLists = nodes.flatMap(({ schema }) => [typeList(own(schema, 'type')) ?? []].filter(isFilled))
  const valueLists = nodes.flatMap(({ schema }) => [listedValues(schema) ?? []].filter(isFilled))
  return {
    nodes,
    types: typeLists.length === 0 ? undefined : typeLists.reduce(commonTypes),
    listed: valueLists.length === 0 ? undefined : valueLists.reduce(commonValues),
    preferred: nodes.flatMap(({ schema }) => [
      ...arrayIn(schema, 'examples'),
      ...(Object.hasOwn(schema, 'default') ? [schema.default] : []),
    ]),
  }
}

const isFilled = (list: readonly unknown[]): boolean => list.length > 0

function refTarget(schema: JsonObject, resource: JsonObject, refs: RefIndex): SchemaAt | undefined {
  const ref = own(schema, '$ref')
  return typeof ref === 'string' ? refs.resolve(ref, resource) : undefined
}

function branchLists(schema: JsonObject): (readonly unknown[])[] {
  return ['anyOf', 'oneOf'].map(keyword => arrayIn(schema, keyword)).filter(isFilled)
}

export function arrayIn(schema: JsonObject, keyword: string): readonly unknown[] {
  const value = own(schema, keyword)
  return Array.isArray(value) ? value : []
}

function commonTypes(some: readonly string[], others: readonly string[]): string[] {
  const isNumeric = (type: string): boolean => type === 'number' || type === 'integer'
  return some.flatMap(type => {
    if (others.includes(type)) return [type]
    return isNumeric(type) && others.some(isNumeric) ? ['integer'] : []
  })
}

function commonValues(some: readonly unknown[], others: readonly unknown[]): unknown[] {
  const allowed = new Set(others.map(canonical))
  return some.filter(value => allowed.has(canonical(value)))
}

/** The tightest of the numbers that the schemas give for a keyword. */
export function limitOf(
  { nodes }: MergedSchema,
  keyword: string,
  tightest: (...limits: number[]) => number,
): number | undefined {
  const limits = nodes.map(({ schema }) => own(schema, keyword)).filter(value => typeof value === 'number')
  return limits.length === 0 ? undefined : tightest(...limits)
}

/** How many levels the shallowest value of a schema has; infinite where it has no end. */
export type LeastDepth = (schema: unknown) => number

const maxRounds = 100

export function findLeastDepths(refs: RefIndex): LeastDepth {
  const known = new Map<JsonObject, number>()
  const depthOf: LeastDepth = schema => {
    if (schema === false) return Number.POSITIVE_INFINITY
    return isObject(schema) ? (known.get(schema) ?? Number.POSITIVE_INFINITY) : 0
  }
  // The index has parents before their children, so most depths are final after one round backwards.
  const schemas = [...refs.schemas].reverse()
  for (let round = 0, hasChanged = true; hasChanged && round < maxRounds; round++) {
    hasChanged = false
    for (const [schema, resource] of schemas) {
      const target = refTarget(schema, resource, refs)
      const inner = [...arrayIn(schema, 'allOf'), ...(target === undefined ? [] : [target.schema])].map(
        depthOf,
      )
      const branches = branchLists(schema).map(list => Math.min(...list.map(depthOf)))
      const depth =
        listedValues(schema) === undefined ? Math.max(ownDepth(schema, depthOf), ...inner, ...branches) : 0
      if (depth === depthOf(schema)) continue
      known.set(schema, depth)
      hasChanged = true
    }
  }
  return depthOf
}

/** The depth of what the schema itself requires, without references and branches. */
function ownDepth(schema: JsonObject, depthOf: LeastDepth): number {
  const types = typeList(own(schema, 'type')) ?? (Object.hasOwn(schema, 'properties') ? ['object'] : [])
  if (types.length === 0 || types.some(type => type !== 'object' && type !== 'array')) return 0
  const properties = own(schema, 'properties')
  const members = arrayIn(schema, 'required').map(key =>
    isObject(properties) ? own(properties, String(key)) : {},
  )
  const least = Number(own(schema, 'minItems') ?? 0)
  const items = least > 0 ? [...arrayIn(schema, 'prefixItems'), own(schema, 'items')].slice(0, least) : []
  const depths = [
    ...(types.includes('object') ? [Math.max(0, ...members.map(depthOf))] : []),
    ...(types.includes('array') ? [Math.max(0, ...items.map(depthOf))] : []),
  ]
  return 1 + Math.min(...depths)
}
