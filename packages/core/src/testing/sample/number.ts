/** Numbers within their bounds. */
import { own } from '../../json/object.ts'
import { wholeBetween } from '../random.ts'
import type { Facts } from './facts.ts'
import { limit } from './facts.ts'
import type { Place } from './place.ts'

/** How far from its one bound, or from zero, a number may be when nothing else is said. */
const usualSpan = 100

export function makeNumber(facts: Facts, isInteger: boolean, { random }: Place, isMinimal: boolean): number {
  const step = stepOf(facts) ?? (isInteger ? 1 : undefined)
  const { low, high } = bounds(facts, step)
  if (step === undefined) return fraction(low, high, isMinimal ? 0 : random())
  // Counted in steps, so that a whole number of them always comes out.
  const fix = (edge: number): number => Number(edge.toPrecision(12))
  let [first, last] = [Math.ceil(fix(low.value / step)), Math.floor(fix(high.value / step))]
  if (low.isOut && first * step <= low.value) first += 1
  if (high.isOut && last * step >= high.value) last -= 1
  const count = isMinimal ? nearestToZero(first, last) : wholeBetween(random, first, Math.max(first, last))
  return fix(count * step) + 0
}

interface Edge {
  readonly value: number
  /** The edge itself is not allowed. */
  readonly isOut: boolean
}

function bounds(facts: Facts, step: number | undefined): { low: Edge; high: Edge } {
  const low = edge(limit(facts, 'minimum', 'most'), limit(facts, 'exclusiveMinimum', 'most'), Math.max)
  const high = edge(limit(facts, 'maximum', 'least'), limit(facts, 'exclusiveMaximum', 'least'), Math.min)
  const span = usualSpan * Math.max(1, step ?? 1)
  if (low === undefined && high === undefined) return { low: inside(0), high: inside(span) }
  if (low === undefined) return { low: inside((high?.value ?? 0) - span), high: high ?? inside(span) }
  // Bounds as far apart as numbers go say nothing about what is usual.
  const isWide = high !== undefined && high.value - low.value > 1e12
  if (isWide && low.value < 0 && high.value > span) return { low: inside(0), high: inside(span) }
  return { low, high: high === undefined || isWide ? inside(low.value + span) : high }
}

const inside = (value: number): Edge => ({ value, isOut: false })

function edge(
  included: number | undefined,
  excluded: number | undefined,
  tightest: (a: number, b: number) => number,
): Edge | undefined {
  if (excluded === undefined) return included === undefined ? undefined : inside(included)
  if (included === undefined) return { value: excluded, isOut: true }
  const value = tightest(included, excluded)
  return { value, isOut: value === excluded }
}

function fraction(low: Edge, high: Edge, chance: number): number {
  const exact = low.value + (high.value - low.value) * (low.isOut && chance === 0 ? 0.5 : chance)
  const short = Math.round(exact * 100) / 100
  return (short > low.value || (short === low.value && !low.isOut)) && short < high.value ? short : exact
}

function nearestToZero(first: number, last: number): number {
  return first > 0 ? first : last < 0 ? last : 0
}

/** One step that is a multiple of all that are stated; of fractions, only where one is a multiple of the other. */
function stepOf(facts: Facts): number | undefined {
  const steps = facts.nodes
    .map(({ schema }) => own(schema, 'multipleOf'))
    .filter(value => typeof value === 'number' && value > 0 && Number.isFinite(value)) as number[]
  if (steps.length === 0) return undefined
  return steps.reduce((a, b) => {
    if (Number.isInteger(a) && Number.isInteger(b)) return (a * b) / greatestDivisor(a, b)
    return Math.max(a, b)
  })
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}
