/** Checks of the keywords about objects. Only own members count, also under names such as `constructor`. */
import { append, isObject, own } from '../../json/object.ts'
import type { Matcher } from '../pattern/pattern.ts'
import {
  addIssues,
  type Check,
  issue,
  missingProperty,
  noIssues,
  type SchemaContext,
  shorten,
  type ValidationIssue,
} from './check.ts'
import { compileMatcher } from './scalar.ts'

export function objectChecks(context: SchemaContext): Check[] {
  const { schema, path, compiler } = context
  const checks: Check[] = []
  const required = own(schema, 'required')
  if (Array.isArray(required)) {
    for (const [i, key] of required.entries()) {
      if (typeof key !== 'string') compiler.reportMalformed([...path, 'required', i], 'a name')
    }
    const names = required.filter(key => typeof key === 'string')
    checks.push(requiredCheck(names, 'required'))
  } else if (required !== undefined) compiler.reportMalformed([...path, 'required'], 'a list of names')
  append(checks, memberCheck(context))
  append(checks, propertyNamesCheck(context))
  append(checks, dependentChecks(context))
  return checks
}

function requiredCheck(names: readonly string[], keyword: string, because = ''): Check {
  return (value, at, state) => {
    if (!isObject(value)) return noIssues
    const found: ValidationIssue[] = []
    for (const name of names) {
      if (Object.hasOwn(value, name)) continue
      if (!addIssues(found, [missingProperty(at, name, keyword, because)], state)) break
    }
    return found.length === 0 ? noIssues : found
  }
}

/** `properties`, `patternProperties` and `additionalProperties` are one check: the last depends on the others. */
function memberCheck(context: SchemaContext): Check[] {
  const { schema, path, resource, compiler } = context
  const byName = new Map<string, Check>()
  const properties = own(schema, 'properties')
  if (isObject(properties)) {
    for (const [key, member] of Object.entries(properties)) {
      byName.set(key, compiler.compile(member, [...path, 'properties', key], resource))
    }
  } else if (properties !== undefined) compiler.reportMalformed([...path, 'properties'], 'an object')
  const { byPattern, complete } = patternMembers(context)
  const extra = own(schema, 'additionalProperties')
  const rest =
    extra === undefined || !complete
      ? undefined
      : compiler.compile(extra, [...path, 'additionalProperties'], resource)
  const names = byName.size === 0 ? 'none' : shorten([...byName.keys()].join(', '), 300)
  if (byName.size === 0 && byPattern.length === 0 && rest === undefined) return []
  return [
    (value, at, state, evaluated) => {
      if (!isObject(value)) return noIssues
      const found: ValidationIssue[] = []
      for (const key of Object.keys(value)) {
        const here = { parent: at, key }
        const checks: Check[] = []
        for (const [matcher, check] of byPattern) {
          const result = matcher.test(key)
          if (result === 'match') checks.push(check)
          else if (result === 'undecided') state.exhausted = true
        }
        const named = byName.get(key)
        if (named !== undefined) checks.unshift(named)
        if (checks.length > 0 || rest !== undefined) evaluated?.keys.add(key)
        if (checks.length === 0 && rest !== undefined) {
          if (extra === false) {
            const text = `is not an allowed property; allowed: ${names}`
            if (!addIssues(found, issue(here, 'additionalProperties', text), state)) return found
          } else checks.push(rest)
        }
        for (const check of checks)
          if (!addIssues(found, check(own(value, key), here, state, undefined), state)) return found
      }
      return found.length === 0 ? noIssues : found
    },
  ]
}

function patternMembers(context: SchemaContext): { byPattern: [Matcher, Check][]; complete: boolean } {
  const { schema, path, resource, compiler } = context
  const patterns = own(schema, 'patternProperties')
  const byPattern: [Matcher, Check][] = []
  let complete = true
  if (isObject(patterns)) {
    for (const [source, member] of Object.entries(patterns)) {
      const matcher = compileMatcher(context, source, ['patternProperties', source])
      const check = compiler.compile(member, [...path, 'patternProperties', source], resource)
      if (matcher === undefined) complete = false
      else byPattern.push([matcher, check])
    }
  } else if (patterns !== undefined) compiler.reportMalformed([...path, 'patternProperties'], 'an object')
  // If one pattern cannot be checked, additional keys cannot be told from matching ones. The pattern was reported.
  return { byPattern, complete }
}

function propertyNamesCheck({ schema, path, resource, compiler }: SchemaContext): Check[] {
  const names = own(schema, 'propertyNames')
  if (names === undefined) return []
  const check = compiler.compile(names, [...path, 'propertyNames'], resource)
  return [
    (value, at, state) => {
      if (!isObject(value)) return noIssues
      const found: ValidationIssue[] = []
      for (const key of Object.keys(value)) {
        const [first] = check(key, undefined, state, undefined)
        if (first === undefined) continue
        const text = `has a name that is not allowed: ${first.message.replace(/^the value/, 'the name')}`
        if (!addIssues(found, issue({ parent: at, key }, 'propertyNames', text), state)) break
      }
      return found.length === 0 ? noIssues : found
    },
  ]
}

function dependentChecks({ schema, path, resource, compiler }: SchemaContext): Check[] {
  const checks: Check[] = []
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const map = own(schema, keyword)
    if (map === undefined) continue
    if (!isObject(map)) {
      compiler.reportMalformed([...path, keyword], 'an object')
      continue
    }
    for (const [key, dependent] of Object.entries(map)) {
      const inner = Array.isArray(dependent)
        ? requiredCheck(
            dependent.filter(name => typeof name === 'string'),
            keyword,
            `, needed beside ${JSON.stringify(key)}`,
          )
        : compiler.compile(dependent, [...path, keyword, key], resource)
      checks.push((value, at, state, evaluated) =>
        isObject(value) && Object.hasOwn(value, key) ? inner(value, at, state, evaluated) : noIssues,
      )
    }
  }
  return checks
}
