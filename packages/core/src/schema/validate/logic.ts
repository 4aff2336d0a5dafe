/** Checks of the keywords that combine schemas, and the explanation of a union of which no branch matched. */
import { own } from '../../json/object.ts'
import { typeList } from '../equal.ts'
import {
  addIssues,
  type Check,
  describe,
  issue,
  mergeEvaluated,
  newEvaluated,
  noIssues,
  pointerOf,
  type SchemaContext,
  shorten,
  typeNames,
  type ValidationIssue,
  type ValuePath,
} from './check.ts'
import { type Discriminator, explainByDiscriminators } from './discriminators.ts'

export function logicChecks(context: SchemaContext): Check[] {
  const { schema, path, resource, compiler } = context
  const one = (keyword: string): Check | undefined => {
    const value = own(schema, keyword)
    return value === undefined ? undefined : compiler.compile(value, [...path, keyword], resource)
  }
  const list = (keyword: string): Check[] | undefined => {
    const value = own(schema, keyword)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return compiler.reportMalformed([...path, keyword], 'a list of schemas')
    if (value.length === 0) compiler.reportMalformed([...path, keyword], 'a list of at least one schema')
    return value.map((member, index) => compiler.compile(member, [...path, keyword, index], resource))
  }
  const checks: Check[] = []
  const all = list('allOf')
  if (all !== undefined) checks.push(allCheck(all))
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = list(keyword)
    if (branches !== undefined) checks.push(unionCheck(branches, keyword, own(schema, keyword), context))
  }
  const not = one('not')
  if (not !== undefined) checks.push(notCheck(not, shorten(JSON.stringify(schema.not) ?? '', 120)))
  const condition = one('if')
  const [then, otherwise] = [one('then'), one('else')]
  if (condition !== undefined) checks.push(conditionCheck(condition, then, otherwise))
  return checks
}

function allCheck(checks: readonly Check[]): Check {
  return (value, at, state, evaluated) => {
    const found: ValidationIssue[] = []
    for (const check of checks) if (!addIssues(found, check(value, at, state, evaluated), state)) break
    return found.length === 0 ? noIssues : found
  }
}

function notCheck(check: Check, forbidden: string): Check {
  return (value, at, state) =>
    check(value, at, state, undefined).length > 0
      ? noIssues
      : issue(at, 'not', `must not match ${forbidden}, got ${describe(value)}`)
}

function conditionCheck(condition: Check, then: Check | undefined, otherwise: Check | undefined): Check {
  return (value, at, state, evaluated) => {
    const inner = newEvaluated(evaluated)
    const holds = condition(value, at, state, inner).length === 0
    if (holds) mergeEvaluated(evaluated, inner)
    const next = holds ? then : otherwise
    return next === undefined ? noIssues : next(value, at, state, evaluated)
  }
}

function unionCheck(
  branches: readonly Check[],
  keyword: 'anyOf' | 'oneOf',
  schemas: unknown,
  { resource, compiler }: SchemaContext,
): Check {
  const types = topTypes(schemas)
  // Computed on the first failure: most unions never fail.
  let discriminators: readonly Discriminator[] | undefined
  return (value, at, state, evaluated) => {
    const failures: (readonly ValidationIssue[])[] = []
    const matched: number[] = []
    for (const [index, branch] of branches.entries()) {
      const inner = newEvaluated(evaluated)
      const issues = branch(value, at, state, inner)
      failures.push(issues)
      if (issues.length > 0) continue
      matched.push(index + 1)
      mergeEvaluated(evaluated, inner)
      // `anyOf` needs the remaining branches only to track what they evaluate.
      if (keyword === 'anyOf' && evaluated === undefined) return noIssues
    }
    if (matched.length === 1 || (matched.length > 1 && keyword === 'anyOf')) return noIssues
    if (matched.length > 1) {
      return issue(
        at,
        keyword,
        `must match exactly one of the allowed forms, but matches ${matched.join(' and ')}`,
      )
    }
    discriminators ??= compiler.findDiscriminators(Array.isArray(schemas) ? schemas : [], resource)
    return (
      explainByDiscriminators(value, at, discriminators, failures) ??
      explain(value, at, keyword, failures, types)
    )
  }
}

/** The issues of the nearest branch if there is one: a model can act on those, but not on the issues of all branches. */
function explain(
  value: unknown,
  at: ValuePath | undefined,
  keyword: string,
  failures: readonly (readonly ValidationIssue[])[],
  types: readonly (string[] | undefined)[],
): readonly ValidationIssue[] {
  const pointer = pointerOf(at)
  const near = failures.filter(
    issues => !issues.some(one => one.path === pointer && isTypeOrChoice(one.keyword)),
  )
  const chosen = near.filter(
    issues => !issues.some(one => parentOf(one.path) === pointer && isChoice(one.keyword)),
  )
  const [best] = chosen.length === 1 ? chosen : near
  if (best !== undefined && (chosen.length === 1 || near.length === 1)) return best
  const known = types.flatMap(list => list ?? [])
  if (near.length === 0 && types.every(list => list !== undefined) && failures.every(wrongType(pointer))) {
    return issue(at, keyword, `must be ${typeNames([...new Set(known)])}, got ${describe(value)}`)
  }
  const reasons = failures
    .slice(0, 4)
    .map((issues, index) => `form ${index + 1}: ${shorten(issues[0]?.message ?? '', 160)}`)
  return issue(at, keyword, `matches none of the ${failures.length} allowed forms (${reasons.join('; ')})`)
}

const wrongType =
  (pointer: string) =>
  (issues: readonly ValidationIssue[]): boolean =>
    issues.some(one => one.path === pointer && one.keyword === 'type')

function isChoice(keyword: string): boolean {
  return keyword === 'const' || keyword === 'enum'
}

function isTypeOrChoice(keyword: string): boolean {
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
