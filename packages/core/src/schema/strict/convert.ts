/**
 * Rewrites one schema, and all below it, into a strict subset. Every change is noted with the place in the
 * caller's schema; what cannot be said in the subset is refused and the whole conversion falls.
 */

import { isObject, type JsonObject, own, setOwn } from '../../json/json.ts'
import type { Path } from '../../model/diagnostic.ts'
import { listedValues, typeList, typeOf } from '../equal.ts'
import { asNote, describeWith, fateOf, itemsByPosition, refusalOf } from './keywords.ts'
import { words } from './messages.ts'
import { acceptsNull, makeNullable } from './nullable.ts'
import { hasPlainValues, isAllowed } from './rules.ts'
import { simplify, unresolved } from './simplify.ts'
import type { Work } from './work.ts'

/** Far above what any provider's limits let pass. */
const maxVisits = 50_000
const maxConvertDepth = 400

export function convert(given: unknown, near: Path, work: Work, isRoot = false): JsonObject {
  const at = (isObject(given) ? work.origin.get(given) : undefined) ?? near
  if (!isObject(given)) {
    refuseUntyped(given === false ? 'no' : 'any', at, work)
    return {}
  }
  if (++work.visits > maxVisits || work.depth > maxConvertDepth) {
    // Said once: the bound is only hit by references that unfold without end.
    if (work.visits <= maxVisits + 1) {
      const message = `The schema unfolds into more than ${maxVisits} parts; let references refer to each other less.`
      work.refused('strict_limit_exceeded', at, message)
    }
    work.visits = maxVisits + 1
    return {}
  }
  work.depth++
  const simple = simplify(given, at, work, isRoot)
  const out = simple === undefined ? {} : build(simple.node, simple.notes, at, work, isRoot)
  work.depth--
  return out
}

function build(node: JsonObject, notes: string[], at: Path, work: Work, isRoot: boolean): JsonObject {
  const types = effectiveTypes(node, at, work, isRoot)
  const out: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(node)) {
    const kept = convertKeyword(keyword, value, { node, types, notes, at, work, isRoot })
    if (kept !== undefined) setOwn(out, keyword, kept)
  }
  const typed =
    types === undefined || Object.hasOwn(out, 'type')
      ? out
      : { type: types.length === 1 ? types[0] : types, ...out }
  return finish(node, typed, notes, types, at, work, isRoot)
}

interface Keyword {
  readonly node: JsonObject
  readonly types: readonly string[] | undefined
  readonly notes: string[]
  readonly at: Path
  readonly work: Work
  readonly isRoot: boolean
}

/** The keyword's value in the output; nothing when it does not appear there. */
function convertKeyword(keyword: string, value: unknown, context: Keyword): unknown {
  const { node, types, notes, at, work, isRoot } = context
  const here = [...at, keyword]
  switch (keyword) {
    case 'type':
      return types?.length === 1 ? types[0] : value
    case '$ref':
      return convertRef(value, here, work)
    case 'anyOf':
      return Array.isArray(value)
        ? value.map((branch, index) => convert(branch, [...here, index], work))
        : value
    case 'enum':
    case 'const':
      return convertValues(keyword, value, here, work)
    case '$schema':
    case '$defs':
    case 'definitions':
      // The root's definitions are filled in at the end; nested ones move there when something refers to them.
      if (isRoot) return keyword === '$schema' ? value : {}
      break
    case 'properties':
    case 'required':
    case 'additionalProperties':
      if (types?.includes('object'))
        return keyword === 'properties' ? convertProperties(value, here, work) : value
      break
    case 'items':
      if (types?.includes('array')) return convertItems(value, here, work)
      break
    default:
      if (isAllowed(keyword, value, work.rules)) return value
      return displace(keyword, value, node, notes, here, work)
  }
  work.changed('strict_keyword_removed', here, `"${keyword}" has no effect here and was removed.`)
  return undefined
}

function displace(
  keyword: string,
  value: unknown,
  node: JsonObject,
  notes: string[],
  here: Path,
  work: Work,
): undefined {
  switch (fateOf(keyword, value, node)) {
    case 'describe':
      notes.push(asNote(keyword, value))
      work.changed(
        'strict_keyword_in_description',
        here,
        `"${keyword}" was moved into the description of ${work.nameOf(here.slice(0, -1))}, where the model reads it; strict mode does not take it.`,
      )
      return undefined
    case 'remove': {
      const message = `"${keyword}" constrains nothing and is not part of the strict subset; it was removed.`
      work.changed('strict_keyword_removed', here, message)
      return undefined
    }
    case 'refuse':
      return work.refused('strict_unsupported_keyword', here, refusalOf(keyword))
  }
}

function convertRef(ref: unknown, here: Path, work: Work): string | undefined {
  const written = typeof ref === 'string' ? work.refTo(ref) : undefined
  if (written === undefined) return unresolved(ref, here, work)
  if (written !== ref)
    work.changed(
      'strict_ref_rewritten',
      here,
      `The reference ${JSON.stringify(ref)} is now ${JSON.stringify(written)}, which leads to the same schema.`,
    )
  return written
}

function convertValues(keyword: 'enum' | 'const', value: unknown, here: Path, work: Work): unknown {
  if (hasPlainValues(keyword, value)) return value
  return work.refused('strict_unsupported_keyword', here, words.values[keyword])
}

function convertItems(value: unknown, here: Path, work: Work): unknown {
  if (!Array.isArray(value)) return convert(value, here, work)
  return work.refused('strict_unsupported_keyword', here, itemsByPosition)
}

function convertProperties(value: unknown, here: Path, work: Work): unknown {
  if (!isObject(value))
    return work.refused(
      'strict_unsupported_keyword',
      here,
      '"properties" must be an object of named schemas.',
    )
  const entries = Object.entries(value).map(([key, member]) => [key, convert(member, [...here, key], work)])
  return Object.fromEntries(entries)
}

/** The types as a list, inferred where only one reading makes sense; nothing for references and unions. */
function effectiveTypes(
  node: JsonObject,
  at: Path,
  work: Work,
  isRoot: boolean,
): readonly string[] | undefined {
  if (Object.hasOwn(node, '$ref') || Object.hasOwn(node, 'anyOf')) return undefined
  const stated = typeList(own(node, 'type'))
  const types = stated ?? inferTypes(node)
  if (isRoot && (types?.length !== 1 || types[0] !== 'object')) {
    return work.refused('strict_root_not_object', at, words.root)
  }
  if (types === undefined || types.length === 0) {
    return refuseUntyped('any', at, work)
  }
  if (stated === undefined) {
    const message = `${work.subject(at)} has no "type"; it was taken to be ${types.join(' or ')}.`
    work.changed('strict_type_inferred', at, message)
  }
  return types
}

function refuseUntyped(accepted: 'any' | 'no', at: Path, work: Work): undefined {
  const remedy = accepted === 'no' ? 'remove it' : 'give it a "type"'
  const message = `${work.subject(at)} accepts ${accepted} value, which strict mode cannot express; ${remedy}.`
  return work.refused('strict_untyped', at, message)
}

function inferTypes(node: JsonObject): string[] | undefined {
  const values = listedValues(node)
  if (values !== undefined) {
    return [...new Set(values.map(value => (Number.isInteger(value) ? 'integer' : typeOf(value))))]
  }
  if (Object.hasOwn(node, 'properties')) return ['object']
  return Object.hasOwn(node, 'items') ? ['array'] : undefined
}

function finish(
  node: JsonObject,
  out: Record<string, unknown>,
  notes: readonly string[],
  types: readonly string[] | undefined,
  at: Path,
  work: Work,
  isRoot: boolean,
): JsonObject {
  if (types?.includes('array') && !Object.hasOwn(node, 'items') && !isFixed(node)) {
    work.refused('strict_unbounded_array', at, words.array(at.slice(work.path.length)))
  }
  if (types?.includes('object') && !isFixed(node)) closeObject(out, at, work, isRoot)
  if (notes.length > 0) out.description = describeWith(out.description, notes)
  if (!Object.hasOwn(out, '$ref')) return out
  const { $ref, ...beside } = out
  // Nothing may stand beside a reference; a union of one can carry the text.
  return Object.keys(beside).length === 0 ? out : { ...beside, anyOf: [{ $ref }] }
}

/** Listed values leave nothing open; nested ones are refused where they stand. */
function isFixed(node: JsonObject): boolean {
  return Object.hasOwn(node, 'const') || Object.hasOwn(node, 'enum')
}

function closeObject(out: Record<string, unknown>, at: Path, work: Work, isRoot: boolean): void {
  const extra = own(out, 'additionalProperties')
  const declared = own(out, 'properties')
  const properties: JsonObject = isObject(declared) ? declared : {}
  const names = Object.keys(properties)
  if (extra !== undefined && extra !== false) {
    const remedy = 'declare the properties, or use an array of name and value pairs'
    const message = `${work.subject(at)} has free keys, which strict mode cannot express; ${remedy}.`
    work.refused('strict_open_object', [...at, 'additionalProperties'], message)
  } else if (extra === undefined) {
    if (names.length === 0 && !isRoot) {
      const remedy = 'declare them, or set "additionalProperties" to false'
      const message = `${work.subject(at)} accepts any properties, which strict mode cannot express; ${remedy}.`
      work.refused('strict_open_object', at, message)
    }
    const message = `${work.subject(at)} was closed: it no longer accepts undeclared properties.`
    work.changed('strict_object_closed', at, message)
  }
  const listed = own(out, 'required')
  const required = new Set(Array.isArray(listed) ? listed : [])
  for (const name of required) {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) continue
    work.refused('strict_undeclared_required', [...at, 'required'], words.undeclared(name))
  }
  const optional = work.rules.allRequired ? names.filter(name => !required.has(name)) : []
  out.properties = optional.length === 0 ? properties : requireAll(properties, optional, at, work)
  if (optional.length > 0 || listed !== undefined) out.required = [...required, ...optional]
  out.additionalProperties = false
}

/** An optional property becomes required and nullable; where `null` was legal before, it stays a plain value. */
function requireAll(properties: JsonObject, optional: readonly string[], at: Path, work: Work): JsonObject {
  const synthetic = new Set<string>()
  const missing = new Set(optional)
  const entries = Object.entries(properties).map(([key, member]): [string, unknown] => {
    if (!missing.has(key) || !isObject(member)) return [key, member]
    const place = [...at, 'properties', key]
    const nullable = acceptsNull(member, ref => targetOf(ref, work))
    const how = nullable ? '; it could be null before' : ' and may be null instead of absent'
    work.changed('strict_optional_nullable', place, `${JSON.stringify(key)} is now required${how}.`)
    if (nullable) return [key, member]
    synthetic.add(key)
    return [key, makeNullable(member)]
  })
  const all = Object.fromEntries(entries)
  work.synthetic.set(all, synthetic)
  return all
}

/** Output schemas hold written references, the schemas behind them still hold the caller's own. */
function targetOf(ref: string, work: Work): JsonObject | undefined {
  return work.targetOfWritten(ref) ?? work.target(ref)
}
