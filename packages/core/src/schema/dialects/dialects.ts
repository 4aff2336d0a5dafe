/**
 * Two target dialects. Anthropic's strict tools use `strictify` with rules of their own. The plain Chat dialect is a
 * downgrade for small servers that support only a few keywords.
 */

import { refuseUnknownOptions } from '../../json/known-options.ts'
import { isObject, type JsonObject, omit, own, setOwn } from '../../json/object.ts'
import { createReport, type Path, type Report } from '../../model/diagnostic.ts'
import type { DiagnosticCode } from '../../model/diagnostic-codes.ts'
import { typeList } from '../equal.ts'
import { type PassOptions, passOptionNames, type SchemaPass, sameArgs } from '../pass.ts'
import { inlineWithOrigins } from '../refs/inline-refs.ts'
import { messagesStrictRules } from '../strict/rules.ts'
import { type StrictPass, strictify } from '../strict/strictify.ts'
import { isWithinLimits } from '../walk.ts'
import { normalizeMeasured } from './normalize.ts'

/** Converts to Anthropic's strict subset. If that is impossible, `strict` is false and nothing is changed. */
export function toMessagesDialect(schema: unknown, options: PassOptions = {}): StrictPass {
  refuseUnknownOptions('toMessagesDialect', options, passOptionNames)
  return strictify(schema, { ...options, rules: messagesStrictRules })
}

const chatKeywords: ReadonlySet<string> = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
])

/** Keeps type, description, properties, required, additionalProperties, items and enum; reports the others. */
export function toChatDialect(schema: unknown, options: PassOptions = {}): SchemaPass {
  refuseUnknownOptions('toChatDialect', options, passOptionNames)
  const path = options.path ?? []
  const { report, diagnostics } = createReport()
  if (!isWithinLimits(schema, path, report) || !isObject(schema))
    return { schema, undo: sameArgs, diagnostics }
  const inlined = inlineWithOrigins(normalizeMeasured(schema, path, report), { path })
  for (const found of inlined.diagnostics) if (!refStaysCodes.has(found.code)) diagnostics.push(found)
  return { schema: reduce(inlined.schema, path, inlined.origins, report), undo: sameArgs, diagnostics }
}

/** Diagnostics about references that stay. They are not true here: `reduce` removes those references and reports it. */
const refStaysCodes: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'schema_ref_cycle',
  'schema_ref_unresolved',
  'schema_expansion_limit',
])

function reduce(schema: unknown, near: Path, origins: ReadonlyMap<object, Path>, report: Report): unknown {
  if (!isObject(schema)) return schema
  const at = origins.get(schema) ?? near
  const node = asEnum(withoutNullUnion(schema, at, report), at, report)
  const out: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(node)) {
    const here = [...at, keyword]
    if (!chatKeywords.has(keyword)) {
      const message = `"${keyword}" is not part of the plain dialect and was removed`
      report('schema_keyword_removed', here, `${message}${keyword === '$ref' ? refLost(value) : '.'}`)
    } else if (keyword === 'properties' && isObject(value)) {
      const entries = Object.entries(value).map(([key, member]) => [
        key,
        reduce(member, [...here, key], origins, report),
      ])
      setOwn(out, keyword, Object.fromEntries(entries))
    } else if (keyword === 'items' && Array.isArray(value)) {
      report(
        'schema_keyword_removed',
        here,
        'Items by position are not part of the plain dialect; "items" was removed.',
      )
    } else {
      const inner = keyword === 'items' || keyword === 'additionalProperties'
      setOwn(out, keyword, inner ? reduce(value, here, origins, report) : value)
    }
  }
  return out
}

function refLost(ref: unknown): string {
  return `: the schema behind ${JSON.stringify(ref)} leads back to itself, out of this document or is too large to be written out, and no longer applies here.`
}

/** Generators write an optional X as `anyOf: [X, null]`; in this dialect a list of types is equivalent. */
function withoutNullUnion(schema: JsonObject, at: Path, report: Report): JsonObject {
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = own(schema, keyword)
    if (!Array.isArray(branches)) continue
    const others = branches.filter(branch => !(isObject(branch) && own(branch, 'type') === 'null'))
    const [only] = others
    if (others.length !== 1 || !isObject(only)) continue
    const types = typeList(own(only, 'type'))
    const nullable = branches.length > 1
    const clash = Object.keys(omit(schema, [keyword, 'description', 'title', 'default'])).some(key =>
      Object.hasOwn(only, key),
    )
    if (clash || (nullable && types === undefined)) continue
    const form = nullable ? 'a list of types with "null"' : 'its only branch'
    report('schema_rewritten', [...at, keyword], `"${keyword}" was written as ${form}, which means the same.`)
    const { enum: values } = only
    return {
      ...only,
      ...omit(schema, [keyword]),
      ...(nullable && types !== undefined ? { type: [...new Set([...types, 'null'])] } : {}),
      ...(nullable && Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
    }
  }
  return schema
}

function asEnum(schema: JsonObject, at: Path, report: Report): JsonObject {
  if (!Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum')) return schema
  report(
    'schema_rewritten',
    [...at, 'const'],
    '"const" was written as an "enum" of one value, which means the same.',
  )
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => (key === 'const' ? ['enum', [value]] : [key, value])),
  )
}
