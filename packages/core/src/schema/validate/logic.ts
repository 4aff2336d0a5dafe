/** The keywords that combine schemas over one value, and the wording of a union that nothing matched. */
import { own } from '../../json/json.ts'
import { typeList } from '../equal.ts'
import {
  type Check,
  collect,
  describe,
  issue,
  mergeSeen,
  newSeen,
  none,
  type Place,
  pointerOf,
  type Site,
  shorten,
  typeNames,
  type ValidationIssue,
} from './run.ts'
import { explainByTags, type Tag } from './tags.ts'

export function logicChecks(site: Site): Check[] {
  const { schema, path, resource, compiler } = site
  const one = (keyword: string): Check | undefined => {
    const value = own(schema, keyword)
    return value === undefined ? undefined : compiler.compile(value, [...path, keyword], resource)
  }
  const list = (keyword: string): Check[] | undefined => {
    const value = own(schema, keyword)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return compiler.malformed([...path, keyword], 'a list of schemas')
    return value.map((member, index) => compiler.compile(member, [...path, keyword, index], resource))
  }
  const checks: Check[] = []
  const all = list('allOf')
  if (all !== undefined) checks.push(allCheck(all))
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = list(keyword)
    if (branches !== undefined) checks.push(unionCheck(branches, keyword, own(schema, keyword), site))
  }
  const not = one('not')
  if (not !== undefined) checks.push(notCheck(not, shorten(JSON.stringify(schema.not) ?? '', 120)))
  const condition = one('if')
  const [then, otherwise] = [one('then'), one('else')]
  if (condition !== undefined) checks.push(conditionCheck(condition, then, otherwise))
  return checks
}

function allCheck(checks: readonly Check[]): Check {
  return (value, place, run, seen) => {
    const found: ValidationIssue[] = []
    for (const check of checks) if (!collect(found, check(value, place, run, seen), run)) break
    return found.length === 0 ? none : found
  }
}

function notCheck(check: Check, forbidden: string): Check {
  return (value, place, run) =>
    check(value, place, run, undefined).length > 0
      ? none
      : issue(place, 'not', `must not match ${forbidden}, got ${describe(value)}`)
}

function conditionCheck(condition: Check, then: Check | undefined, otherwise: Check | undefined): Check {
  return (value, place, run, seen) => {
    const inner = newSeen(seen)
    const holds = condition(value, place, run, inner).length === 0
    if (holds) mergeSeen(seen, inner)
    const next = holds ? then : otherwise
    return next === undefined ? none : next(value, place, run, seen)
  }
}

function unionCheck(
  branches: readonly Check[],
  keyword: 'anyOf' | 'oneOf',
  schemas: unknown,
  { resource, compiler }: Site,
): Check {
  const types = topTypes(schemas)
  // Found when first needed: most unions are never failed.
  let tags: readonly Tag[] | undefined
  return (value, place, run, seen) => {
    const failures: (readonly ValidationIssue[])[] = []
    const matched: number[] = []
    for (const [index, branch] of branches.entries()) {
      const inner = newSeen(seen)
      const issues = branch(value, place, run, inner)
      failures.push(issues)
      if (issues.length > 0) continue
      matched.push(index + 1)
      mergeSeen(seen, inner)
      // Which other branches match only matters to `oneOf` and to what counts as evaluated.
      if (keyword === 'anyOf' && seen === undefined) return none
    }
    if (matched.length === 1 || (matched.length > 1 && keyword === 'anyOf')) return none
    if (matched.length > 1) {
      return issue(
        place,
        keyword,
        `must match exactly one of the allowed forms, but matches ${matched.join(' and ')}`,
      )
    }
    tags ??= compiler.findTags(Array.isArray(schemas) ? schemas : [], resource)
    return explainByTags(value, place, tags, failures) ?? explain(value, place, keyword, failures, types)
  }
}

/** A model can act on the nearest form's issues; a list of every form's complaints only confuses it. */
function explain(
  value: unknown,
  place: Place | undefined,
  keyword: string,
  failures: readonly (readonly ValidationIssue[])[],
  types: readonly (string[] | undefined)[],
): readonly ValidationIssue[] {
  const here = pointerOf(place)
  const near = failures.filter(issues => !issues.some(one => one.path === here && isIdentity(one.keyword)))
  const chosen = near.filter(
    issues => !issues.some(one => parentOf(one.path) === here && isChoice(one.keyword)),
  )
  const [best] = chosen.length === 1 ? chosen : near
  if (best !== undefined && (chosen.length === 1 || near.length === 1)) return best
  const known = types.flatMap(list => list ?? [])
  if (near.length === 0 && types.every(list => list !== undefined) && failures.every(wrongType(here))) {
    return issue(place, keyword, `must be ${typeNames([...new Set(known)])}, got ${describe(value)}`)
  }
  const reasons = failures
    .slice(0, 4)
    .map((issues, index) => `form ${index + 1}: ${shorten(issues[0]?.message ?? '', 160)}`)
  return issue(place, keyword, `matches none of the ${failures.length} allowed forms (${reasons.join('; ')})`)
}

const wrongType =
  (here: string) =>
  (issues: readonly ValidationIssue[]): boolean =>
    issues.some(one => one.path === here && one.keyword === 'type')

function isChoice(keyword: string): boolean {
  return keyword === 'const' || keyword === 'enum'
}

function isIdentity(keyword: string): boolean {
  return keyword === 'type' || isChoice(keyword)
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))
}

function topTypes(branches: unknown): (string[] | undefined)[] {
  if (!Array.isArray(branches)) return []
  return branches.map(branch =>
    typeof branch === 'object' && branch !== null ? typeList(own(branch, 'type')) : undefined,
  )
}
