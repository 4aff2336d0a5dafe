/**
 * Checks whether a schema is within a strict subset and reports every violation. It changes nothing; `strictify`
 * does.
 */

import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { isObject, type JsonObject, own } from '../../json/object.ts'
import { createReport, type Diagnostic } from '../../model/diagnostic.ts'
import { jsonTypes, typeList } from '../equal.ts'
import { type PassOptions, passOptionNames } from '../pass.ts'
import { findRefCycles } from '../refs/cycles.ts'
import { createRefIndex, type RefIndex } from '../refs/refs.ts'
import { describe, shorten } from '../validate/check.ts'
import { definitionKeywords, isWithinLimits, measure, type Size } from '../walk.ts'
import { limitViolations, type Violation } from './limits.ts'
import { sentenceSubject, strictMessages } from './messages.ts'
import {
  hasPlainValues,
  isAllowed,
  isPlainRef,
  openaiStrictRules,
  type StrictRules,
  structure,
} from './rules.ts'

/** Whose rules of strict mode hold; OpenAI's by default. */
export interface StrictOptions extends PassOptions {
  /** The rules of the target's strict mode; OpenAI's by default. */
  readonly rules?: StrictRules
}

export const strictOptionNames: KnownOptions<StrictOptions> = { ...passOptionNames, rules: true }

/** Whether a schema keeps the rules of strict mode, and where it does not. */
export interface StrictCheck {
  readonly ok: boolean
  readonly diagnostics: Diagnostic[]
}

/** Says whether a schema keeps the rules of strict mode, without changing it. */
export function checkStrict(schema: unknown, options: StrictOptions = {}): StrictCheck {
  refuseUnknownOptions('checkStrict', options, strictOptionNames)
  const { report, diagnostics } = createReport()
  const path = options.path ?? []
  if (!isWithinLimits(schema, path, report)) return { ok: false, diagnostics }
  for (const { at, message } of findViolations(schema, options.rules ?? openaiStrictRules)) {
    report('strict_violation', [...path, ...at], message)
  }
  return { ok: diagnostics.length === 0, diagnostics }
}

/** Like `checkStrict`, without diagnostics: stops at the first violation. */
export function isStrict(schema: unknown, rules: StrictRules): boolean {
  const size = measure(schema)
  return !size.tooDeep && !size.tooLarge && collectViolations(schema, rules, size, true).length === 0
}

/** For callers that have already checked the size of the schema. */
export function findViolations(schema: unknown, rules: StrictRules): Violation[] {
  return collectViolations(schema, rules, measure(schema), false)
}

function collectViolations(
  schema: unknown,
  rules: StrictRules,
  size: Size,
  stopsAtFirst: boolean,
): Violation[] {
  if (!isObject(schema)) {
    return [{ at: [], message: `The root must be a schema object, got ${describe(schema)}.`, limit: false }]
  }
  const context = new StrictCheckState(schema, rules, stopsAtFirst)
  if (schema.type !== 'object') context.add(strictMessages.root)
  if (Object.hasOwn(schema, 'anyOf')) context.add(strictMessages.rootUnion, 'anyOf')
  checkNode(schema, context)
  for (const container of definitionKeywords) checkDefinitions(schema, container, context)
  return context.isDone ? context.found : [...context.found, ...limitViolations(schema, rules, size)]
}

/** The state of one check: the rules, the current path, and the violations found so far. */
class StrictCheckState {
  readonly root: JsonObject
  readonly rules: StrictRules
  readonly found: Violation[] = []
  /** From the root to the schema that is being checked. */
  readonly at: (string | number)[] = []
  readonly #stopsAtFirst: boolean
  #refs: RefIndex | undefined
  #refCycles: ReadonlySet<JsonObject> | undefined

  constructor(root: JsonObject, rules: StrictRules, stopsAtFirst: boolean) {
    this.root = root
    this.rules = rules
    this.#stopsAtFirst = stopsAtFirst
  }

  /** Whether the check can stop because one violation is enough. */
  get isDone(): boolean {
    return this.#stopsAtFirst && this.found.length > 0
  }

  get refs(): RefIndex {
    this.#refs ??= createRefIndex(this.root)
    return this.#refs
  }

  /** Schemas whose reference leads back to itself without descending into the value. */
  get refCycles(): ReadonlySet<JsonObject> {
    this.#refCycles ??= findRefCycles(this.refs)
    return this.#refCycles
  }

  add(message: string, ...below: (string | number)[]): void {
    this.found.push({ at: [...this.at, ...below], message, limit: false })
  }
}

function checkDefinitions(root: JsonObject, container: string, context: StrictCheckState): void {
  const definitions = own(root, container)
  if (definitions === undefined || context.isDone) return
  if (!isObject(definitions)) {
    context.add(`"${container}" must be an object of named schemas.`, container)
    return
  }
  context.at.push(container)
  for (const name of Object.keys(definitions)) checkMember(definitions[name], name, context)
  context.at.pop()
}

function checkMember(member: unknown, key: string | number, context: StrictCheckState): void {
  context.at.push(key)
  checkNode(member, context)
  context.at.pop()
}

function checkNode(node: unknown, context: StrictCheckState): void {
  if (context.isDone) return
  if (!isObject(node)) {
    const rule = 'must be a schema object with a "type"; true and false are not part of the strict subset.'
    context.add(`${sentenceSubject(context.at)} ${rule}`)
    return
  }
  checkKeywords(node, context)
  if (Object.hasOwn(node, '$ref')) {
    checkRef(node, context)
    return
  }
  if (Object.hasOwn(node, 'anyOf')) checkUnion(node, context)
  // The root needs `type: object`, which was checked before.
  else if (!Object.hasOwn(node, 'type') && node !== context.root)
    context.add(`${sentenceSubject(context.at)} needs a "type".`)
  const types = checkType(node, context)
  checkValues(node, context)
  if (types.includes('object')) checkObject(node, context)
  else if (Object.hasOwn(node, 'properties')) {
    context.add('"properties" needs "type": "object" beside it.', 'properties')
  }
  const hasItems = Object.hasOwn(node, 'items')
  if (types.includes('array') && !hasItems) context.add(strictMessages.array(context.at))
  if (hasItems) checkMember(node.items, 'items', context)
}

/** What the author can do about an unsupported keyword, other than removing it. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['oneOf', '; use "anyOf" if no value fits two branches'],
  ['allOf', '; write its branches out as one schema'],
  ['nullable', '; add "null" to "type" instead'],
  ['$defs', ' below the root; move the definitions there'],
  ['definitions', ' below the root; move the definitions there'],
])

function checkKeywords(node: JsonObject, context: StrictCheckState): void {
  const { rules } = context
  for (const keyword of Object.keys(node)) {
    if (structure.has(keyword) || keyword === '$ref' || isAllowed(keyword, node[keyword], rules)) continue
    const atRoot =
      node === context.root && (keyword === '$schema' || keyword === '$defs' || keyword === 'definitions')
    if (atRoot) continue
    if (!rules.keywords.has(keyword)) {
      const remedy = remedies.get(keyword) ?? '; remove it'
      context.add(`"${keyword}" is not part of the strict subset${remedy}.`, keyword)
      continue
    }
    const remedy =
      keyword === 'format'
        ? `remove it, or use one of: ${[...rules.formats].join(', ')}`
        : 'change or remove it'
    const text = shorten(JSON.stringify(node[keyword]) ?? '')
    context.add(`The "${keyword}" ${text} is not part of the strict subset; ${remedy}.`, keyword)
  }
}

function checkRef(node: JsonObject, context: StrictCheckState): void {
  const { root } = context
  const ref = node.$ref
  for (const keyword of Object.keys(node)) {
    if (keyword === '$ref' || (node === root && keyword.startsWith('$'))) continue
    const remedy = 'remove it, or write the reference as "anyOf": [{ "$ref": … }]'
    context.add(`"${keyword}" must not stand beside "$ref"; ${remedy}.`, keyword)
  }
  const text = `The reference ${shorten(JSON.stringify(ref) ?? '')}`
  if (typeof ref !== 'string' || !isPlainRef(ref) || !isObject(context.refs.resolve(ref, root)?.schema)) {
    const remedy = 'it must be "#" or lead to a definition of this schema, such as "#/$defs/name"'
    context.add(`${text} is not followed in strict mode; ${remedy}.`, '$ref')
  } else if (context.refCycles.has(node)) {
    context.add(`${text} only leads back to itself; let it lead to a schema with a "type".`, '$ref')
  }
}

function checkUnion(node: JsonObject, context: StrictCheckState): void {
  const branches = node.anyOf
  if (!Array.isArray(branches) || branches.length === 0) {
    context.add('"anyOf" must be a list of at least one schema.', 'anyOf')
    return
  }
  for (const keyword of Object.keys(node)) {
    // A union at the root was reported before.
    if (keyword === 'anyOf' || !structure.has(keyword) || node === context.root) continue
    context.add(`"${keyword}" must not stand beside "anyOf"; move it into the branches.`, keyword)
  }
  context.at.push('anyOf')
  for (let index = 0; index < branches.length; index++) checkMember(branches[index], index, context)
  context.at.pop()
}

function checkType(node: JsonObject, context: StrictCheckState): readonly string[] {
  if (!Object.hasOwn(node, 'type')) return noTypes
  const types = typeList(node.type)
  if (types === undefined || types.length === 0 || !types.every(type => jsonTypes.has(type))) {
    context.add(`"type" must be one or more of: ${[...jsonTypes].join(', ')}.`, 'type')
    return noTypes
  }
  return types
}

const noTypes: readonly string[] = []
const valueKeywords = ['enum', 'const'] as const

function checkValues(node: JsonObject, context: StrictCheckState): void {
  for (const keyword of valueKeywords) {
    if (Object.hasOwn(node, keyword) && !hasPlainValues(keyword, node[keyword])) {
      context.add(strictMessages.values[keyword], keyword)
    }
  }
}

function checkObject(node: JsonObject, context: StrictCheckState): void {
  if (own(node, 'additionalProperties') !== false) {
    const rule = 'needs "additionalProperties": false, as every object in strict mode.'
    context.add(`${sentenceSubject(context.at)} ${rule}`)
  }
  const properties = own(node, 'properties')
  if (!isObject(properties)) {
    context.add(`${sentenceSubject(context.at)} needs "properties"; write {} if it has none.`)
    return
  }
  const listed = own(node, 'required')
  const required = new Set(Array.isArray(listed) ? listed : [])
  if (listed !== undefined && (!Array.isArray(listed) || required.size !== listed.length)) {
    context.add('"required" must be a list of different names.', 'required')
  }
  checkProperties(properties, required, context)
  for (const name of required) {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) continue
    context.add(strictMessages.undeclared(name), 'required')
  }
}

function checkProperties(
  properties: JsonObject,
  required: ReadonlySet<unknown>,
  context: StrictCheckState,
): void {
  context.at.push('properties')
  for (const key of Object.keys(properties)) {
    if (context.isDone) break
    if (context.rules.allRequired && !required.has(key)) {
      const rule = 'must be listed in "required": in strict mode every property is.'
      context.add(`${JSON.stringify(key)} ${rule} Make it nullable if it is optional.`, key)
    }
    checkMember(properties[key], key, context)
  }
  context.at.pop()
}
