/**
 * Validates values against a JSON Schema (drafts 4 to 2020-12), with issues worded so that a model can correct its
 * call. Not a library (decision 5): patterns of untrusted schemas must never reach a backtracking engine, a schema
 * that cannot be checked must be reported instead of thrown, and no code may be generated.
 */

import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { isObject, type JsonObject, own } from '../../json/object.ts'
import { createReport, type Diagnostic, type Path, type Report } from '../../model/diagnostic.ts'
import { normalizeMeasured } from '../dialects/normalize.ts'
import { type PassOptions, passOptionNames } from '../pass.ts'
import { findRefCycles } from '../refs/cycles.ts'
import { createRefIndex } from '../refs/refs.ts'
import { isSchema, isWithinLimits, measure } from '../walk.ts'
import { arrayChecks } from './array.ts'
import {
  addIssues,
  type Check,
  type Compiler,
  type Evaluated,
  issue,
  mergeEvaluated,
  noIssues,
  type SchemaContext,
  shorten,
  type ValidationIssue,
  type ValidationState,
  type ValuePath,
} from './check.ts'
import { createDiscriminatorFinder } from './discriminators.ts'
import { logicChecks } from './logic.ts'
import { objectChecks } from './object.ts'
import { scalarChecks } from './scalar.ts'

/** Whether a value fits a schema, and what is wrong with it. */
export type ValidationResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly issues: ValidationIssue[] }

/** Any implementation can replace the built-in one, for example an adapter of Ajv. */
export interface SchemaValidator {
  validate(value: unknown): ValidationResult
  /** The parts of the schema that are not checked, and the non-standard forms that were normalised. */
  readonly diagnostics: Diagnostic[]
}

/** How many issues a validator lists, and how long their messages are. */
export interface ValidatorOptions extends PassOptions {
  readonly maxIssues?: number
  readonly maxMessageLength?: number
}

const known: KnownOptions<ValidatorOptions> = {
  ...passOptionNames,
  maxIssues: true,
  maxMessageLength: true,
}

/** Levels of a value. No arguments of a real tool are nested this deep. */
const maxValueDepth = 256
const maxEvaluationDepth = 1200
const baseSteps = 1_000_000
const stepsPerNode = 1000

/**
 * Compiles a JSON Schema to a validator, without evaluating text; no pattern can hang it.
 *
 * @example
 * ```js
 * import { createValidator } from '@toolwire/core/schema'
 *
 * const { validate } = createValidator({ type: 'object', properties: { n: { type: 'integer', minimum: 1 } } })
 * console.log(validate({ n: 0 }))
 * ```
 */
export function createValidator(schema: unknown, options: ValidatorOptions = {}): SchemaValidator {
  refuseUnknownOptions('createValidator', options, known)
  const path = options.path ?? []
  const { report, diagnostics } = createReport()
  const acceptAll: SchemaValidator = { validate: () => ({ ok: true }), diagnostics }
  if (!isWithinLimits(schema, path, report)) return acceptAll
  if (!isSchema(schema)) {
    report('schema_not_checkable', path, 'This is not a JSON Schema, so values are not checked against it.')
    return acceptAll
  }
  const check = compileSchema(normalizeMeasured(schema, path, report), path, report)
  const maxIssues = Math.max(1, options.maxIssues ?? 20)
  const maxLength = Math.max(20, options.maxMessageLength ?? 600)
  const validate = (value: unknown): ValidationResult => {
    const size = measure(value, maxValueDepth)
    if (size.tooDeep)
      return failed(issue(undefined, 'depth', `is nested deeper than ${maxValueDepth} levels`))
    if (size.tooLarge) return failed(issue(undefined, 'size', `has more than ${size.nodes - 1} parts`))
    const maxSteps = baseSteps + stepsPerNode * size.nodes
    const state: ValidationState = { steps: 0, depth: 0, exhausted: false, maxSteps, maxIssues }
    const issues = check(value, undefined, state, undefined)
    // Tested separately, because inside a `not` the issue of an abandoned check would count as valid.
    if (state.exhausted) return failed(tooComplex(undefined))
    return issues.length === 0 ? { ok: true } : failed(issues.slice(0, maxIssues))
  }
  const failed = (issues: readonly ValidationIssue[]): ValidationResult => ({
    ok: false,
    issues: issues.map(one => ({ ...one, message: shorten(one.message, maxLength) })),
  })
  return { validate, diagnostics }
}

/** Reported as not checked. */
const uncheckedKeywords = ['$dynamicRef', '$recursiveRef', 'extends', 'disallow'] as const

function compileSchema(root: unknown, path: Path, report: Report): Check {
  const refs = createRefIndex(root)
  const document: JsonObject = isObject(root) ? root : {}
  const dialect = own(document, '$schema')
  // Up to draft 7 the siblings of a `$ref` are ignored.
  const ignoresSiblings = typeof dialect === 'string' && /draft-0[3-7]/.test(dialect)
  const tracksEvaluated = [...refs.schemas.keys()].some(
    node => Object.hasOwn(node, 'unevaluatedProperties') || Object.hasOwn(node, 'unevaluatedItems'),
  )
  const cyclic = findRefCycles(refs)
  const compiled = new Map<JsonObject, Check>()
  const pending: { schema: JsonObject; path: Path; resource: JsonObject }[] = []

  const compiler: Compiler = {
    report,
    findDiscriminators: createDiscriminatorFinder(refs),
    reportMalformed: (at, expected) => {
      report('schema_keyword_invalid', at, `"${String(at.at(-1))}" should be ${expected}; it is not checked.`)
      return undefined
    },
    compile: (schema, schemaPath, resource) => {
      if (schema === true) return () => noIssues
      if (schema === false) return (_value, at) => issue(at, 'false', 'is not allowed here')
      if (!isObject(schema)) {
        compiler.reportMalformed(schemaPath, 'a schema')
        return () => noIssues
      }
      return build({ schema, path: schemaPath, resource: refs.resourceOf(schema, resource), compiler })
    },
  }

  const build = (context: SchemaContext): Check => {
    for (const keyword of uncheckedKeywords) {
      if (!Object.hasOwn(context.schema, keyword)) continue
      report('schema_not_checkable', [...context.path, keyword], `"${keyword}" is not checked.`)
    }
    const viaRef = refCheck(context)
    const checks = viaRef !== undefined && ignoresSiblings ? [] : ownChecks(context)
    return bounded(
      viaRef === undefined ? checks : [viaRef, ...checks],
      tracksEvaluated ? unevaluatedChecks(context) : [],
      tracksEvaluated,
    )
  }

  const refCheck = (context: SchemaContext): Check | undefined => {
    const ref = own(context.schema, '$ref')
    if (ref === undefined) return undefined
    const schemaPath = [...context.path, '$ref']
    if (typeof ref !== 'string') return compiler.reportMalformed(schemaPath, 'a string')
    const target = refs.resolve(ref, context.resource)
    if (target === undefined || cyclic.has(context.schema)) {
      const why = target === undefined ? 'it is not in this document' : 'it leads back to itself'
      report('schema_not_checkable', schemaPath, `The reference ${shorten(ref)} is not checked: ${why}.`)
      return undefined
    }
    const schema = target.schema
    if (!isObject(schema)) return compiler.compile(schema, schemaPath, target.resource)
    if (!compiled.has(schema)) {
      compiled.set(schema, () => noIssues)
      pending.push({ schema, path: [...path, ...target.path], resource: target.resource })
    }
    return (value, at, state, evaluated) => compiled.get(schema)?.(value, at, state, evaluated) ?? noIssues
  }

  if (isObject(root)) compiled.set(root, () => noIssues)
  const check = compiler.compile(root, path, document)
  if (isObject(root)) compiled.set(root, check)
  // A list instead of recursion, since a chain of definitions can be longer than the call stack is deep.
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    compiled.set(next.schema, compiler.compile(next.schema, next.path, next.resource))
  }
  return check
}

function ownChecks(context: SchemaContext): Check[] {
  return [
    ...scalarChecks(context),
    ...objectChecks(context),
    ...arrayChecks(context),
    ...logicChecks(context),
  ]
}

/** Runs one schema's checks in order, within the bounds on depth and steps; `last` only if the others passed. */
function bounded(checks: readonly Check[], last: readonly Check[], tracksEvaluated: boolean): Check {
  return (value, at, state, outer) => {
    if (++state.steps > state.maxSteps || state.depth >= maxEvaluationDepth) {
      state.exhausted = true
      return tooComplex(at)
    }
    state.depth++
    const evaluated: Evaluated | undefined = tracksEvaluated
      ? { keys: new Set(), items: new Set() }
      : undefined
    const found: ValidationIssue[] = []
    for (const check of checks) if (!addIssues(found, check(value, at, state, evaluated), state)) break
    if (found.length === 0)
      for (const check of last) addIssues(found, check(value, at, state, evaluated), state)
    state.depth--
    if (found.length > 0) return found
    mergeEvaluated(outer, evaluated)
    return noIssues
  }
}

function tooComplex(at: ValuePath | undefined): ValidationIssue[] {
  return issue(at, 'complexity', 'could not be checked: the schema is too complex for this value')
}

function unevaluatedChecks({ schema, path, resource, compiler }: SchemaContext): Check[] {
  const checks: Check[] = []
  if (Object.hasOwn(schema, 'unevaluatedProperties')) {
    const closed = schema.unevaluatedProperties === false
    const rest = compiler.compile(schema.unevaluatedProperties, [...path, 'unevaluatedProperties'], resource)
    checks.push((value, at, state, evaluated) => {
      if (!isObject(value)) return noIssues
      const found: ValidationIssue[] = []
      for (const key of Object.keys(value)) {
        if (evaluated?.keys.has(key)) continue
        const here = { parent: at, key }
        evaluated?.keys.add(key)
        const issues = closed
          ? issue(here, 'unevaluatedProperties', 'is not an allowed property')
          : rest(own(value, key), here, state, undefined)
        if (!addIssues(found, issues, state)) break
      }
      return found
    })
  }
  if (Object.hasOwn(schema, 'unevaluatedItems')) {
    const rest = compiler.compile(schema.unevaluatedItems, [...path, 'unevaluatedItems'], resource)
    checks.push((value, at, state, evaluated) => {
      if (!Array.isArray(value)) return noIssues
      const found: ValidationIssue[] = []
      for (const [index, item] of value.entries()) {
        if (evaluated?.items.has(index)) continue
        evaluated?.items.add(index)
        if (!addIssues(found, rest(item, { parent: at, key: index }, state, undefined), state)) break
      }
      return found
    })
  }
  return checks
}
