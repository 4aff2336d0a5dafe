/** Objects: what is required, some of what is allowed, and keys of their own where only a form of keys is given. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own, setOwn } from '../../json/object.ts'
import { compilePattern } from '../../schema/pattern/pattern.ts'
import { wholeBetween } from '../random.ts'
import type { Demand, Facts } from './facts.ts'
import { limit } from './facts.ts'
import { listOf } from './heights.ts'
import type { Maker } from './maker.ts'
import { textFor } from './pattern-text.ts'
import type { Place } from './place.ts'

/** How likely a property is that may be left out. */
const usualPresence = 0.7

export function makeObject(given: Facts, place: Place, maker: Maker): JsonObject {
  const first = chooseKeys(given, place, maker)
  const { facts, keys } = withDependents(given, first, place, maker)
  const members = openMembers(facts)
  const out: Record<string, unknown> = {}
  for (const key of keys) setOwn(out, key, maker.make(demandsFor(key, members), place, key))
  fillUp(out, { facts, members, place, maker })
  return out
}

/** What a schema says of members, ready to be asked for one key after the other. */
interface Members {
  readonly properties: JsonObject
  readonly patterns: readonly {
    readonly source: string
    readonly schema: unknown
    fits(key: string): boolean
  }[]
  readonly rest: unknown
  readonly resource: JsonObject
}

function openMembers({ nodes }: Facts): Members[] {
  return nodes.map(({ schema, resource }) => {
    const byPattern = own(schema, 'patternProperties')
    const patterns = Object.entries(isObject(byPattern) ? byPattern : {}).map(([source, member]) => {
      const compiled = compilePattern(source)
      const fits = (key: string): boolean =>
        compiled.kind === 'matcher' && compiled.matcher.test(key) === 'match'
      return { source, schema: member, fits }
    })
    return {
      properties: mapOf(schema, 'properties'),
      patterns,
      rest: own(schema, 'additionalProperties'),
      resource,
    }
  })
}

function mapOf(schema: JsonObject, keyword: string): JsonObject {
  const value = own(schema, keyword)
  return isObject(value) ? value : {}
}

/** Every schema that the member under this key must satisfy. */
function demandsFor(key: string, members: readonly Members[]): Demand[] {
  return members.flatMap(({ properties, patterns, rest, resource }) => {
    const schemas = patterns.filter(({ fits }) => fits(key)).map(({ schema }) => schema)
    if (Object.hasOwn(properties, key)) schemas.push(properties[key])
    if (schemas.length === 0 && rest !== undefined) schemas.push(rest)
    return schemas.map(schema => ({ schema, resource }))
  })
}

function chooseKeys(facts: Facts, place: Place, maker: Maker): Set<string> {
  const members = openMembers(facts)
  const keys = new Set(facts.nodes.flatMap(({ schema }) => listOf(schema, 'required').filter(isText)))
  const declared = new Set(members.flatMap(({ properties }) => Object.keys(properties)))
  const optional = [...declared].filter(key => !keys.has(key) && isPossible(key, members, maker))
  const least = limit(facts, 'minProperties', 'most') ?? 0
  const most = limit(facts, 'maxProperties', 'least') ?? Number.POSITIVE_INFINITY
  for (const [i, key] of optional.entries()) {
    const isNeeded = keys.size + optional.length - i <= least
    const isWanted = !maker.isShort(place) && place.random() < usualPresence
    if (keys.size < most && (isNeeded || isWanted || (keys.size < least && maker.isShort(place))))
      keys.add(key)
  }
  // In the order of their declaration, as a model writes them.
  return new Set(
    [...declared].filter(key => keys.has(key)).concat([...keys].filter(key => !declared.has(key))),
  )
}

const isText = (value: unknown): value is string => typeof value === 'string'

function isPossible(key: string, members: readonly Members[], { heightOf }: Maker): boolean {
  return demandsFor(key, members).every(({ schema }) => heightOf(schema) !== Number.POSITIVE_INFINITY)
}

/** A key may bring others with it, or a whole schema that then holds for the object; until nothing new comes. */
function withDependents(
  given: Facts,
  first: ReadonlySet<string>,
  place: Place,
  maker: Maker,
): { facts: Facts; keys: ReadonlySet<string> } {
  let facts = given
  const keys = new Set(first)
  const done = new Set<unknown>()
  for (let isNew = true; isNew; ) {
    isNew = false
    const extra: Demand[] = []
    for (const { schema, resource } of facts.nodes) {
      for (const dependent of dependentsOf(schema, keys)) {
        if (done.has(dependent)) continue
        done.add(dependent)
        isNew = true
        if (Array.isArray(dependent)) for (const key of dependent.filter(isText)) keys.add(key)
        else extra.push({ schema: dependent, resource })
      }
    }
    if (extra.length > 0) {
      facts = maker.gather([...facts.nodes, ...extra], place)
      for (const { schema } of facts.nodes)
        for (const key of listOf(schema, 'required').filter(isText)) keys.add(key)
    }
  }
  return { facts, keys }
}

function dependentsOf(schema: JsonObject, keys: ReadonlySet<string>): unknown[] {
  return ['dependentRequired', 'dependentSchemas', 'dependencies'].flatMap(keyword =>
    Object.entries(mapOf(schema, keyword))
      .filter(([key]) => keys.has(key))
      .map(([, dependent]) => dependent),
  )
}

interface Filling {
  readonly facts: Facts
  readonly members: readonly Members[]
  readonly place: Place
  readonly maker: Maker
}

/** Objects that are maps have no declared keys, and some objects must have more than are declared. */
function fillUp(out: Record<string, unknown>, { facts, members, place, maker }: Filling): void {
  const least = limit(facts, 'minProperties', 'most') ?? 0
  const most = limit(facts, 'maxProperties', 'least') ?? Number.POSITIVE_INFINITY
  const isMap = members.some(({ rest, patterns }) => isObject(rest) || patterns.length > 0)
  const isBare = members.every(({ properties }) => Object.keys(properties).length === 0)
  const usual = isMap && isBare && !maker.isShort(place) ? wholeBetween(place.random, 1, 2) : 0
  const wanted = Math.min(most, Math.max(least, usual))
  let count = Object.keys(out).length
  for (let tries = 0; count < wanted && tries < wanted * 10 + 10; tries++) {
    const key = newKey(facts, members, place, tries)
    if (Object.hasOwn(out, key)) continue
    count += 1
    setOwn(out, key, maker.make(demandsFor(key, members), place, key))
  }
}

function newKey(facts: Facts, members: readonly Members[], { random }: Place, tries: number): string {
  const lengths = { least: 1, most: 60 }
  for (const { schema } of facts.nodes) {
    const names = own(schema, 'propertyNames')
    if (!isObject(names)) continue
    const listed = listOf(names, 'enum').filter(isText)
    const pattern = own(names, 'pattern')
    const text =
      typeof pattern === 'string' ? textFor(pattern, lengths, random) : listed[tries % listed.length]
    if (text !== undefined) return text
  }
  for (const { patterns, rest } of members) {
    const [first] = patterns
    const text = first === undefined || isObject(rest) ? undefined : textFor(first.source, lengths, random)
    if (text !== undefined) return text
  }
  return `key${tries + 1}`
}
