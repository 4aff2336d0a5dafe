/**
 * Tells whether a schema already lies within a strict subset, and every place where it does not. It judges
 * only; `strictify` is what changes a schema.
 */
import { createReport, type Diagnostic, type Path } from '../model/diagnostic.ts'
import { isObject, type JsonObject, own } from '../model/json.ts'
import { jsonTypes, typeList } from './equal.ts'
import type { PassOptions } from './pass.ts'
import { findRefCycles } from './ref-cycles.ts'
import { createRefIndex, type RefIndex } from './refs.ts'
import { limitViolations, type Violation } from './strict-limits.ts'
import {
  hasPlainValues,
  isAllowed,
  isPlainRef,
  openaiStrictRules,
  type StrictRules,
  structure,
} from './strict-rules.ts'
import { subject, words } from './strict-words.ts'
import { describe, shorten } from './validate-run.ts'
import { containers, guard } from './walk.ts'

export interface StrictOptions extends PassOptions {
  /** What the target's strict mode takes; OpenAI's unless given. */
  readonly rules?: StrictRules
}

export interface StrictCheck {
  readonly ok: boolean
  readonly diagnostics: Diagnostic[]
}

export function checkStrict(schema: unknown, options: StrictOptions = {}): StrictCheck {
  const { report, diagnostics } = createReport()
  const path = options.path ?? []
  if (!guard(schema, path, report)) return { ok: false, diagnostics }
  for (const { at, message } of violations(schema, options.rules ?? openaiStrictRules)) {
    report('strict_violation', [...path, ...at], message)
  }
  return { ok: diagnostics.length === 0, diagnostics }
}

/** For callers that have measured the schema already. */
export function violations(schema: unknown, rules: StrictRules): Violation[] {
  const found: Violation[] = []
  const say: Context['say'] = (at, message) => void found.push({ at, message, limit: false })
  if (!isObject(schema)) {
    say([], `The root must be a schema object, got ${describe(schema)}.`)
    return found
  }
  const refs = createRefIndex(schema)
  const context: Context = { rules, refs, root: schema, say, circles: findRefCycles(refs.schemas, refs) }
  if (schema.type !== 'object') say([], words.root)
  if (Object.hasOwn(schema, 'anyOf')) say(['anyOf'], words.rootUnion)
  checkNode(schema, [], context)
  for (const container of containers) {
    const definitions = own(schema, container)
    if (definitions === undefined) continue
    if (!isObject(definitions)) say([container], `"${container}" must be an object of named schemas.`)
    else
      for (const [name, member] of Object.entries(definitions)) checkNode(member, [container, name], context)
  }
  return [...found, ...limitViolations(schema, rules)]
}

interface Context {
  readonly rules: StrictRules
  readonly refs: RefIndex
  readonly root: JsonObject
  readonly say: (at: Path, message: string) => void
  /** Schemas whose reference comes back to itself before anything is said. */
  readonly circles: ReadonlySet<JsonObject>
}

function checkNode(node: unknown, at: Path, context: Context): void {
  const { say } = context
  if (!isObject(node)) {
    const rule = 'must be a schema object with a "type"; true and false are not part of the strict subset.'
    say(at, `${subject(at)} ${rule}`)
    return
  }
  checkKeywords(node, at, context)
  if (Object.hasOwn(node, '$ref')) {
    checkRef(node, at, context)
    return
  }
  if (Object.hasOwn(node, 'anyOf')) checkUnion(node, at, context)
  // Of the root more is asked, and was said.
  else if (!Object.hasOwn(node, 'type') && node !== context.root) say(at, `${subject(at)} needs a "type".`)
  const types = checkType(node, at, context)
  checkValues(node, at, context)
  if (types.includes('object')) checkObject(node, at, context)
  else if (Object.hasOwn(node, 'properties')) {
    say([...at, 'properties'], '"properties" needs "type": "object" beside it.')
  }
  if (types.includes('array') && !Object.hasOwn(node, 'items')) say(at, words.array(at))
  if (Object.hasOwn(node, 'items')) checkNode(node.items, [...at, 'items'], context)
}

/** What to do about a keyword that is not taken; otherwise it can only go. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['oneOf', '; use "anyOf" if no value fits two branches'],
  ['allOf', '; write its branches out as one schema'],
  ['nullable', '; add "null" to "type" instead'],
  ['$defs', ' below the root; move the definitions there'],
  ['definitions', ' below the root; move the definitions there'],
])

function checkKeywords(node: JsonObject, at: Path, { rules, say, root }: Context): void {
  for (const [keyword, value] of Object.entries(node)) {
    if (structure.has(keyword) || keyword === '$ref' || isAllowed(keyword, value, rules)) continue
    const atRoot =
      node === root && (keyword === '$schema' || keyword === '$defs' || keyword === 'definitions')
    if (atRoot) continue
    const here = [...at, keyword]
    if (!rules.keywords.has(keyword)) {
      say(here, `"${keyword}" is not part of the strict subset${remedies.get(keyword) ?? '; remove it'}.`)
      continue
    }
    const remedy =
      keyword === 'format'
        ? `remove it, or use one of: ${[...rules.formats].join(', ')}`
        : 'change or remove it'
    const text = shorten(JSON.stringify(value) ?? '')
    say(here, `The "${keyword}" ${text} is not part of the strict subset; ${remedy}.`)
  }
}

function checkRef(node: JsonObject, at: Path, { refs, root, say, circles }: Context): void {
  const ref = node.$ref
  for (const keyword of Object.keys(node)) {
    if (keyword === '$ref' || (node === root && keyword.startsWith('$'))) continue
    const remedy = 'remove it, or write the reference as "anyOf": [{ "$ref": … }]'
    say([...at, keyword], `"${keyword}" must not stand beside "$ref"; ${remedy}.`)
  }
  const text = `The reference ${shorten(JSON.stringify(ref) ?? '')}`
  if (typeof ref !== 'string' || !isPlainRef(ref) || !isObject(refs.resolve(ref, root)?.schema)) {
    const remedy = 'it must be "#" or lead to a definition of this schema, such as "#/$defs/name"'
    say([...at, '$ref'], `${text} is not followed in strict mode; ${remedy}.`)
  } else if (circles.has(node)) {
    say([...at, '$ref'], `${text} only leads back to itself; let it lead to a schema with a "type".`)
  }
}

function checkUnion(node: JsonObject, at: Path, context: Context): void {
  const branches = node.anyOf
  if (!Array.isArray(branches) || branches.length === 0) {
    context.say([...at, 'anyOf'], '"anyOf" must be a list of at least one schema.')
    return
  }
  for (const keyword of Object.keys(node)) {
    // Of a union at the root everything has been said.
    if (keyword === 'anyOf' || !structure.has(keyword) || node === context.root) continue
    context.say([...at, keyword], `"${keyword}" must not stand beside "anyOf"; move it into the branches.`)
  }
  for (const [index, branch] of branches.entries()) checkNode(branch, [...at, 'anyOf', index], context)
}

function checkType(node: JsonObject, at: Path, { say }: Context): string[] {
  if (!Object.hasOwn(node, 'type')) return []
  const types = typeList(node.type)
  if (types === undefined || types.length === 0 || !types.every(type => jsonTypes.has(type))) {
    say([...at, 'type'], `"type" must be one or more of: ${[...jsonTypes].join(', ')}.`)
    return []
  }
  return types
}

function checkValues(node: JsonObject, at: Path, { say }: Context): void {
  for (const keyword of ['enum', 'const'] as const) {
    if (Object.hasOwn(node, keyword) && !hasPlainValues(keyword, node[keyword])) {
      say([...at, keyword], words.values[keyword])
    }
  }
}

function checkObject(node: JsonObject, at: Path, context: Context): void {
  const { say, rules } = context
  if (own(node, 'additionalProperties') !== false) {
    say(at, `${subject(at)} needs "additionalProperties": false, as every object in strict mode.`)
  }
  const properties = own(node, 'properties')
  if (!isObject(properties)) {
    say(at, `${subject(at)} needs "properties"; write {} if it has none.`)
    return
  }
  const listed = own(node, 'required')
  const required = new Set(Array.isArray(listed) ? listed : [])
  if (listed !== undefined && (!Array.isArray(listed) || required.size !== listed.length)) {
    say([...at, 'required'], '"required" must be a list of different names.')
  }
  for (const [key, member] of Object.entries(properties)) {
    const here = [...at, 'properties', key]
    if (rules.allRequired && !required.has(key)) {
      const rule = 'must be listed in "required": in strict mode every property is.'
      say(here, `${JSON.stringify(key)} ${rule} Make it nullable if it is optional.`)
    }
    checkNode(member, here, context)
  }
  for (const name of required) {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) continue
    say([...at, 'required'], words.undeclared(name))
  }
}
