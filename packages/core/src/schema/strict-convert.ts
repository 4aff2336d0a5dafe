/**
 * Rewrites one schema, and all below it, into a strict subset. Every change is noted with the place in the
 * caller's schema; what cannot be said in the subset is refused and the whole conversion falls.
 */
import type { Path } from '../model/diagnostic.ts'
import { isObject, type JsonObject, own, setOwn } from '../model/json.ts'
import { jsonTypes, typeList, typeOf } from './equal.ts'
import { acceptsNull, makeNullable } from './nullable.ts'
import { asNote, describeWith, fateOf } from './strict-keywords.ts'
import { isAllowed } from './strict-rules.ts'
import { simplify, unresolved } from './strict-simplify.ts'
import type { Work } from './strict-work.ts'

/** Far above what any provider's limits let pass. */
const maxVisits = 50_000
const maxConvertDepth = 400

export function convert(given: unknown, near: Path, work: Work, isRoot = false): JsonObject {
  const at = (isObject(given) ? work.origin.get(given) : undefined) ?? near
  if (!isObject(given)) {
    work.refused('strict_untyped', at, 'A schema that accepts anything or nothing has no strict form.')
    return {}
  }
  if (++work.visits > maxVisits || work.depth > maxConvertDepth) {
    // Said once: the bound is only hit by references that unfold without end.
    if (work.visits <= maxVisits + 1) {
      work.refused('strict_limit_exceeded', at, 'The schema unfolds into too many parts.')
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
  work.changed('strict_keyword_removed', here, `\`${keyword}\` has no effect here and was taken away.`)
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
        `\`${keyword}\` is now told in the description only.`,
      )
      return undefined
    case 'remove':
      work.changed('strict_keyword_removed', here, `\`${keyword}\` constrains nothing and was taken away.`)
      return undefined
    case 'refuse': {
      const message = `\`${keyword}\` cannot be written in a strict schema.`
      return work.refused('strict_unsupported_keyword', here, message)
    }
  }
}

function convertRef(ref: unknown, here: Path, work: Work): string | undefined {
  const written = typeof ref === 'string' ? work.refTo(ref) : undefined
  if (written === undefined) return unresolved(ref, here, work)
  if (written !== ref) work.changed('strict_ref_rewritten', here, `The reference is now ${written}.`)
  return written
}

function convertValues(keyword: string, value: unknown, here: Path, work: Work): unknown {
  const values = keyword === 'const' ? [value] : value
  const plain =
    Array.isArray(values) &&
    values.length > 0 &&
    values.every(one => jsonTypes.has(typeOf(one)) && !isNested(one))
  return plain
    ? value
    : work.refused('strict_unsupported_keyword', here, `\`${keyword}\` may only have plain values.`)
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function convertItems(value: unknown, here: Path, work: Work): unknown {
  if (!Array.isArray(value)) return convert(value, here, work)
  return work.refused('strict_unsupported_keyword', here, 'A list of `items` by position has no strict form.')
}

function convertProperties(value: unknown, here: Path, work: Work): unknown {
  if (!isObject(value))
    return work.refused('strict_unsupported_keyword', here, '`properties` must be an object.')
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
    return work.refused('strict_root_not_object', at, 'The root of a strict schema must be an object.')
  }
  if (types === undefined || types.length === 0) {
    return work.refused(
      'strict_untyped',
      at,
      'A schema without a type accepts anything and has no strict form.',
    )
  }
  if (stated === undefined) {
    work.changed('strict_type_inferred', at, `The type was taken to be ${types.join(' or ')}.`)
  }
  return types
}

function inferTypes(node: JsonObject): string[] | undefined {
  const values = Object.hasOwn(node, 'const') ? [node.const] : own(node, 'enum')
  if (Array.isArray(values)) {
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
    work.refused(
      'strict_unbounded_array',
      at,
      'An array without `items` accepts anything and has no strict form.',
    )
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
    work.refused(
      'strict_open_object',
      [...at, 'additionalProperties'],
      'An object with free keys has no strict form.',
    )
  } else if (extra === undefined) {
    if (names.length === 0 && !isRoot) {
      work.refused('strict_open_object', at, 'An object without declared properties accepts anything.')
    }
    work.changed('strict_object_closed', at, 'The object no longer accepts undeclared properties.')
  }
  const listed = own(out, 'required')
  const required = new Set(Array.isArray(listed) ? listed : [])
  for (const name of required) {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) continue
    const message = `${JSON.stringify(name)} is required but its form is not declared.`
    work.refused('strict_undeclared_required', [...at, 'required'], message)
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
    if (acceptsNull(member, ref => targetOf(ref, work))) {
      work.changed(
        'strict_optional_nullable',
        place,
        'The property is now required; it could be null before.',
      )
      return [key, member]
    }
    synthetic.add(key)
    work.changed('strict_optional_nullable', place, 'The optional property is now required and may be null.')
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
