/**
 * Rewrites non-standard forms that clients send to plain JSON Schema: OpenAPI's `nullable`, draft 3's
 * `required: true`, draft 4's boolean `exclusiveMinimum`, `type: 'STRING'`. An unknown type is removed and reported,
 * since a validator could only crash on it or refuse every value.
 */

import { refuseUnknownOptions } from '../../json/known-options.ts'
import { isObject, type JsonObject, omit, own } from '../../json/object.ts'
import { createReport, type Path, type Report } from '../../model/diagnostic.ts'
import { jsonTypes, typeList } from '../equal.ts'
import { type PassOptions, passOptionNames, type SchemaPass, sameArgs } from '../pass.ts'
import { createRefIndex } from '../refs/refs.ts'
import { acceptsNull, makeNullable } from '../strict/nullable.ts'
import { isWithinLimits, mapChildren } from '../walk.ts'

export function normalize(schema: unknown, options: PassOptions = {}): SchemaPass {
  refuseUnknownOptions('normalize', options, passOptionNames)
  const path = options.path ?? []
  const { report, diagnostics } = createReport()
  if (!isWithinLimits(schema, path, report)) return { schema, undo: sameArgs, diagnostics }
  return { schema: normalizeMeasured(schema, path, report), undo: sameArgs, diagnostics }
}

/** For passes that have already checked the size. Returns the same object if there was nothing to rewrite. */
export function normalizeMeasured(schema: unknown, path: Path, report: Report): unknown {
  const refs = createRefIndex(schema)
  const root: JsonObject = isObject(schema) ? schema : {}
  const resolve = (ref: string): unknown => refs.resolve(ref, root)?.schema
  const visit = (node: unknown, at: Path): unknown => {
    if (!isObject(node)) return node
    const lifted = liftRequired(node, at, report)
    const inner = mapChildren(lifted, (child, step) => visit(child, [...at, ...step]))
    return normalizeNullable(
      normalizeRange(normalizeType(inner, at, report), at, report),
      at,
      resolve,
      report,
    )
  }
  if (typeof own(root, 'required') === 'boolean') {
    const message = `"required": ${String(root.required)} at the root means nothing and was ignored.`
    report('schema_normalized', [...path, 'required'], message)
  }
  return visit(withoutFlag(schema), path)
}

/** Draft 3 wrote `required: true` on the property; since draft 4 the parent lists the names. */
function liftRequired(node: JsonObject, at: Path, report: Report): JsonObject {
  const properties = own(node, 'properties')
  if (!isObject(properties)) return node
  const flagged = Object.entries(properties).filter(
    ([, member]) => isObject(member) && typeof own(member, 'required') === 'boolean',
  )
  if (flagged.length === 0) return node
  const listed = own(node, 'required')
  const names = new Set(Array.isArray(listed) ? listed : [])
  for (const [key, member] of flagged) {
    const flag = isObject(member) && member.required === true
    const message = `"required": ${flag} on ${JSON.stringify(key)} is an old form; it was read as the "required" list of the object around it.`
    report('schema_normalized', [...at, 'properties', key, 'required'], message)
    if (flag) names.add(key)
  }
  const plain = Object.fromEntries(
    Object.entries(properties).map(([key, member]) => [key, withoutFlag(member)]),
  )
  return {
    ...node,
    properties: plain,
    ...(names.size > 0 || listed !== undefined ? { required: [...names] } : {}),
  }
}

function withoutFlag<T>(member: T): T | JsonObject {
  if (!isObject(member)) return member
  return typeof own(member, 'required') === 'boolean' ? omit(member, ['required']) : member
}

const useTypes = 'Use string, number, integer, boolean, object, array or null.'

function normalizeType(node: JsonObject, at: Path, report: Report): JsonObject {
  const types = typeList(own(node, 'type'))
  if (types === undefined) {
    if (!Object.hasOwn(node, 'type')) return node
    report(
      'schema_type_unknown',
      [...at, 'type'],
      `"type" is neither a name nor a list of names and was ignored. ${useTypes}`,
    )
    return omit(node, ['type'])
  }
  if (types.every(type => jsonTypes.has(type))) return node
  const lower = types.map(type => type.toLowerCase())
  if (lower.every(type => jsonTypes.has(type))) {
    const [original, read] = [types, lower].map(names => names.map(type => JSON.stringify(type)).join(', '))
    report('schema_normalized', [...at, 'type'], `The type ${original} was read as ${read}.`)
    return { ...node, type: Array.isArray(node.type) ? lower : lower[0] }
  }
  const unknown = types.filter(type => !jsonTypes.has(type.toLowerCase()))
  const names = unknown.map(type => JSON.stringify(type)).join(', ')
  report(
    'schema_type_unknown',
    [...at, 'type'],
    `JSON Schema has no type ${names}; "type" was ignored. ${useTypes}`,
  )
  return omit(node, ['type'])
}

const ranges = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

function normalizeRange(node: JsonObject, at: Path, report: Report): JsonObject {
  let out = node
  for (const [exclusive, inclusive] of ranges) {
    const flag = own(out, exclusive)
    if (typeof flag !== 'boolean') continue
    const limit = own(out, inclusive)
    const message = `"${exclusive}": ${flag} was read together with "${inclusive}", as old drafts wrote it.`
    report('schema_normalized', [...at, exclusive], message)
    out =
      flag && typeof limit === 'number'
        ? { ...omit(out, [inclusive, exclusive]), [exclusive]: limit }
        : omit(out, [exclusive])
  }
  return out
}

function normalizeNullable(
  node: JsonObject,
  at: Path,
  resolve: (ref: string) => unknown,
  report: Report,
): JsonObject {
  if (typeof own(node, 'nullable') !== 'boolean') return node
  const message = `"nullable": ${String(node.nullable)} was read as the JSON Schema that means the same.`
  report('schema_normalized', [...at, 'nullable'], message)
  const rest = omit(node, ['nullable'])
  return node.nullable === true && !acceptsNull(rest, resolve) ? makeNullable(rest) : rest
}
