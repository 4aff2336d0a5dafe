/**
 * Rewrites a schema and its subschemas to a strict subset. Every change is recorded with its path in the caller's
 * schema. What the subset cannot express is refused, and any refusal makes the whole conversion fail.
 */

import { isObject, type JsonObject, own, setOwn } from '../../json/object.ts'
import type { Path } from '../../model/diagnostic.ts'
import { listedValues, typeList, typeOf } from '../equal.ts'
import type { Conversion } from './conversion.ts'
import {
  actionFor,
  appendNotes,
  descriptionNote,
  positionalItemsMessage,
  refusalMessage,
} from './keywords.ts'
import { strictMessages } from './messages.ts'
import { acceptsNull, makeNullable } from './nullable.ts'
import { hasPlainValues, isAllowed } from './rules.ts'
import { refuseUnresolvedRef, simplify } from './simplify.ts'

/** Far above every provider's limits. */
const maxVisits = 50_000
const maxConvertDepth = 400

export function convert(schema: unknown, near: Path, state: Conversion, isRoot = false): JsonObject {
  const at = (isObject(schema) ? state.origins.get(schema) : undefined) ?? near
  if (!isObject(schema)) {
    refuseUntyped(schema === false ? 'no' : 'any', at, state)
    return {}
  }
  if (++state.visits > maxVisits || state.depth > maxConvertDepth) {
    // Reported once. Only references that expand without end reach this limit.
    if (state.visits <= maxVisits + 1) {
      const message = `The schema unfolds into more than ${maxVisits} parts; let references refer to each other less.`
      state.refuse('strict_limit_exceeded', at, message)
    }
    state.visits = maxVisits + 1
    return {}
  }
  state.depth++
  const simple = simplify(schema, at, state, isRoot)
  const out = simple === undefined ? {} : convertPlain(simple.node, simple.notes, at, state, isRoot)
  state.depth--
  return out
}

function convertPlain(
  node: JsonObject,
  notes: string[],
  at: Path,
  state: Conversion,
  isRoot: boolean,
): JsonObject {
  const types = effectiveTypes(node, at, state, isRoot)
  const out: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(node)) {
    const kept = convertKeyword(keyword, value, { node, types, notes, at, state, isRoot })
    if (kept !== undefined) setOwn(out, keyword, kept)
  }
  const typed =
    types === undefined || Object.hasOwn(out, 'type')
      ? out
      : { type: types.length === 1 ? types[0] : types, ...out }
  return finishSchema(node, typed, notes, types, at, state, isRoot)
}

interface KeywordContext {
  readonly node: JsonObject
  readonly types: readonly string[] | undefined
  readonly notes: string[]
  readonly at: Path
  readonly state: Conversion
  readonly isRoot: boolean
}

/** The keyword's value in the output; `undefined` if the output does not have it. */
function convertKeyword(keyword: string, value: unknown, context: KeywordContext): unknown {
  const { node, types, notes, at, state, isRoot } = context
  const here = [...at, keyword]
  switch (keyword) {
    case 'type':
      return types?.length === 1 ? types[0] : value
    case '$ref':
      return convertRef(value, here, state)
    case 'anyOf':
      return Array.isArray(value)
        ? value.map((branch, index) => convert(branch, [...here, index], state))
        : value
    case 'enum':
    case 'const':
      return convertValues(keyword, value, here, state)
    case '$schema':
    case '$defs':
    case 'definitions':
      // The root's definitions are filled in at the end; nested ones move there if something refers to them.
      if (isRoot) return keyword === '$schema' ? value : {}
      break
    case 'properties':
    case 'required':
    case 'additionalProperties':
      if (types?.includes('object'))
        return keyword === 'properties' ? convertProperties(value, here, state) : value
      break
    case 'items':
      if (types?.includes('array')) return convertItems(value, here, state)
      break
    default:
      if (isAllowed(keyword, value, state.rules)) return value
      return replaceUnsupported(keyword, value, node, notes, here, state)
  }
  state.recordChange('strict_keyword_removed', here, `"${keyword}" has no effect here and was removed.`)
  return undefined
}

function replaceUnsupported(
  keyword: string,
  value: unknown,
  node: JsonObject,
  notes: string[],
  here: Path,
  state: Conversion,
): undefined {
  switch (actionFor(keyword, value, node)) {
    case 'describe':
      notes.push(descriptionNote(keyword, value))
      state.recordChange(
        'strict_keyword_in_description',
        here,
        `"${keyword}" was moved into the description of ${state.nameOf(here.slice(0, -1))}, where the model reads it; strict mode does not take it.`,
      )
      return undefined
    case 'remove': {
      const message = `"${keyword}" constrains nothing and is not part of the strict subset; it was removed.`
      state.recordChange('strict_keyword_removed', here, message)
      return undefined
    }
    case 'refuse':
      return state.refuse('strict_unsupported_keyword', here, refusalMessage(keyword))
  }
}

function convertRef(ref: unknown, here: Path, state: Conversion): string | undefined {
  const written = typeof ref === 'string' ? state.outputRef(ref) : undefined
  if (written === undefined) return refuseUnresolvedRef(ref, here, state)
  if (written !== ref)
    state.recordChange(
      'strict_ref_rewritten',
      here,
      `The reference ${JSON.stringify(ref)} is now ${JSON.stringify(written)}, which leads to the same schema.`,
    )
  return written
}

function convertValues(keyword: 'enum' | 'const', value: unknown, here: Path, state: Conversion): unknown {
  if (hasPlainValues(keyword, value)) return value
  return state.refuse('strict_unsupported_keyword', here, strictMessages.values[keyword])
}

function convertItems(value: unknown, here: Path, state: Conversion): unknown {
  if (!Array.isArray(value)) return convert(value, here, state)
  return state.refuse('strict_unsupported_keyword', here, positionalItemsMessage)
}

function convertProperties(value: unknown, here: Path, state: Conversion): unknown {
  if (!isObject(value))
    return state.refuse(
      'strict_unsupported_keyword',
      here,
      '"properties" must be an object of named schemas.',
    )
  const entries = Object.entries(value).map(([key, member]) => [key, convert(member, [...here, key], state)])
  return Object.fromEntries(entries)
}

/** The stated types, or the inferred ones if they are unambiguous; `undefined` for references and unions. */
function effectiveTypes(
  node: JsonObject,
  at: Path,
  state: Conversion,
  isRoot: boolean,
): readonly string[] | undefined {
  if (Object.hasOwn(node, '$ref') || Object.hasOwn(node, 'anyOf')) return undefined
  const stated = typeList(own(node, 'type'))
  const types = stated ?? inferTypes(node)
  if (isRoot && (types?.length !== 1 || types[0] !== 'object')) {
    return state.refuse('strict_root_not_object', at, strictMessages.root)
  }
  if (types === undefined || types.length === 0) {
    return refuseUntyped('any', at, state)
  }
  if (stated === undefined) {
    const message = `${state.subject(at)} has no "type"; it was taken to be ${types.join(' or ')}.`
    state.recordChange('strict_type_inferred', at, message)
  }
  return types
}

function refuseUntyped(accepted: 'any' | 'no', at: Path, state: Conversion): undefined {
  const remedy = accepted === 'no' ? 'remove it' : 'give it a "type"'
  const message = `${state.subject(at)} accepts ${accepted} value, which strict mode cannot express; ${remedy}.`
  return state.refuse('strict_untyped', at, message)
}

function inferTypes(node: JsonObject): string[] | undefined {
  const values = listedValues(node)
  if (values !== undefined) {
    return [...new Set(values.map(value => (Number.isInteger(value) ? 'integer' : typeOf(value))))]
  }
  if (Object.hasOwn(node, 'properties')) return ['object']
  return Object.hasOwn(node, 'items') ? ['array'] : undefined
}

function finishSchema(
  node: JsonObject,
  out: Record<string, unknown>,
  notes: readonly string[],
  types: readonly string[] | undefined,
  at: Path,
  state: Conversion,
  isRoot: boolean,
): JsonObject {
  if (types?.includes('array') && !Object.hasOwn(node, 'items') && !hasListedValues(node)) {
    state.refuse('strict_unbounded_array', at, strictMessages.array(at.slice(state.path.length)))
  }
  if (types?.includes('object') && !hasListedValues(node)) closeObject(out, at, state, isRoot)
  if (notes.length > 0) out.description = appendNotes(out.description, notes)
  if (!Object.hasOwn(out, '$ref')) return out
  const { $ref, ...beside } = out
  // A reference must not have siblings, but a union with one branch may.
  return Object.keys(beside).length === 0 ? out : { ...beside, anyOf: [{ $ref }] }
}

/** With `enum` or `const` no keys or items are left open; nested values are refused in `convertValues`. */
function hasListedValues(node: JsonObject): boolean {
  return Object.hasOwn(node, 'const') || Object.hasOwn(node, 'enum')
}

function closeObject(out: Record<string, unknown>, at: Path, state: Conversion, isRoot: boolean): void {
  const extra = own(out, 'additionalProperties')
  const declared = own(out, 'properties')
  const properties: JsonObject = isObject(declared) ? declared : {}
  const names = Object.keys(properties)
  if (extra !== undefined && extra !== false) {
    const remedy = 'declare the properties, or use an array of name and value pairs'
    const message = `${state.subject(at)} has free keys, which strict mode cannot express; ${remedy}.`
    state.refuse('strict_open_object', [...at, 'additionalProperties'], message)
  } else if (extra === undefined) {
    if (names.length === 0 && !isRoot) {
      const remedy = 'declare them, or set "additionalProperties" to false'
      const message = `${state.subject(at)} accepts any properties, which strict mode cannot express; ${remedy}.`
      state.refuse('strict_open_object', at, message)
    }
    const message = `${state.subject(at)} was closed: it no longer accepts undeclared properties.`
    state.recordChange('strict_object_closed', at, message)
  }
  const listed = own(out, 'required')
  const required = new Set(Array.isArray(listed) ? listed : [])
  for (const name of required) {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) continue
    state.refuse('strict_undeclared_required', [...at, 'required'], strictMessages.undeclared(name))
  }
  const optional = state.rules.allRequired ? names.filter(name => !required.has(name)) : []
  out.properties = optional.length === 0 ? properties : requireAll(properties, optional, at, state)
  if (optional.length > 0 || listed !== undefined) out.required = [...required, ...optional]
  out.additionalProperties = false
}

/** Makes optional properties required and nullable. Where `null` was valid before, `undo` must not remove it. */
function requireAll(
  properties: JsonObject,
  optional: readonly string[],
  at: Path,
  state: Conversion,
): JsonObject {
  const synthetic = new Set<string>()
  const missing = new Set(optional)
  const entries = Object.entries(properties).map(([key, member]): [string, unknown] => {
    if (!missing.has(key) || !isObject(member)) return [key, member]
    const here = [...at, 'properties', key]
    const nullable = acceptsNull(member, ref => targetOf(ref, state))
    const how = nullable ? '; it could be null before' : ' and may be null instead of absent'
    state.recordChange('strict_optional_nullable', here, `${JSON.stringify(key)} is now required${how}.`)
    if (nullable) return [key, member]
    synthetic.add(key)
    return [key, makeNullable(member)]
  })
  const all = Object.fromEntries(entries)
  state.synthetic.set(all, synthetic)
  return all
}

/** Converted schemas hold references of the output; the schemas behind them still hold those of the input. */
function targetOf(ref: string, state: Conversion): JsonObject | undefined {
  return state.resolveOutput(ref) ?? state.resolve(ref)
}
