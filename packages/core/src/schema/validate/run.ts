/**
 * What the checks of one schema share: where in the value they stand, how an issue is worded, and the bounds
 * that keep a hostile schema or value from taking the process with it.
 */

import { type JsonObject, own } from '../../json/json.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { typeOf } from '../equal.ts'
import { escapePart } from '../refs/refs.ts'
import type { FindTags } from './tags.ts'

export interface ValidationIssue {
  /** JSON pointer into the value; `''` is the value itself. */
  readonly path: string
  readonly keyword: string
  readonly message: string
}

/** A place in the value, as a list from the leaf up: building one costs nothing until an issue needs its text. */
export interface Place {
  readonly parent: Place | undefined
  readonly key: string | number
}

/** What `unevaluated*` has to know. Gathered only for schemas that use those keywords. */
export interface Seen {
  readonly keys: Set<string>
  readonly items: Set<number>
}

export interface Run {
  steps: number
  depth: number
  /** A bound was hit: whatever the checks say, the value was not fully looked at. */
  exhausted: boolean
  readonly maxSteps: number
  readonly maxIssues: number
}

export const none: readonly ValidationIssue[] = []

/** Gives the issues of a value, `none` when it passes; adds to `seen` what it has looked at. */
export type Check = (
  value: unknown,
  place: Place | undefined,
  run: Run,
  seen: Seen | undefined,
) => readonly ValidationIssue[]

export interface Compiler {
  readonly compile: (schema: unknown, path: Path, resource: JsonObject) => Check
  readonly report: Report
  /** A keyword's value that no draft allows: it is not checked, and that is said. */
  readonly malformed: (path: Path, expected: string) => undefined
  readonly findTags: FindTags
}

export interface Site {
  readonly schema: JsonObject
  readonly path: Path
  readonly resource: JsonObject
  readonly compiler: Compiler
}

/** A keyword that must be a number; nothing when it is absent, or is something else and was reported. */
export function limitOf({ schema, path, compiler }: Site, keyword: string): number | undefined {
  const limit = own(schema, keyword)
  if (limit === undefined || typeof limit === 'number') return limit
  return compiler.malformed([...path, keyword], 'a number')
}

export function pointerOf(place: Place | undefined): string {
  const parts: string[] = []
  for (let here = place; here !== undefined; here = here.parent) parts.push(escapePart(here.key))
  return parts
    .reverse()
    .map(part => `/${part}`)
    .join('')
}

export function issue(place: Place | undefined, keyword: string, rest: string): ValidationIssue[] {
  const path = pointerOf(place)
  return [{ path, keyword, message: `${path === '' ? 'the value' : path} ${rest}` }]
}

/** Names the property rather than its place, which does not exist. */
export function missing(
  place: Place | undefined,
  key: string,
  keyword: string,
  because = '',
): ValidationIssue {
  const path = pointerOf(place)
  const where = path === '' ? '' : ` in ${path}`
  return { path, keyword, message: `missing required property ${JSON.stringify(key)}${where}${because}` }
}

/** Adds up to the cap; an invalid value stays invalid because the first issue is always kept. */
export function collect(into: ValidationIssue[], found: readonly ValidationIssue[], run: Run): boolean {
  for (const one of found) if (into.length < run.maxIssues) into.push(one)
  return into.length < run.maxIssues
}

export function mergeSeen(into: Seen | undefined, from: Seen | undefined): void {
  if (into === undefined || from === undefined) return
  for (const key of from.keys) into.keys.add(key)
  for (const index of from.items) into.items.add(index)
}

export function newSeen(wanted: Seen | undefined): Seen | undefined {
  return wanted === undefined ? undefined : { keys: new Set(), items: new Set() }
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

/** A value as a model should read it: short, and with its type where the text alone would mislead. */
export function describe(value: unknown): string {
  const type = typeOf(value)
  if (type === 'object' || type === 'array') return typeNames([type])
  if (type === 'string' || type === 'number') return `the ${type} ${shorten(JSON.stringify(value))}`
  return String(value)
}

export function shorten(text: string, max = 80): string {
  // Half of a surrogate pair could not be sent.
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** `1 item`, `2 items`. */
export function count(number: number, one: string, many: string = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

export function valueIssue(allowed: readonly unknown[], value: unknown): string {
  return `must be ${values(allowed)}${allowed.length === 1 ? ',' : ';'} got ${describe(value)}`
}

/** The values that are allowed, as they follow "must be". */
export function values(allowed: readonly unknown[]): string {
  return allowed.length === 1 ? listValues(allowed) : `one of: ${listValues(allowed)}`
}

/** A list of JSON values that stays readable when the schema has a thousand of them. */
function listValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map(value => shorten(JSON.stringify(value) ?? 'undefined', 60))
  return values.length > 20 ? `${shown.join(', ')}, … (${values.length} in all)` : shown.join(', ')
}
