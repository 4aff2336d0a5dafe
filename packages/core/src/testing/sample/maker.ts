/** Makes one value after the other, from the root down, each from all the schemas that hold for it. */
import type { JsonObject } from '../../json/object.ts'
import { own } from '../../json/object.ts'
import { hasType } from '../../schema/equal.ts'
import type { RefIndex } from '../../schema/refs/refs.ts'
import { makeArray } from './array.ts'
import type { Demand, Facts } from './facts.ts'
import { gatherFacts } from './facts.ts'
import type { Heights } from './heights.ts'
import { heightByType } from './heights.ts'
import { makeNumber } from './number.ts'
import { makeObject } from './object.ts'
import type { Attempts, Place } from './place.ts'
import { pick, placeInside, rootPlace } from './place.ts'
import type { TextStyle } from './text.ts'
import { makeText } from './text.ts'

export interface Maker {
  /** The value inside `place` under `key`; `again` draws another one. */
  make(demands: readonly Demand[], place: Place, key: string | number, again?: number): unknown
  gather(demands: readonly Demand[], place: Place): Facts
  /** Only what must be: the sample is to be minimal, or has grown enough. */
  isShort(place: Place): boolean
  readonly heightOf: Heights
}

interface MakerOptions extends TextStyle {
  readonly refs: RefIndex
  readonly heightOf: Heights
  readonly seed: number
}

/** The schema asks for more than a sample can hold. */
export class SampleTooLarge extends Error {}

/** Beyond these a sample takes the shortest way to its end. */
const usualDepth = 6
const usualSize = 500

const maxDepth = 200
const maxSize = 20_000

export function makeValue(
  schema: unknown,
  resource: JsonObject,
  options: MakerOptions,
  attempts: Attempts,
): unknown {
  const { refs, heightOf, isMinimal, isOdd } = options
  let size = 0

  const isShort = ({ depth }: Place): boolean => isMinimal || depth >= usualDepth || size > usualSize

  /** The least value is one and the same; where it was no good, others must be tried. */
  const isLeast = ({ isRedrawn }: Place): boolean => isMinimal && !isRedrawn

  const gather = (demands: readonly Demand[], place: Place): Facts =>
    gatherFacts(demands, { refs, heightOf, random: place.random, isShort: isShort(place) })

  const makeAt = (demands: readonly Demand[], place: Place): unknown => {
    if (++size > maxSize || place.depth > maxDepth) {
      throw new SampleTooLarge(
        `A value would need more than ${maxSize} parts or ${maxDepth} levels; what it requires has no end.`,
      )
    }
    const facts = gather(demands, place)
    const stated = statedValue(facts, place, isLeast(place))
    return stated === undefined ? byType(facts, place) : stated.value
  }

  const byType = (facts: Facts, place: Place): unknown => {
    const type = chooseType(facts, place, isShort(place), heightOf)
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return place.random() < 0.5
      case 'integer':
      case 'number':
        return makeNumber(facts, type === 'integer', place, isLeast(place))
      case 'array':
        return makeArray(facts, place, maker)
      case 'object':
        return makeObject(facts, place, maker)
      default:
        return makeText(facts, place, { isMinimal: isLeast(place), isOdd })
    }
  }

  const maker: Maker = {
    gather,
    isShort,
    heightOf,
    make: (demands, place, key, again) => makeAt(demands, placeInside(place, key, attempts, again)),
  }
  return makeAt([{ schema, resource }], rootPlace(options.seed, attempts))
}

/** What the schema itself names: one of its listed values, or mostly what its author had in mind. */
function statedValue(
  { listed, wishes, types }: Facts,
  { random, attempt }: Place,
  isLeast: boolean,
): { value: unknown } | undefined {
  const fits = (value: unknown): boolean => types === undefined || hasType(value, types)
  if (listed !== undefined) {
    const fitting = listed.filter(fits)
    return fitting.length === 0 ? undefined : copyOf(isLeast ? fitting[0] : pick(random, fitting))
  }
  const fitting = wishes.filter(fits)
  if (fitting.length === 0 || attempt > 0 || (!isLeast && random() > 0.75)) return undefined
  return copyOf(isLeast ? fitting[0] : pick(random, fitting))
}

/** The caller may change a sample; the schema must not change with it. */
function copyOf(value: unknown): { value: unknown } {
  return { value: JSON.parse(JSON.stringify(value ?? null)) }
}

/** What each keyword is about, for schemas that do not say. */
const speaksOf: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  [
    'object',
    ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'propertyNames'],
  ],
  ['array', ['items', 'prefixItems', 'minItems', 'contains', 'uniqueItems']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

function chooseType(facts: Facts, place: Place, isShort: boolean, heightOf: Heights): string {
  const { types } = facts
  if (types === undefined) {
    const about = speaksOf.find(([, keywords]) =>
      facts.nodes.some(({ schema }) => keywords.some(keyword => own(schema, keyword) !== undefined)),
    )
    // A condition may forbid what the keywords speak of; then anything else is a try.
    if (place.attempt > 2) return pick(place.random, everyType) ?? 'string'
    return about?.[0] ?? 'string'
  }
  if (isShort) return shallowest(types, facts, heightOf)
  const others = types.filter(type => type !== 'null')
  const isNull = others.length === 0 || (types.includes('null') && place.random() < 0.2)
  return isNull ? 'null' : (pick(place.random, others) ?? 'string')
}

const everyType = ['string', 'number', 'boolean', 'null', 'object', 'array'] as const

function shallowest(types: readonly string[], { nodes }: Facts, heightOf: Heights): string {
  const heights = types.map(type =>
    Math.max(0, ...nodes.map(({ schema }) => heightByType(type, schema, heightOf))),
  )
  return types[heights.indexOf(Math.min(...heights))] ?? 'string'
}
