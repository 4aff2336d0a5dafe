/** The keywords that look into objects. Keys are data: only own members count, whatever they are called. */
import { isObject, own } from '../../json/json.ts'
import type { Matcher } from '../pattern/pattern.ts'
import { type Check, collect, issue, missing, none, type Site, shorten, type ValidationIssue } from './run.ts'
import { patternOf } from './scalar.ts'

export function objectChecks(site: Site): Check[] {
  const { schema, path, compiler } = site
  const checks: Check[] = []
  const required = own(schema, 'required')
  if (Array.isArray(required))
    checks.push(
      requiredCheck(
        required.filter(key => typeof key === 'string'),
        'required',
      ),
    )
  else if (required !== undefined) compiler.malformed([...path, 'required'], 'a list of names')
  checks.push(...memberCheck(site), ...nameCheck(site), ...dependentChecks(site))
  return checks
}

function requiredCheck(names: readonly string[], keyword: string, because = ''): Check {
  return (value, place, run) => {
    if (!isObject(value)) return none
    const found: ValidationIssue[] = []
    for (const name of names) {
      if (Object.hasOwn(value, name)) continue
      if (!collect(found, [missing(place, name, keyword, because)], run)) break
    }
    return found.length === 0 ? none : found
  }
}

/** `properties`, `patternProperties` and `additionalProperties` are one check: the last depends on the others. */
function memberCheck(site: Site): Check[] {
  const { schema, path, resource, compiler } = site
  const byName = new Map<string, Check>()
  const properties = own(schema, 'properties')
  if (isObject(properties)) {
    for (const [key, member] of Object.entries(properties)) {
      byName.set(key, compiler.compile(member, [...path, 'properties', key], resource))
    }
  } else if (properties !== undefined) compiler.malformed([...path, 'properties'], 'an object')
  const { byPattern, complete } = patternMembers(site)
  const extra = own(schema, 'additionalProperties')
  const rest =
    extra === undefined || !complete
      ? undefined
      : compiler.compile(extra, [...path, 'additionalProperties'], resource)
  const names = byName.size === 0 ? 'none' : shorten([...byName.keys()].join(', '), 300)
  if (byName.size === 0 && byPattern.length === 0 && rest === undefined) return []
  return [
    (value, place, run, seen) => {
      if (!isObject(value)) return none
      const found: ValidationIssue[] = []
      for (const key of Object.keys(value)) {
        const here = { parent: place, key }
        const checks: Check[] = []
        for (const [matcher, check] of byPattern) {
          const result = matcher.test(key)
          if (result === 'match') checks.push(check)
          else if (result === 'undecided') run.exhausted = true
        }
        const named = byName.get(key)
        if (named !== undefined) checks.unshift(named)
        if (checks.length > 0 || rest !== undefined) seen?.keys.add(key)
        if (checks.length === 0 && rest !== undefined) {
          if (extra === false) {
            const text = `is not an allowed property; allowed: ${names}`
            if (!collect(found, issue(here, 'additionalProperties', text), run)) return found
          } else checks.push(rest)
        }
        for (const check of checks)
          if (!collect(found, check(own(value, key), here, run, undefined), run)) return found
      }
      return found.length === 0 ? none : found
    },
  ]
}

function patternMembers(site: Site): { byPattern: [Matcher, Check][]; complete: boolean } {
  const { schema, path, resource, compiler } = site
  const patterns = own(schema, 'patternProperties')
  const byPattern: [Matcher, Check][] = []
  let complete = true
  if (isObject(patterns)) {
    for (const [source, member] of Object.entries(patterns)) {
      const matcher = patternOf(site, source, ['patternProperties', source])
      const check = compiler.compile(member, [...path, 'patternProperties', source], resource)
      if (matcher === undefined) complete = false
      else byPattern.push([matcher, check])
    }
  } else if (patterns !== undefined) compiler.malformed([...path, 'patternProperties'], 'an object')
  // Without one of the patterns nobody can say which keys are additional; the pattern itself was reported.
  return { byPattern, complete }
}

function nameCheck({ schema, path, resource, compiler }: Site): Check[] {
  const names = own(schema, 'propertyNames')
  if (names === undefined) return []
  const check = compiler.compile(names, [...path, 'propertyNames'], resource)
  return [
    (value, place, run) => {
      if (!isObject(value)) return none
      const found: ValidationIssue[] = []
      for (const key of Object.keys(value)) {
        const [first] = check(key, undefined, run, undefined)
        if (first === undefined) continue
        const text = `has a name that is not allowed: ${first.message.replace(/^the value/, 'the name')}`
        if (!collect(found, issue({ parent: place, key }, 'propertyNames', text), run)) break
      }
      return found.length === 0 ? none : found
    },
  ]
}

function dependentChecks({ schema, path, resource, compiler }: Site): Check[] {
  const checks: Check[] = []
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const map = own(schema, keyword)
    if (map === undefined) continue
    if (!isObject(map)) {
      compiler.malformed([...path, keyword], 'an object')
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
      checks.push((value, place, run, seen) =>
        isObject(value) && Object.hasOwn(value, key) ? inner(value, place, run, seen) : none,
      )
    }
  }
  return checks
}
