/**
 * Rewrites non-standard forms that clients send to plain JSON Schema: OpenAPI's `nullable`, draft 3's
 * `required: true`, draft 4's boolean `exclusiveMinimum`, `type: 'STRING'`, `type: 'dict'`. An unknown type is removed and
 * reported, since a validator could only crash on it or refuse every value.
 */

import { refuseUnknownOptions } from '../../json/known-options.ts'
import { isObject, type JsonObject, omit, own } from '../../json/object.ts'
import { createReport, type Path, type Report } from '../../model/diagnostic.ts'
import { jsonTypes, typeList } from '../equal.ts'
import { type PassOptions, passOptionNames, type SchemaPass, sameArgs } from '../pass.ts'
import { createRefIndex } from '../refs/refs.ts'
import { acceptsNull, makeNullable } from '../strict/nullable.ts'
import { isWithinLimits, mapChildren } from '../walk.ts'

/** Rewrites forms that are not JSON Schema, such as `nullable` and `type: 'STRING'`, to plain JSON Schema. */
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

/** Names of types in programming languages whose JSON is plain. */
const spokenTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    string: ['str', 'text', 'char', 'date', 'datetime', 'uuid'],
    integer: ['int', 'int32', 'int64', 'long', 'short'],
    number: ['float', 'double', 'decimal', 'num'],
    boolean: ['bool'],
    object: ['dict', 'dictionary', 'map', 'hashmap', 'mapping', 'record', 'struct', 'json'],
    array: ['list', 'arraylist', 'tuple', 'set', 'sequence'],
    null: ['none', 'nonetype', 'nil'],
    any: ['any', 'unknown'],
  }).flatMap(([type, words]) => words.map(word => [word, type] as const)),
)

/** The types of JSON Schema that names mean; none for any value; `undefined` if one of them means nothing plain. */
export function plainTypes(types: readonly string[]): string[] | undefined {
  const plain = types.map(type => {
    const lower = type.toLowerCase()
    return jsonTypes.has(lower) ? lower : spokenTypes.get(lower)
  })
  if (!plain.every(type => type !== undefined)) return undefined
  return plain.includes('any') ? [] : [...new Set(plain)]
}

const useTypes = 'Use string, number, integer, boolean, object, array or null.'

function normalizeType(node: JsonObject, at: Path, report: Report): JsonObject {
  const types = typeList(own(node, 'type'))
  if (types === undefined || types.length === 0) {
    if (!Object.hasOwn(node, 'type')) return node
    report(
      'schema_type_unknown',
      [...at, 'type'],
      `"type" is neither a name nor a list of names and was ignored. ${useTypes}`,
    )
    return omit(node, ['type'])
  }
  if (types.every(type => jsonTypes.has(type))) return node
  const plain = plainTypes(types)
  if (plain !== undefined) {
    const [original, read] = [types, plain].map(names => names.map(type => JSON.stringify(type)).join(', '))
    const meaning = plain.length === 0 ? 'was left out: any value is allowed' : `was read as ${read}`
    report('schema_normalized', [...at, 'type'], `The type ${original} ${meaning}.`)
    if (plain.length === 0) return omit(node, ['type'])
    return { ...node, type: Array.isArray(node.type) ? plain : plain[0] }
  }
  const unknown = types.filter(type => plainTypes([type]) === undefined)
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
