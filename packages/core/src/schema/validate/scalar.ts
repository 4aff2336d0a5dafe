/** The keywords that look at one value without going inside it. */
import { isObject, own } from '../../json/json.ts'
import { canonical, hasType, jsonTypes, typeList } from '../equal.ts'
import { compilePattern, type Matcher } from '../pattern/pattern.ts'
import { formats } from './formats.ts'
import {
  type Check,
  count,
  describe,
  issue,
  limitOf,
  none,
  type Site,
  shorten,
  typeNames,
  valueIssue,
} from './run.ts'

export function scalarChecks(site: Site): Check[] {
  const { schema } = site
  const checks: Check[] = [...typeCheck(site), ...valueChecks(site)]
  for (const [keyword, rule] of numberRules) {
    const limit = limitOf(site, keyword)
    if (limit !== undefined) checks.push(numberCheck(keyword, limit, rule))
  }
  for (const size of sizes) {
    const [min, max] = [limitOf(site, `min${size.keyword}`), limitOf(site, `max${size.keyword}`)]
    if (min !== undefined) checks.push(sizeCheck(size, 'min', min))
    if (max !== undefined) checks.push(sizeCheck(size, 'max', max))
  }
  const source = own(schema, 'pattern')
  const matcher = patternOf(site, source, ['pattern'])
  if (matcher !== undefined && typeof source === 'string') checks.push(patternCheck(matcher, source))
  const name = own(schema, 'format')
  const format = typeof name === 'string' ? formats.get(name) : undefined
  if (format !== undefined && typeof name === 'string') checks.push(formatCheck(format, name))
  return checks
}

function typeCheck({ schema, path, compiler }: Site): Check[] {
  if (!Object.hasOwn(schema, 'type')) return []
  const types = typeList(schema.type)
  if (types === undefined || !types.every(type => jsonTypes.has(type))) {
    compiler.malformed([...path, 'type'], 'a type name or a list of them')
    return []
  }
  return [
    (value, place) =>
      hasType(value, types)
        ? none
        : issue(place, 'type', `must be ${typeNames(types)}, got ${describe(value)}`),
  ]
}

function valueChecks({ schema, path, compiler }: Site): Check[] {
  const checks: Check[] = []
  const values = own(schema, 'enum')
  if (Array.isArray(values)) {
    const allowed = new Set(values.map(canonical))
    checks.push((value, place) =>
      allowed.has(canonical(value)) ? none : issue(place, 'enum', valueIssue(values, value)),
    )
  } else if (values !== undefined) compiler.malformed([...path, 'enum'], 'a list')
  if (Object.hasOwn(schema, 'const')) {
    const only = canonical(schema.const)
    checks.push((value, place) =>
      canonical(value) === only ? none : issue(place, 'const', valueIssue([schema.const], value)),
    )
  }
  return checks
}

interface NumberRule {
  readonly holds: (value: number, limit: number) => boolean
  readonly says: string
}

const numberRules: readonly (readonly [string, NumberRule])[] = [
  ['minimum', { holds: (value, limit) => value >= limit, says: 'at least' }],
  ['exclusiveMinimum', { holds: (value, limit) => value > limit, says: 'more than' }],
  ['maximum', { holds: (value, limit) => value <= limit, says: 'at most' }],
  ['exclusiveMaximum', { holds: (value, limit) => value < limit, says: 'less than' }],
  ['multipleOf', { holds: isMultiple, says: 'a multiple of' }],
]

/** Binary fractions make `0.3 / 0.1` a hair less than 3, so a quotient this near to a whole number is one. */
function isMultiple(value: number, divisor: number): boolean {
  if (divisor <= 0) return true
  if (Number.isInteger(value) && Number.isInteger(divisor)) return value % divisor === 0
  const quotient = value / divisor
  return (
    Number.isFinite(quotient) &&
    Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient) / 1e6)
  )
}

function numberCheck(keyword: string, limit: number, rule: NumberRule): Check {
  return (value, place) => {
    if (typeof value !== 'number' || rule.holds(value, limit)) return none
    return issue(place, keyword, `must be ${rule.says} ${limit}, got ${value}`)
  }
}

interface Size {
  readonly keyword: string
  readonly names: readonly [one: string, many: string]
  readonly of: (value: unknown) => number | undefined
}

const sizes: readonly Size[] = [
  {
    keyword: 'Length',
    names: ['character', 'characters'],
    of: value => (typeof value === 'string' ? countCharacters(value) : undefined),
  },
  {
    keyword: 'Items',
    names: ['item', 'items'],
    of: value => (Array.isArray(value) ? value.length : undefined),
  },
  {
    keyword: 'Properties',
    names: ['property', 'properties'],
    of: value => (isObject(value) ? Object.keys(value).length : undefined),
  },
]

function sizeCheck({ keyword, names, of }: Size, side: 'min' | 'max', limit: number): Check {
  return (value, place) => {
    const size = of(value)
    if (size === undefined || (side === 'min' ? size >= limit : size <= limit)) return none
    const bound = side === 'min' ? 'at least' : 'at most'
    return issue(place, `${side}${keyword}`, `must have ${bound} ${count(limit, ...names)}, has ${size}`)
  }
}

/** JSON Schema counts characters, not UTF-16 units. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The matcher of a foreign pattern; when there can be none, that is reported and nothing is matched. */
export function patternOf(site: Site, source: unknown, at: readonly string[]): Matcher | undefined {
  if (source === undefined) return undefined
  const path = [...site.path, ...at]
  if (typeof source !== 'string') return site.compiler.malformed(path, 'a string')
  const compiled = compilePattern(source)
  if (compiled.kind === 'matcher') return compiled.matcher
  const code = compiled.kind === 'invalid' ? 'pattern_invalid' : 'pattern_not_checked'
  site.compiler.report(code, path, `The pattern ${shorten(source)} is not checked: ${compiled.reason}.`)
  return undefined
}

function patternCheck(matcher: Matcher, source: string): Check {
  return (value, place) => {
    if (typeof value !== 'string') return none
    const result = matcher.test(value)
    if (result === 'match') return none
    if (result === 'undecided')
      return issue(place, 'pattern', `is too long to be checked against the pattern ${shorten(source)}`)
    return issue(place, 'pattern', `must match the pattern ${shorten(source, 200)}, got ${describe(value)}`)
  }
}

function formatCheck(test: (text: string) => boolean, name: string): Check {
  return (value, place) =>
    typeof value !== 'string' || test(value)
      ? none
      : issue(place, 'format', `must be in the format ${name}, got ${describe(value)}`)
}
