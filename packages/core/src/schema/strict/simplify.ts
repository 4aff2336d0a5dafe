/**
 * Brings one schema to one of three plain forms: a reference, a union, or a schema without combinators. A
 * combinator that cannot be resolved exactly is refused, never dropped.
 */

import { isObject, type JsonObject, omit, own } from '../../json/json.ts'
import type { Path } from '../../model/diagnostic.ts'
import { annotationsOf, constraintsOf } from './keywords.ts'
import { mergeExact } from './merge.ts'
import { words } from './messages.ts'
import { areExclusive } from './union.ts'
import type { Work } from './work.ts'

interface Simple {
  readonly node: JsonObject
  /** Constraints that only the description can carry. */
  readonly notes: string[]
}

const maxRounds = 100
/** Schemas written out in place of a reference, over the whole conversion. */
const maxInlined = 500

export function simplify(given: JsonObject, at: Path, work: Work, isRoot: boolean): Simple | undefined {
  const notes: string[] = []
  let node = given
  for (let round = 0; round < maxRounds; round++) {
    const next = step(node, at, work, isRoot, notes)
    if (next === undefined) return undefined
    if (next === node) return { node, notes }
    node = next
  }
  const message = `${work.subject(at)} includes itself, so it cannot be written out; break the circle.`
  return work.refused('strict_all_of_not_mergeable', at, message)
}

/** The same node when nothing is left to do, nothing when it was refused. */
function step(
  node: JsonObject,
  at: Path,
  work: Work,
  isRoot: boolean,
  notes: string[],
): JsonObject | undefined {
  if (typeof own(node, '$ref') === 'string') {
    const alone = Object.keys(constraintsOf(node, ['$ref'])).length === 0
    return alone && !isRoot ? node : inlineRef(node, at, work)
  }
  if (Array.isArray(own(node, 'allOf'))) return mergeAll(node, at, work, isRoot)
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const branches = own(node, keyword)
    if (!Array.isArray(branches)) continue
    const base = constraintsOf(node, [keyword])
    if (isPresenceOnly(branches) && isObject(own(base, 'properties'))) {
      notes.push(presenceNote(branches, keyword))
      const message = `"${keyword}" over required names was moved into the description of ${work.nameOf(at)}; strict mode cannot enforce it.`
      work.changed('strict_keyword_in_description', [...at, keyword], message)
      return omit(node, [keyword])
    }
    if (branches.length === 1) return { ...omit(node, [keyword]), allOf: branches }
    const simple = keyword === 'anyOf' && Object.keys(base).length === 0 && !isRoot
    return simple ? node : union(node, keyword, branches, base, at, work, isRoot)
  }
  return node
}

function inlineRef(node: JsonObject, at: Path, work: Work): JsonObject | undefined {
  const target = targetOf(node, work)
  const here = [...at, '$ref']
  if (target === undefined && work.inlined > maxInlined) {
    return work.refused(
      'strict_limit_exceeded',
      here,
      `More than ${maxInlined} references would have to be written out; let them stand alone, without other keywords beside them.`,
    )
  }
  if (target === undefined) return unresolved(node.$ref, here, work)
  const merged = mergeExact(omit(node, ['$ref']), withoutIdentity(target))
  if (merged === undefined) {
    const message =
      'What stands beside "$ref" cannot be merged exactly with its target; write the combined schema out by hand.'
    return work.refused('strict_all_of_not_mergeable', here, message)
  }
  work.changed(
    'strict_ref_rewritten',
    here,
    `The schema behind ${JSON.stringify(node.$ref)} was written out here.`,
  )
  return merged
}

/** A reference's target for writing out; nothing once so many were written out that there must be a circle. */
function targetOf(node: JsonObject, work: Work): JsonObject | undefined {
  const ref = own(node, '$ref')
  return typeof ref === 'string' && ++work.inlined <= maxInlined ? work.target(ref) : undefined
}

export function unresolved(ref: unknown, at: Path, work: Work): undefined {
  return work.refused(
    'strict_ref_unresolved',
    at,
    `The reference ${JSON.stringify(ref)} does not lead to a schema of this document; add it to "$defs".`,
  )
}

/** A copy of a schema elsewhere must not bring along names that others refer to. */
function withoutIdentity(schema: JsonObject): JsonObject {
  return omit(schema, ['$id', '$anchor', '$schema', '$defs', 'definitions'])
}

function mergeAll(node: JsonObject, at: Path, work: Work, isRoot: boolean): JsonObject | undefined {
  const here = [...at, 'allOf']
  const waiting: unknown[] = Array.isArray(node.allOf) ? [...node.allOf] : []
  let merged: JsonObject = omit(node, ['allOf'])
  const [only] = waiting
  if (waiting.length === 1 && !isRoot && isObject(only) && typeof own(only, '$ref') === 'string') {
    if (Object.keys(constraintsOf(merged, [])).length === 0 && Object.keys(only).length === 1) {
      work.changed('strict_all_of_merged', here, '"allOf" with one reference was written as that reference.')
      return { ...merged, ...only }
    }
  }
  // An outer `unevaluatedProperties: false` sees through the branches; closing the merged object says the same.
  if (own(merged, 'unevaluatedProperties') === false) merged = omit(merged, ['unevaluatedProperties'])
  for (let count = 0; waiting.length > 0; count++) {
    const branch = waiting.shift()
    if (branch === true) continue
    const plain = count < maxRounds && isObject(branch) ? writtenOut(branch, work) : undefined
    const inner = plain === undefined ? undefined : own(plain, 'allOf')
    if (Array.isArray(inner)) waiting.unshift(...inner)
    const next = plain === undefined ? undefined : mergeExact(merged, closedForm(omit(plain, ['allOf'])))
    if (next === undefined) {
      const message =
        '"allOf" cannot be written exactly as one schema; write the combined schema out by hand.'
      return work.refused('strict_all_of_not_mergeable', here, message)
    }
    merged = next
  }
  work.changed('strict_all_of_merged', here, '"allOf" was merged into one schema that accepts the same.')
  return merged
}

/** The branch with its reference replaced by the target. */
function writtenOut(branch: JsonObject, work: Work): JsonObject | undefined {
  let node = branch
  for (let hop = 0; typeof own(node, '$ref') === 'string'; hop++) {
    const target = hop < 20 ? targetOf(node, work) : undefined
    const merged =
      target === undefined ? undefined : mergeExact(omit(node, ['$ref']), withoutIdentity(target))
    if (merged === undefined) return undefined
    node = merged
  }
  return node
}

/** The schema behind a plain chain of references, as it stands. */
function followed(schema: JsonObject, work: Work): JsonObject {
  let node = schema
  for (let hop = 0; hop < 20; hop++) {
    const ref = own(node, '$ref')
    const target =
      typeof ref === 'string' && Object.keys(constraintsOf(node, ['$ref'])).length === 0
        ? work.target(ref)
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

function union(
  node: JsonObject,
  keyword: 'anyOf' | 'oneOf',
  branches: readonly unknown[],
  base: JsonObject,
  at: Path,
  work: Work,
  isRoot: boolean,
): JsonObject | undefined {
  const here = [...at, keyword]
  if (isRoot) {
    return work.refused('strict_root_not_object', here, words.rootUnion)
  }
  const shared = Object.keys(base).length > 0
  const merged = shared ? branches.map(branch => withBase(base, branch, work)) : branches
  if (merged.includes(undefined)) {
    const message = `What stands beside "${keyword}" cannot be merged exactly into its branches; write it into each of them by hand.`
    return work.refused('strict_all_of_not_mergeable', here, message)
  }
  const deref = (schema: unknown): unknown => (isObject(schema) ? followed(schema, work) : schema)
  if (keyword === 'oneOf' && !areExclusive(merged, deref)) {
    const remedy = 'use "anyOf", or give each branch a required property with its own "const"'
    const message = `The branches of "oneOf" may overlap, so it is not the same as "anyOf"; ${remedy}.`
    return work.refused('strict_union_not_exclusive', here, message)
  }
  work.changed(
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

function withBase(base: JsonObject, branch: unknown, work: Work): JsonObject | undefined {
  const plain = isObject(branch) ? writtenOut(branch, work) : undefined
  const merged = plain === undefined ? undefined : mergeExact(base, constraintsOf(plain, []))
  return merged === undefined || plain === undefined
    ? undefined
    : { ...annotationsOf(withoutIdentity(plain)), ...merged }
}

/** `anyOf: [{required: ['a']}, {required: ['b']}]` constrains which names are present and nothing else. */
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
