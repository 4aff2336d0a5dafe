/** Lists: items by position and by one schema, as many as asked, unlike each other where they must be. */
import { own } from '../../json/object.ts'
import { canonical } from '../../schema/equal.ts'
import { wholeBetween } from '../random.ts'
import type { Demand, Facts } from './facts.ts'
import { limit } from './facts.ts'
import { listOf } from './heights.ts'
import type { Maker } from './maker.ts'
import type { Place } from './place.ts'

/** How often an item is drawn anew because it is there already. */
const maxTries = 200

export function makeArray(facts: Facts, place: Place, maker: Maker): unknown[] {
  const sources = facts.nodes.map(node => itemSource(node.schema))
  const isUnique = facts.nodes.some(({ schema }) => own(schema, 'uniqueItems') === true)
  const length = lengthOf(facts, sources, place, maker.isShort(place))
  const needed = containsCount(facts)
  const out: unknown[] = []
  const seen = new Set<string>()
  for (let index = 0; index < length; index++) {
    const demands = itemDemands(facts, sources, index)
    if (index < needed) demands.push(...containsDemands(facts))
    const item = isUnique
      ? unlike(seen, again => maker.make(demands, place, index, again))
      : { value: maker.make(demands, place, index) }
    if (item === undefined) break
    out.push(item.value)
  }
  return out
}

interface ItemSource {
  readonly byIndex: readonly unknown[]
  readonly rest: unknown
}

function itemSource(schema: Demand['resource']): ItemSource {
  const items = own(schema, 'items')
  return Array.isArray(items)
    ? { byIndex: items, rest: own(schema, 'additionalItems') }
    : { byIndex: listOf(schema, 'prefixItems'), rest: items }
}

function lengthOf(facts: Facts, sources: readonly ItemSource[], { random }: Place, isShort: boolean): number {
  const least = Math.max(limit(facts, 'minItems', 'most') ?? 0, containsCount(facts))
  const closed = sources.filter(({ rest }) => rest === false).map(({ byIndex }) => byIndex.length)
  const most = Math.min(limit(facts, 'maxItems', 'least') ?? Number.POSITIVE_INFINITY, ...closed)
  if (isShort) return least
  const usual = Math.max(wholeBetween(random, 1, 3), ...sources.map(({ byIndex }) => byIndex.length))
  return Math.max(least, Math.min(most, usual))
}

function itemDemands({ nodes }: Facts, sources: readonly ItemSource[], index: number): Demand[] {
  return nodes.flatMap(({ resource }, i) => {
    const { byIndex = [], rest } = sources[i] ?? {}
    const schema = index < byIndex.length ? byIndex[index] : rest
    return schema === undefined ? [] : [{ schema, resource }]
  })
}

function containsDemands({ nodes }: Facts): Demand[] {
  return nodes
    .filter(({ schema }) => Object.hasOwn(schema, 'contains'))
    .map(({ schema, resource }) => ({ schema: schema.contains, resource }))
}

function containsCount(facts: Facts): number {
  return containsDemands(facts).length === 0 ? 0 : (limit(facts, 'minContains', 'most') ?? 1)
}

function unlike(seen: Set<string>, make: (again: number) => unknown): { value: unknown } | undefined {
  for (let again = 0; again < maxTries; again++) {
    const value = make(again)
    const text = canonical(value)
    if (seen.has(text)) continue
    seen.add(text)
    return { value }
  }
  return undefined
}
