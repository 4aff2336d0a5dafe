/** Makes a value from the root down, each part from all the schemas that apply to it. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own, setOwn } from '../../json/object.ts'
import { canonical, hasType } from '../../schema/equal.ts'
import type { RefIndex } from '../../schema/refs/refs.ts'
import type { Random } from '../random.ts'
import { pick, wholeBetween } from '../random.ts'
import { makeNumber, makeText } from './make-scalar.ts'
import type { LeastDepth, MergedSchema, SchemaAt } from './merged-schema.ts'
import { arrayIn, limitOf, mergeSchemas } from './merged-schema.ts'

export interface MakeOptions {
  readonly refs: RefIndex
  readonly depthOf: LeastDepth
  readonly random: Random
  /** How many values were made before and found invalid. */
  readonly round: number
  readonly isMinimal: boolean
  readonly hasOddTexts: boolean
}

/** The schema requires more than a sample can hold. */
export class SampleTooLarge extends Error {}

/** Beyond these a value gets only what is required. */
const usualDepth = 6
const usualSize = 500

const maxDepth = 200
const maxSize = 20_000
/** How likely an optional property is. */
const presence = 0.7
/** How often a repeated item of a `uniqueItems` array is made again. */
const uniqueTries = 200

export function makeValue(root: unknown, options: MakeOptions): unknown {
  const resource = isObject(root) ? root : {}
  const { isMinimal, round } = options
  return new ValueMaker(options).make([{ schema: root, resource }], 0, isMinimal && round === 0)
}

class ValueMaker {
  readonly #options: MakeOptions
  #size = 0

  constructor(options: MakeOptions) {
    this.#options = options
  }

  /** `isLeast`: the smallest value. Where that one was invalid, any value is tried. */
  make(schemas: readonly SchemaAt[], depth: number, isLeast: boolean): unknown {
    if (++this.#size > maxSize || depth > maxDepth) {
      throw new SampleTooLarge(
        `A value would need more than ${maxSize} parts or ${maxDepth} levels; what it requires has no end.`,
      )
    }
    const { random, refs, round, isMinimal, hasOddTexts } = this.#options
    const isShort = isMinimal || depth >= usualDepth || this.#size > usualSize
    const merged = mergeSchemas(schemas, refs, branches => this.#chooseBranch(branches, isShort))
    const stated = this.#statedValues(merged, isLeast)
    if (stated.length > 0) {
      const value = isLeast ? stated[0] : pick(random, stated)
      // The caller may change a sample, and the schema must not change with it.
      return JSON.parse(JSON.stringify(value ?? null))
    }
    const type = this.#chooseType(merged, isShort)
    if (type === 'null') return null
    if (type === 'boolean') return !isLeast && random() < 0.5
    if (type === 'integer' || type === 'number')
      return makeNumber(merged, type === 'integer', random, isLeast)
    if (type === 'string') return makeText(merged, { random, isLeast, round, hasOddTexts })
    if (type === 'array') return this.#makeArray(merged, depth, isShort, isLeast)
    const out: Record<string, unknown> = {}
    for (const key of this.#chooseKeys(merged, isShort))
      setOwn(out, key, this.make(memberSchemas(key, merged), depth + 1, isLeast))
    return out
  }

  #chooseBranch(branches: readonly unknown[], isShort: boolean): unknown {
    const depths = branches.map(this.#options.depthOf)
    const least = Math.min(...depths)
    const possible = branches.filter((_, i) => (isShort ? depths[i] === least : depths[i] !== Infinity))
    return pick(this.#options.random, possible.length > 0 ? possible : branches)
  }

  /** Values that the schema names: its listed ones, or mostly its examples and defaults. */
  #statedValues({ listed, preferred, types }: MergedSchema, isLeast: boolean): readonly unknown[] {
    const fitting = (listed ?? preferred).filter(value => types === undefined || hasType(value, types))
    if (listed !== undefined || isLeast) return fitting
    const { round, random } = this.#options
    // An example that does not fit must not be tried for ever.
    return random() < (round === 0 ? 0.75 : 0.25) ? fitting : []
  }

  #chooseType({ types, nodes }: MergedSchema, isShort: boolean): string {
    const { random, round } = this.#options
    if (types === undefined) {
      // Another schema, such as one under `not`, may forbid the type that the keywords suggest.
      const everyType = ['string', 'number', 'boolean', 'null', 'object', 'array']
      if (round > 2 && random() < 0.5) return pick(random, everyType) ?? 'string'
      const has = (keywords: readonly string[]): boolean =>
        nodes.some(({ schema }) => keywords.some(keyword => Object.hasOwn(schema, keyword)))
      return typeKeywords.find(([, keywords]) => has(keywords))?.[0] ?? 'string'
    }
    if (isShort) return types.find(type => type !== 'object' && type !== 'array') ?? types[0] ?? 'string'
    const others = types.filter(type => type !== 'null')
    const isNull = others.length === 0 || (types.includes('null') && random() < 0.2)
    return isNull ? 'null' : (pick(random, others) ?? 'string')
  }

  #makeArray(merged: MergedSchema, depth: number, isShort: boolean, isLeast: boolean): unknown[] {
    const { nodes } = merged
    const tuples = nodes.map(({ schema }) => arrayIn(schema, 'prefixItems'))
    const least = limitOf(merged, 'minItems', Math.max) ?? 0
    const closed = nodes.flatMap(({ schema }, n) =>
      own(schema, 'items') === false ? [tuples[n]?.length ?? 0] : [],
    )
    const most = Math.min(limitOf(merged, 'maxItems', Math.min) ?? Infinity, ...closed)
    const usual = Math.max(wholeBetween(this.#options.random, 1, 3), ...tuples.map(({ length }) => length))
    const length = isShort ? least : Math.max(least, Math.min(most, usual))
    const isUnique = nodes.some(({ schema }) => own(schema, 'uniqueItems') === true)
    const out: unknown[] = []
    const seen = new Set<string>()
    for (let tries = 0; out.length < length && tries < length + uniqueTries; tries++) {
      const schemas = nodes.flatMap(({ schema, resource }, n) => {
        const item = tuples[n]?.[out.length] ?? own(schema, 'items')
        return item === undefined ? [] : [{ schema: item, resource }]
      })
      const value = this.make(schemas, depth + 1, isLeast && tries === out.length)
      if (isUnique && seen.has(canonical(value))) continue
      if (isUnique) seen.add(canonical(value))
      out.push(value)
    }
    return out
  }

  /** Required keys, some of the optional ones, and made-up ones where the schema describes a map. */
  #chooseKeys(merged: MergedSchema, isShort: boolean): readonly string[] {
    const { random, round, depthOf } = this.#options
    const required = merged.nodes.flatMap(({ schema }) => arrayIn(schema, 'required'))
    const keys = new Set(required.filter(key => typeof key === 'string'))
    const declared = new Set(merged.nodes.flatMap(({ schema }) => Object.keys(propertiesOf(schema))))
    const isPossible = (key: string): boolean =>
      memberSchemas(key, merged).every(({ schema }) => depthOf(schema) !== Infinity)
    const optional = [...declared].filter(key => !keys.has(key) && isPossible(key))
    const least = limitOf(merged, 'minProperties', Math.max) ?? 0
    const most = limitOf(merged, 'maxProperties', Math.min) ?? Infinity
    for (const [i, key] of optional.entries()) {
      const isNeeded = keys.size + optional.length - i <= least
      const isWanted = isShort ? keys.size < least : random() < presence
      if (keys.size < most && (isNeeded || isWanted)) keys.add(key)
    }
    const isMap =
      declared.size === 0 && merged.nodes.some(({ schema }) => isObject(own(schema, 'additionalProperties')))
    // `propertyNames` may forbid made-up keys, so a map gets them in the first round only.
    const usual = isMap && !isShort && round === 0 ? wholeBetween(random, 1, 2) : 0
    for (let i = 1; keys.size < Math.min(most, Math.max(least, usual)); i++) keys.add(`key${i}`)
    // In the order of the schema, as a model writes them.
    return [...[...declared].filter(key => keys.has(key)), ...[...keys].filter(key => !declared.has(key))]
  }
}

/** The type that a keyword is about, for schemas without a type. */
const typeKeywords: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'uniqueItems']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

function propertiesOf(schema: JsonObject): JsonObject {
  const value = own(schema, 'properties')
  return isObject(value) ? value : {}
}

function memberSchemas(key: string, { nodes }: MergedSchema): SchemaAt[] {
  return nodes.flatMap(({ schema, resource }) => {
    const properties = propertiesOf(schema)
    const member = Object.hasOwn(properties, key) ? properties[key] : own(schema, 'additionalProperties')
    return member === undefined ? [] : [{ schema: member, resource }]
  })
}
