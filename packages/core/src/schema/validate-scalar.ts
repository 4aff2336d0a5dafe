/** The keywords that look at one value without going inside it. */
import { own } from '../model/json.ts'
import { canonical, jsonTypes, typeList, typeOf } from './equal.ts'
import { formats } from './formats.ts'
import { compilePattern, type Matcher } from './pattern.ts'
import {
  type Check,
  describe,
  issue,
  listValues,
  none,
  type Site,
  shorten,
  typeNames,
} from './validate-run.ts'

export function scalarChecks(site: Site): Check[] {
  const { schema, path, compiler } = site
  const checks: Check[] = [...typeCheck(site), ...valueChecks(site)]
  for (const [keyword, rule] of numberRules) {
    const limit = own(schema, keyword)
    if (limit === undefined) continue
    if (typeof limit === 'number') checks.push(numberCheck(keyword, limit, rule))
    else compiler.malformed([...path, keyword], 'a number')
  }
  for (const [keyword, sign] of lengthRules) {
    const limit = own(schema, keyword)
    if (limit === undefined) continue
    if (typeof limit === 'number') checks.push(lengthCheck(keyword, limit, sign))
    else compiler.malformed([...path, keyword], 'a number')
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
    (value, place) => {
      const type = typeOf(value)
      if (types.includes(type) || (type === 'number' && types.includes('integer') && Number.isInteger(value)))
        return none
      return issue(place, 'type', `must be ${typeNames(types)}, got ${describe(value)}`)
    },
  ]
}

function valueChecks({ schema, path, compiler }: Site): Check[] {
  const checks: Check[] = []
  const values = own(schema, 'enum')
  if (Array.isArray(values)) {
    const allowed = new Set(values.map(canonical))
    checks.push((value, place) =>
      allowed.has(canonical(value))
        ? none
        : issue(place, 'enum', `is not one of: ${listValues(values)}; got ${describe(value)}`),
    )
  } else if (values !== undefined) compiler.malformed([...path, 'enum'], 'a list')
  if (Object.hasOwn(schema, 'const')) {
    const only = canonical(schema.const)
    checks.push((value, place) =>
      canonical(value) === only
        ? none
        : issue(place, 'const', `must be ${shorten(only)}, got ${describe(value)}`),
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

const lengthRules = [
  ['minLength', 1],
  ['maxLength', -1],
] as const

function lengthCheck(keyword: string, limit: number, sign: 1 | -1): Check {
  return (value, place) => {
    if (typeof value !== 'string') return none
    const length = countCharacters(value)
    if ((length - limit) * sign >= 0) return none
    const bound = sign === 1 ? 'at least' : 'at most'
    return issue(place, keyword, `must have ${bound} ${limit} characters, has ${length}`)
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
