/** What all checks share: the types of a compiled check and its state, and the wording of issues. */

import { type JsonObject, own } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { typeOf } from '../equal.ts'
import { escapePart } from '../refs/refs.ts'
import type { FindDiscriminators } from './discriminators.ts'

/** One thing that a value has wrong, by keyword and place. */
export interface ValidationIssue {
  /** JSON pointer into the value; `''` is the value itself. */
  readonly path: string
  readonly keyword: string
  readonly message: string
}

/** A path in the value, linked from the leaf up: extending one is cheap, and only an issue needs its text. */
export interface ValuePath {
  readonly parent: ValuePath | undefined
  readonly key: string | number
}

/** The properties and items that a keyword has evaluated. Tracked only if the schema uses `unevaluated*`. */
export interface Evaluated {
  readonly keys: Set<string>
  readonly items: Set<number>
}

/** The state of one validation. The bounds protect the process from hostile schemas and values. */
export interface ValidationState {
  steps: number
  depth: number
  /** A bound was hit: whatever the checks returned, the value was not checked completely. */
  exhausted: boolean
  readonly maxSteps: number
  readonly maxIssues: number
}

export const noIssues: readonly ValidationIssue[] = []

/** Returns the issues of a value, `noIssues` when it is valid, and adds to `evaluated` what it has checked. */
export type Check = (
  value: unknown,
  at: ValuePath | undefined,
  state: ValidationState,
  evaluated: Evaluated | undefined,
) => readonly ValidationIssue[]

export interface Compiler {
  readonly compile: (schema: unknown, path: Path, resource: JsonObject) => Check
  readonly report: Report
  /** Reports a keyword whose value no draft allows, and which is therefore not checked. */
  readonly reportMalformed: (path: Path, expected: string) => undefined
  readonly findDiscriminators: FindDiscriminators
}

/** The schema that is being compiled. */
export interface SchemaContext {
  readonly schema: JsonObject
  readonly path: Path
  readonly resource: JsonObject
  readonly compiler: Compiler
}

/** A keyword's number; `undefined` when it is absent, or reported and ignored because it is not a number. */
export function numberKeyword(
  { schema, path, compiler }: SchemaContext,
  keyword: string,
): number | undefined {
  const limit = own(schema, keyword)
  if (limit === undefined || typeof limit === 'number') return limit
  return compiler.reportMalformed([...path, keyword], 'a number')
}

export function pointerOf(at: ValuePath | undefined): string {
  const parts: string[] = []
  for (let here = at; here !== undefined; here = here.parent) parts.push(escapePart(here.key))
  return parts
    .reverse()
    .map(part => `/${part}`)
    .join('')
}

export function issue(at: ValuePath | undefined, keyword: string, rest: string): ValidationIssue[] {
  const path = pointerOf(at)
  return [{ path, keyword, message: `${path === '' ? 'the value' : path} ${rest}` }]
}

/** The issue's path is the object's, since a missing property has none. */
export function missingProperty(
  at: ValuePath | undefined,
  key: string,
  keyword: string,
  because = '',
): ValidationIssue {
  const path = pointerOf(at)
  const where = path === '' ? '' : ` in ${path}`
  return { path, keyword, message: `missing required property ${JSON.stringify(key)}${where}${because}` }
}

/** Adds issues up to the limit, which is at least one, and returns whether there is room for more. */
export function addIssues(
  into: ValidationIssue[],
  found: readonly ValidationIssue[],
  state: ValidationState,
): boolean {
  for (const one of found) if (into.length < state.maxIssues) into.push(one)
  return into.length < state.maxIssues
}

export function mergeEvaluated(into: Evaluated | undefined, from: Evaluated | undefined): void {
  if (into === undefined || from === undefined) return
  for (const key of from.keys) into.keys.add(key)
  for (const index of from.items) into.items.add(index)
}

/** An empty record for a branch, if the caller tracks evaluation at all. */
export function newEvaluated(outer: Evaluated | undefined): Evaluated | undefined {
  return outer === undefined ? undefined : { keys: new Set(), items: new Set() }
}

const articles: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['integer', 'an integer'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'an array'],
  ['null', 'null'],
])

export function typeNames(types: readonly string[]): string {
  const names = types.map(type => articles.get(type) ?? type)
  return names.length < 3 ? names.join(' or ') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** A value as issues show it: short, and with its type where the text alone would mislead. */
export function describe(value: unknown): string {
  const type = typeOf(value)
  if (type === 'object' || type === 'array') return typeNames([type])
  if (type === 'string' || type === 'number') return `the ${type} ${shorten(JSON.stringify(value))}`
  return String(value)
}

export function shorten(text: string, max = 80): string {
  // Never ends in half of a surrogate pair, which UTF-8 cannot encode.
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** `1 item`, `2 items`. */
export function countOf(number: number, one: string, many: string = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

export function wrongValueText(allowed: readonly unknown[], value: unknown): string {
  return `must be ${allowedText(allowed)}${allowed.length === 1 ? ',' : ';'} got ${describe(value)}`
}

/** The allowed values, worded to follow "must be". */
export function allowedText(allowed: readonly unknown[]): string {
  return allowed.length === 1 ? joinValues(allowed) : `one of: ${joinValues(allowed)}`
}

/** At most 20 values, so that a long enum stays readable. */
function joinValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map(value => shorten(JSON.stringify(value) ?? 'undefined', 60))
  return values.length > 20 ? `${shown.join(', ')}, … (${values.length} in all)` : shown.join(', ')
}
