/** All that must hold at one place, gathered from the schemas that apply there; unions are decided on the way. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import { canonical, listedValues, typeList } from '../../schema/equal.ts'
import type { RefIndex } from '../../schema/refs/refs.ts'
import type { Random } from '../random.ts'
import type { Heights } from './heights.ts'
import { listOf } from './heights.ts'
import { pick } from './place.ts'

/** A schema and the resource its references are read against. */
export interface Demand {
  readonly schema: unknown
  readonly resource: JsonObject
}

export interface Facts {
  /** Every schema object that applies, references and branches taken apart. */
  readonly nodes: readonly { readonly schema: JsonObject; readonly resource: JsonObject }[]
  /** The types that all of them allow; nothing stated means any. */
  readonly types: readonly string[] | undefined
  /** The values that `const` and `enum` leave. */
  readonly listed: readonly unknown[] | undefined
  /** Defaults and examples: what whoever wrote the schema had in mind. */
  readonly wishes: readonly unknown[]
}

interface Choosing {
  readonly refs: RefIndex
  readonly heightOf: Heights
  readonly random: Random
  /** Take the shallowest branch instead of any. */
  readonly isShort: boolean
}

export function gatherFacts(demands: readonly Demand[], choosing: Choosing): Facts {
  const nodes: { schema: JsonObject; resource: JsonObject }[] = []
  const seen = new Set<unknown>()
  const waiting = [...demands].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema } = next
    if (!isObject(schema) || seen.has(schema)) continue
    seen.add(schema)
    const resource = choosing.refs.resourceOf(schema, next.resource)
    nodes.push({ schema, resource })
    for (const inner of applied(schema, resource, choosing).reverse()) waiting.push(inner)
  }
  return { nodes, ...summary(nodes.map(({ schema }) => schema)) }
}

/** The schemas that hold for the same value besides this one. */
function applied(schema: JsonObject, resource: JsonObject, choosing: Choosing): Demand[] {
  const { refs, random } = choosing
  const demands: Demand[] = []
  const add = (inner: unknown): void => {
    demands.push({ schema: inner, resource })
  }
  const ref = own(schema, '$ref')
  const target = typeof ref === 'string' ? refs.resolve(ref, resource) : undefined
  if (target !== undefined) demands.push({ schema: target.schema, resource: target.resource })
  for (const member of listOf(schema, 'allOf')) add(member)
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = listOf(schema, keyword)
    if (branches.length > 0) add(chooseBranch(branches, choosing))
  }
  if (isObject(own(schema, 'if'))) {
    const holds = random() < 0.5
    if (holds) add(own(schema, 'if'))
    add(own(schema, holds ? 'then' : 'else'))
  }
  return demands
}

function chooseBranch(branches: readonly unknown[], { heightOf, random, isShort }: Choosing): unknown {
  const heights = branches.map(heightOf)
  const least = Math.min(...heights)
  const fitting = branches.filter((_, i) => (isShort ? heights[i] === least : heights[i] !== Infinity))
  return pick(random, fitting.length > 0 ? fitting : branches)
}

type Summary = Omit<Facts, 'nodes'>

function summary(schemas: readonly JsonObject[]): Summary {
  let types: readonly string[] | undefined
  let listed: readonly unknown[] | undefined
  const wishes: unknown[] = []
  for (const schema of schemas) {
    const stated = typeList(own(schema, 'type'))
    if (stated !== undefined) types = types === undefined ? stated : commonTypes(types, stated)
    const values = listedValues(schema)
    if (values !== undefined) listed = listed === undefined ? values : commonValues(listed, values)
    wishes.push(...listOf(schema, 'examples'))
    if (Object.hasOwn(schema, 'default')) wishes.push(schema.default)
  }
  return { types, listed, wishes }
}

function commonTypes(some: readonly string[], others: readonly string[]): string[] {
  return some.flatMap(type => {
    if (others.includes(type)) return [type]
    const isNumber = type === 'number' || type === 'integer'
    return isNumber && (others.includes('number') || others.includes('integer')) ? ['integer'] : []
  })
}

function commonValues(some: readonly unknown[], others: readonly unknown[]): unknown[] {
  const allowed = new Set(others.map(canonical))
  return some.filter(value => allowed.has(canonical(value)))
}

/** The tightest of a limit that several schemas state. */
export function limit(facts: Facts, keyword: string, tightest: 'least' | 'most'): number | undefined {
  const stated = facts.nodes
    .map(({ schema }) => own(schema, keyword))
    .filter(value => typeof value === 'number')
  if (stated.length === 0) return undefined
  return tightest === 'least' ? Math.min(...stated) : Math.max(...stated)
}

export function stringsOf(facts: Facts, keyword: string): string[] {
  return facts.nodes.map(({ schema }) => own(schema, keyword)).filter(value => typeof value === 'string')
}
