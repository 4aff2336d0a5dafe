/** Checks of the keywords that do not descend into a value: type, enum, ranges, sizes, pattern and format. */
import { isObject, own } from '../../json/object.ts'
import { canonical, hasType, jsonTypes, typeList } from '../equal.ts'
import { compilePattern, type Matcher } from '../pattern/pattern.ts'
import {
  type Check,
  countOf,
  describe,
  issue,
  noIssues,
  numberKeyword,
  type SchemaContext,
  shorten,
  typeNames,
  wrongValueText,
} from './check.ts'
import { formats } from './formats.ts'

export function scalarChecks(context: SchemaContext): Check[] {
  const { schema } = context
  const checks: Check[] = [...typeCheck(context), ...valueChecks(context)]
  for (const [keyword, rule] of numberRules) {
    const limit = numberKeyword(context, keyword)
    if (limit !== undefined) checks.push(numberCheck(keyword, limit, rule))
  }
  for (const size of sizes) {
    const [min, max] = [
      numberKeyword(context, `min${size.keyword}`),
      numberKeyword(context, `max${size.keyword}`),
    ]
    if (min !== undefined) checks.push(sizeCheck(size, 'min', min))
    if (max !== undefined) checks.push(sizeCheck(size, 'max', max))
  }
  const source = own(schema, 'pattern')
  const matcher = compileMatcher(context, source, ['pattern'])
  if (matcher !== undefined && typeof source === 'string') checks.push(patternCheck(matcher, source))
  const name = own(schema, 'format')
  const format = typeof name === 'string' ? formats.get(name) : undefined
  if (format !== undefined && typeof name === 'string') checks.push(formatCheck(format, name))
  return checks
}

function typeCheck({ schema, path, compiler }: SchemaContext): Check[] {
  if (!Object.hasOwn(schema, 'type')) return []
  const types = typeList(schema.type)
  if (types === undefined || !types.every(type => jsonTypes.has(type))) {
    compiler.reportMalformed([...path, 'type'], 'a type name or a list of them')
    return []
  }
  return [
    (value, at) =>
      hasType(value, types)
        ? noIssues
        : issue(at, 'type', `must be ${typeNames(types)}, got ${describe(value)}`),
  ]
}

function valueChecks({ schema, path, compiler }: SchemaContext): Check[] {
  const checks: Check[] = []
  const values = own(schema, 'enum')
  if (Array.isArray(values)) {
    const allowed = new Set(values.map(canonical))
    checks.push((value, at) =>
      allowed.has(canonical(value)) ? noIssues : issue(at, 'enum', wrongValueText(values, value)),
    )
  } else if (values !== undefined) compiler.reportMalformed([...path, 'enum'], 'a list')
  if (Object.hasOwn(schema, 'const')) {
    const only = canonical(schema.const)
    checks.push((value, at) =>
      canonical(value) === only ? noIssues : issue(at, 'const', wrongValueText([schema.const], value)),
    )
  }
  return checks
}

interface NumberRule {
  readonly holds: (value: number, limit: number) => boolean
  readonly phrase: string
}

const numberRules: readonly (readonly [string, NumberRule])[] = [
  ['minimum', { holds: (value, limit) => value >= limit, phrase: 'at least' }],
  ['exclusiveMinimum', { holds: (value, limit) => value > limit, phrase: 'more than' }],
  ['maximum', { holds: (value, limit) => value <= limit, phrase: 'at most' }],
  ['exclusiveMaximum', { holds: (value, limit) => value < limit, phrase: 'less than' }],
  ['multipleOf', { holds: isMultiple, phrase: 'a multiple of' }],
]

/** In binary fractions `0.3 / 0.1` is slightly less than 3, so a quotient this close to an integer counts as one. */
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
  return (value, at) => {
    if (typeof value !== 'number' || rule.holds(value, limit)) return noIssues
    return issue(at, keyword, `must be ${rule.phrase} ${limit}, got ${value}`)
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
  return (value, at) => {
    const size = of(value)
    if (size === undefined || (side === 'min' ? size >= limit : size <= limit)) return noIssues
    const bound = side === 'min' ? 'at least' : 'at most'
    return issue(at, `${side}${keyword}`, `must have ${bound} ${countOf(limit, ...names)}, has ${size}`)
  }
}

/** JSON Schema counts characters, not UTF-16 units. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** `undefined`, and reported, when the pattern is invalid or unsupported. */
export function compileMatcher(
  context: SchemaContext,
  source: unknown,
  at: readonly string[],
): Matcher | undefined {
  if (source === undefined) return undefined
  const path = [...context.path, ...at]
  if (typeof source !== 'string') return context.compiler.reportMalformed(path, 'a string')
  const compiled = compilePattern(source)
  if (compiled.kind === 'matcher') return compiled.matcher
  const code = compiled.kind === 'invalid' ? 'pattern_invalid' : 'pattern_not_checked'
  context.compiler.report(code, path, `The pattern ${shorten(source)} is not checked: ${compiled.reason}.`)
  return undefined
}

function patternCheck(matcher: Matcher, source: string): Check {
  return (value, at) => {
    if (typeof value !== 'string') return noIssues
    const result = matcher.test(value)
    if (result === 'match') return noIssues
    if (result === 'undecided')
      return issue(at, 'pattern', `is too long to be checked against the pattern ${shorten(source)}`)
    return issue(at, 'pattern', `must match the pattern ${shorten(source, 200)}, got ${describe(value)}`)
  }
}

function formatCheck(test: (text: string) => boolean, name: string): Check {
  return (value, at) =>
    typeof value !== 'string' || test(value)
      ? noIssues
      : issue(at, 'format', `must be in the format ${name}, got ${describe(value)}`)
}
