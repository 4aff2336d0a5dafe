/**
 * Checks values against a JSON Schema and words what is wrong so that a model can correct its call. An own
 * interpreter (drafts 4 to 2020-12) rather than a library: foreign patterns must never reach a backtracking
 * engine, a schema that cannot be checked must be reported and not thrown, and no code may be generated.
 */

import { isObject, type JsonObject, own } from '../../json/json.ts'
import { createReport, type Diagnostic, type Path } from '../../model/diagnostic.ts'
import { normalizeGuarded } from '../dialects/normalize.ts'
import type { PassOptions } from '../pass.ts'
import { findRefCycles } from '../refs/cycles.ts'
import { createRefIndex } from '../refs/refs.ts'
import { guard, isSchema, measure } from '../walk.ts'
import { arrayChecks } from './array.ts'
import { logicChecks } from './logic.ts'
import { objectChecks } from './object.ts'
import {
  type Check,
  type Compiler,
  collect,
  issue,
  mergeSeen,
  none,
  type Place,
  type Run,
  type Seen,
  type Site,
  shorten,
  type ValidationIssue,
} from './run.ts'
import { scalarChecks } from './scalar.ts'
import { createTagFinder } from './tags.ts'

export type ValidationResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly issues: ValidationIssue[] }

/** The one method a validator has; another implementation (Ajv, say) can stand in for the built-in one. */
export interface SchemaValidator {
  validate(value: unknown): ValidationResult
  /** What of the schema is not checked, and which odd forms were normalised. */
  readonly diagnostics: Diagnostic[]
}

export interface ValidatorOptions extends PassOptions {
  readonly maxIssues?: number
  readonly maxMessageLength?: number
}

/** Levels of arguments; nothing that a tool takes is nested this deep. */
const maxValueDepth = 256
const maxEvaluationDepth = 1200
const baseSteps = 1_000_000
const stepsPerNode = 1000

export function createValidator(schema: unknown, options: ValidatorOptions = {}): SchemaValidator {
  const path = options.path ?? []
  const { report, diagnostics } = createReport()
  const accepts: SchemaValidator = { validate: () => ({ ok: true }), diagnostics }
  if (!guard(schema, path, report)) return accepts
  if (!isSchema(schema)) {
    report('schema_not_checkable', path, 'This is not a JSON Schema, so values are not checked against it.')
    return accepts
  }
  const check = compileSchema(normalizeGuarded(schema, path, report), path, report)
  const maxIssues = Math.max(1, options.maxIssues ?? 20)
  const maxLength = Math.max(20, options.maxMessageLength ?? 600)
  const validate = (value: unknown): ValidationResult => {
    const size = measure(value, maxValueDepth)
    if (size.tooDeep)
      return failed(issue(undefined, 'depth', `is nested deeper than ${maxValueDepth} levels`))
    if (size.tooLarge) return failed(issue(undefined, 'size', `has more than ${size.nodes - 1} parts`))
    const maxSteps = baseSteps + stepsPerNode * size.nodes
    const run: Run = { steps: 0, depth: 0, exhausted: false, maxSteps, maxIssues }
    const issues = check(value, undefined, run, undefined)
    // Asked here because inside a `not` a check that gave up would count as a pass.
    if (run.exhausted) return failed(tooComplex(undefined))
    return issues.length === 0 ? { ok: true } : failed(issues.slice(0, maxIssues))
  }
  const failed = (issues: readonly ValidationIssue[]): ValidationResult => ({
    ok: false,
    issues: issues.map(one => ({ ...one, message: shorten(one.message, maxLength) })),
  })
  return { validate, diagnostics }
}

type CompilerReport = Compiler['report']

/** Not checked here; said instead of passed over. */
const uncheckable = ['$dynamicRef', '$recursiveRef', 'extends', 'disallow'] as const

function compileSchema(root: unknown, path: Path, report: CompilerReport): Check {
  const refs = createRefIndex(root)
  const document: JsonObject = isObject(root) ? root : {}
  const dialect = own(document, '$schema')
  // Up to draft 7 a `$ref` hid everything beside it.
  const refHides = typeof dialect === 'string' && /draft-0[3-7]/.test(dialect)
  let tracks = false
  for (const node of refs.schemas.keys()) {
    if (Object.hasOwn(node, 'unevaluatedProperties') || Object.hasOwn(node, 'unevaluatedItems')) tracks = true
  }
  const cyclic = findRefCycles(refs.schemas, refs)
  const findTags = createTagFinder(refs)
  const ready = new Map<JsonObject, Check>()
  const waiting: { schema: JsonObject; path: Path; resource: JsonObject }[] = []

  const compiler: Compiler = {
    report,
    findTags,
    malformed: (at, expected) => {
      report('schema_keyword_invalid', at, `"${String(at.at(-1))}" should be ${expected}; it is not checked.`)
      return undefined
    },
    compile: (schema, at, resource) => {
      if (schema === true) return () => none
      if (schema === false) return (_value, place) => issue(place, 'false', 'is not allowed here')
      if (!isObject(schema)) {
        compiler.malformed(at, 'a schema')
        return () => none
      }
      return build({ schema, path: at, resource: refs.enter(schema, resource), compiler })
    },
  }

  const build = (site: Site): Check => {
    for (const keyword of uncheckable) {
      if (!Object.hasOwn(site.schema, keyword)) continue
      report('schema_not_checkable', [...site.path, keyword], `"${keyword}" is not checked.`)
    }
    const viaRef = refCheck(site)
    const checks = viaRef !== undefined && refHides ? [] : ownChecks(site)
    return bounded(
      viaRef === undefined ? checks : [viaRef, ...checks],
      tracks ? unevaluated(site) : [],
      tracks,
    )
  }

  const refCheck = (site: Site): Check | undefined => {
    const ref = own(site.schema, '$ref')
    if (ref === undefined) return undefined
    const at = [...site.path, '$ref']
    if (typeof ref !== 'string') return compiler.malformed(at, 'a string')
    const target = refs.resolve(ref, site.resource)
    if (target === undefined || cyclic.has(site.schema)) {
      const why = target === undefined ? 'it is not in this document' : 'it leads back to itself'
      report('schema_not_checkable', at, `The reference ${shorten(ref)} is not checked: ${why}.`)
      return undefined
    }
    const goal = target.schema
    if (!isObject(goal)) return compiler.compile(goal, at, target.resource)
    if (!ready.has(goal)) {
      ready.set(goal, () => none)
      waiting.push({ schema: goal, path: [...path, ...target.path], resource: target.resource })
    }
    return (value, place, run, seen) => ready.get(goal)?.(value, place, run, seen) ?? none
  }

  if (isObject(root)) ready.set(root, () => none)
  const first = compiler.compile(root, path, document)
  if (isObject(root)) ready.set(root, first)
  // A queue and not recursion: definitions can refer to each other in a chain of any length.
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    ready.set(next.schema, compiler.compile(next.schema, next.path, next.resource))
  }
  return first
}

function ownChecks(site: Site): Check[] {
  return [...scalarChecks(site), ...objectChecks(site), ...arrayChecks(site), ...logicChecks(site)]
}

/** One schema's checks in a fixed order, under the bounds on depth and steps. */
function bounded(checks: readonly Check[], last: readonly Check[], tracks: boolean): Check {
  return (value, place, run, outer) => {
    if (++run.steps > run.maxSteps || run.depth >= maxEvaluationDepth) {
      run.exhausted = true
      return tooComplex(place)
    }
    run.depth++
    const seen: Seen | undefined = tracks ? { keys: new Set(), items: new Set() } : undefined
    const found: ValidationIssue[] = []
    for (const check of checks) if (!collect(found, check(value, place, run, seen), run)) break
    if (found.length === 0) for (const check of last) collect(found, check(value, place, run, seen), run)
    run.depth--
    if (found.length > 0) return found
    mergeSeen(outer, seen)
    return none
  }
}

function tooComplex(place: Place | undefined): ValidationIssue[] {
  return issue(place, 'complexity', 'could not be checked: the schema is too complex for this value')
}

function unevaluated({ schema, path, resource, compiler }: Site): Check[] {
  const checks: Check[] = []
  if (Object.hasOwn(schema, 'unevaluatedProperties')) {
    const closed = schema.unevaluatedProperties === false
    const rest = compiler.compile(schema.unevaluatedProperties, [...path, 'unevaluatedProperties'], resource)
    checks.push((value, place, run, seen) => {
      if (!isObject(value)) return none
      const found: ValidationIssue[] = []
      for (const key of Object.keys(value)) {
        if (seen?.keys.has(key)) continue
        const here = { parent: place, key }
        seen?.keys.add(key)
        const issues = closed
          ? issue(here, 'unevaluatedProperties', 'is not an allowed property')
          : rest(own(value, key), here, run, undefined)
        if (!collect(found, issues, run)) break
      }
      return found
    })
  }
  if (Object.hasOwn(schema, 'unevaluatedItems')) {
    const rest = compiler.compile(schema.unevaluatedItems, [...path, 'unevaluatedItems'], resource)
    checks.push((value, place, run, seen) => {
      if (!Array.isArray(value)) return none
      const found: ValidationIssue[] = []
      for (const [index, item] of value.entries()) {
        if (seen?.items.has(index)) continue
        seen?.items.add(index)
        if (!collect(found, rest(item, { parent: place, key: index }, run, undefined), run)) break
      }
      return found
    })
  }
  return checks
}
