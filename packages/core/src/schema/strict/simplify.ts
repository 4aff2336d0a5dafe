/**
 * Reduces one schema to a reference, a union, or a schema without combinators. A combinator that cannot be resolved
 * exactly is refused, never dropped.
 */

import { isObject, type JsonObject, omit, own } from '../../json/object.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { Conversion } from './conversion.ts'
import { annotationsOf, constraintsOf } from './keywords.ts'
import { mergeExact } from './merge.ts'
import { strictMessages } from './messages.ts'
import { areExclusive } from './union.ts'

interface Simple {
  readonly node: JsonObject
  /** Constraints that only the description can express. */
  readonly notes: string[]
}

const maxRounds = 100
/** How many references one conversion may replace by their targets. */
const maxInlined = 500

export function simplify(
  schema: JsonObject,
  at: Path,
  state: Conversion,
  isRoot: boolean,
): Simple | undefined {
  const notes: string[] = []
  let node = schema
  for (let round = 0; round < maxRounds; round++) {
    const next = simplifyOnce(node, at, state, isRoot, notes)
    if (next === undefined) return undefined
    if (next === node) return { node, notes }
    node = next
  }
  const message = `${state.subject(at)} includes itself, so it cannot be written out; break the circle.`
  return state.refuse('strict_all_of_not_mergeable', at, message)
}

/** Returns the same node when it is simple, `undefined` when it was refused. */
function simplifyOnce(
  node: JsonObject,
  at: Path,
  state: Conversion,
  isRoot: boolean,
  notes: string[],
): JsonObject | undefined {
  if (typeof own(node, '$ref') === 'string') {
    const alone = Object.keys(constraintsOf(node, ['$ref'])).length === 0
    return alone && !isRoot ? node : inlineRef(node, at, state)
  }
  if (Array.isArray(own(node, 'allOf'))) return mergeAllOf(node, at, state, isRoot)
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const branches = own(node, keyword)
    if (!Array.isArray(branches)) continue
    const base = constraintsOf(node, [keyword])
    if (isPresenceOnly(branches) && isObject(own(base, 'properties'))) {
      notes.push(presenceNote(branches, keyword))
      const message = `"${keyword}" over required names was moved into the description of ${state.nameOf(at)}; strict mode cannot enforce it.`
      state.recordChange('strict_keyword_in_description', [...at, keyword], message)
      return omit(node, [keyword])
    }
    if (branches.length === 1) return { ...omit(node, [keyword]), allOf: branches }
    const simple = keyword === 'anyOf' && Object.keys(base).length === 0 && !isRoot
    return simple ? node : rewriteUnion(node, keyword, branches, base, at, state, isRoot)
  }
  return node
}

function inlineRef(node: JsonObject, at: Path, state: Conversion): JsonObject | undefined {
  const target = targetOf(node, state)
  const here = [...at, '$ref']
  if (target === undefined && state.inlinedRefs > maxInlined) {
    return state.refuse(
      'strict_limit_exceeded',
      here,
      `More than ${maxInlined} references would have to be written out; let them stand alone, without other keywords beside them.`,
    )
  }
  if (target === undefined) return refuseUnresolvedRef(node.$ref, here, state)
  const merged = mergeExact(omit(node, ['$ref']), withoutIdentity(target))
  if (merged === undefined) {
    const message =
      'What stands beside "$ref" cannot be merged exactly with its target; write the combined schema out by hand.'
    return state.refuse('strict_all_of_not_mergeable', here, message)
  }
  state.recordChange(
    'strict_ref_rewritten',
    here,
    `The schema behind ${JSON.stringify(node.$ref)} was written out here.`,
  )
  return merged
}

/** The target that replaces a reference; `undefined` beyond `maxInlined`, when there is probably a cycle. */
function targetOf(node: JsonObject, state: Conversion): JsonObject | undefined {
  const ref = own(node, '$ref')
  return typeof ref === 'string' && ++state.inlinedRefs <= maxInlined ? state.resolve(ref) : undefined
}

export function refuseUnresolvedRef(ref: unknown, at: Path, state: Conversion): undefined {
  return state.refuse(
    'strict_ref_unresolved',
    at,
    `The reference ${JSON.stringify(ref)} does not lead to a schema of this document; add it to "$defs".`,
  )
}

/** A copy of a schema must not repeat the names that references use. */
function withoutIdentity(schema: JsonObject): JsonObject {
  return omit(schema, ['$id', '$anchor', '$schema', '$defs', 'definitions'])
}

function mergeAllOf(node: JsonObject, at: Path, state: Conversion, isRoot: boolean): JsonObject | undefined {
  const here = [...at, 'allOf']
  let pending: unknown[] = Array.isArray(node.allOf) ? [...node.allOf] : []
  let merged: JsonObject = omit(node, ['allOf'])
  const [only] = pending
  if (pending.length === 1 && !isRoot && isObject(only) && typeof own(only, '$ref') === 'string') {
    if (Object.keys(constraintsOf(merged, [])).length === 0 && Object.keys(only).length === 1) {
      state.recordChange(
        'strict_all_of_merged',
        here,
        '"allOf" with one reference was written as that reference.',
      )
      return { ...merged, ...only }
    }
  }
  // An outer `unevaluatedProperties: false` considers the branches too, so closing the merged object is equivalent.
  if (own(merged, 'unevaluatedProperties') === false) merged = omit(merged, ['unevaluatedProperties'])
  for (let count = 0; pending.length > 0; count++) {
    const branch = pending.shift()
    if (branch === true) continue
    const plain = count < maxRounds && isObject(branch) ? expandRef(branch, state) : undefined
    const inner = plain === undefined ? undefined : own(plain, 'allOf')
    if (Array.isArray(inner)) pending = [...inner, ...pending]
    const next = plain === undefined ? undefined : mergeExact(merged, closedForm(omit(plain, ['allOf'])))
    if (next === undefined) {
      const message =
        '"allOf" cannot be written exactly as one schema; write the combined schema out by hand.'
      return state.refuse('strict_all_of_not_mergeable', here, message)
    }
    merged = next
  }
  state.recordChange(
    'strict_all_of_merged',
    here,
    '"allOf" was merged into one schema that accepts the same.',
  )
  return merged
}

/** The branch merged with its reference's target; `undefined` if that is not possible exactly. */
function expandRef(branch: JsonObject, state: Conversion): JsonObject | undefined {
  let node = branch
  for (let hop = 0; typeof own(node, '$ref') === 'string'; hop++) {
    const target = hop < 20 ? targetOf(node, state) : undefined
    const merged =
      target === undefined ? undefined : mergeExact(omit(node, ['$ref']), withoutIdentity(target))
    if (merged === undefined) return undefined
    node = merged
  }
  return node
}

/** The schema at the end of a chain of references without siblings. */
function followRefs(schema: JsonObject, state: Conversion): JsonObject {
  let node = schema
  for (let hop = 0; hop < 20; hop++) {
    const ref = own(node, '$ref')
    const target =
      typeof ref === 'string' && Object.keys(constraintsOf(node, ['$ref'])).length === 0
        ? state.resolve(ref)
        : undefined
    if (target === undefined) return node
    node = target
  }
  return node
}

function closedForm(branch: JsonObject): JsonObject {
  if (own(branch, 'unevaluatedProperties') !== false) return branch
  return { ...omit(branch, ['unevaluatedProperties']), additionalProperties: false }
}

function rewriteUnion(
  node: JsonObject,
  keyword: 'anyOf' | 'oneOf',
  branches: readonly unknown[],
  base: JsonObject,
  at: Path,
  state: Conversion,
  isRoot: boolean,
): JsonObject | undefined {
  const here = [...at, keyword]
  if (isRoot) {
    return state.refuse('strict_root_not_object', here, strictMessages.rootUnion)
  }
  const shared = Object.keys(base).length > 0
  const merged = shared ? branches.map(branch => mergeBase(base, branch, state)) : branches
  if (merged.includes(undefined)) {
    const message = `What stands beside "${keyword}" cannot be merged exactly into its branches; write it into each of them by hand.`
    return state.refuse('strict_all_of_not_mergeable', here, message)
  }
  const deref = (schema: unknown): unknown => (isObject(schema) ? followRefs(schema, state) : schema)
  if (keyword === 'oneOf' && !areExclusive(merged, deref)) {
    const remedy = 'use "anyOf", or give each branch a required property with its own "const"'
    const message = `The branches of "oneOf" may overlap, so it is not the same as "anyOf"; ${remedy}.`
    return state.refuse('strict_union_not_exclusive', here, message)
  }
  state.recordChange(
    'strict_union_rewritten',
    here,
    `"${keyword}" was written as an "anyOf" that accepts the same.`,
  )
  const kept = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key === keyword) return [['anyOf', merged]]
    return Object.hasOwn(base, key) ? [] : [[key, value]]
  })
  return Object.fromEntries(kept)
}

function mergeBase(base: JsonObject, branch: unknown, state: Conversion): JsonObject | undefined {
  const plain = isObject(branch) ? expandRef(branch, state) : undefined
  const merged = plain === undefined ? undefined : mergeExact(base, constraintsOf(plain, []))
  return merged === undefined || plain === undefined
    ? undefined
    : { ...annotationsOf(withoutIdentity(plain)), ...merged }
}

/** `anyOf: [{required: ['a']}, {required: ['b']}]` constrains only which properties are present. */
function isPresenceOnly(branches: readonly unknown[]): boolean {
  return branches.every(
    branch =>
      isObject(branch) &&
      Array.isArray(own(branch, 'required')) &&
      Object.entries(constraintsOf(branch, ['required'])).every(
        ([key, value]) => key === 'type' && value === 'object',
      ),
  )
}

function presenceNote(branches: readonly unknown[], keyword: 'anyOf' | 'oneOf'): string {
  const names = branches.map(branch => {
    const required = isObject(branch) ? own(branch, 'required') : undefined
    return Array.isArray(required) ? required.filter(name => typeof name === 'string').join(' and ') : ''
  })
  return keyword === 'anyOf'
    ? `(needs ${names.join(', or ')})`
    : `(needs exactly one of: ${names.join(', or ')})`
}
