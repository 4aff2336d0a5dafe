/**
 * Tells whether a schema already lies within a strict subset, and every place where it does not. It judges
 * only; `strictify` is what changes a schema.
 */
import { createReport, type Diagnostic, type Path } from '../model/diagnostic.ts'
import { isObject, type JsonObject, own } from '../model/json.ts'
import { jsonTypes, typeList, typeOf } from './equal.ts'
import type { PassOptions } from './pass.ts'
import { findRefCycles } from './ref-cycles.ts'
import { createRefIndex, type RefIndex } from './refs.ts'
import { limitViolations, type Violation } from './strict-limits.ts'
import {
  containers,
  isAllowed,
  isPlainRef,
  openaiStrictRules,
  type StrictRules,
  structure,
} from './strict-rules.ts'
import { guard } from './walk.ts'

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
  if (!isObject(schema)) return [{ at: [], message: 'The root must be a schema object.' }]
  const refs = createRefIndex(schema)
  const context: Context = { rules, refs, root: schema, found, circles: findRefCycles(refs.schemas, refs) }
  if (schema.type !== 'object') found.push({ at: [], message: 'The root must have the type "object".' })
  if (Object.hasOwn(schema, 'anyOf')) found.push({ at: ['anyOf'], message: 'The root must not be a union.' })
  checkNode(schema, [], context)
  for (const container of containers) {
    const definitions = own(schema, container)
    if (definitions === undefined) continue
    if (!isObject(definitions))
      found.push({ at: [container], message: `\`${container}\` must be an object.` })
    else
      for (const [name, member] of Object.entries(definitions)) checkNode(member, [container, name], context)
  }
  return [...found, ...limitViolations(schema, rules)]
}

interface Context {
  readonly rules: StrictRules
  readonly refs: RefIndex
  readonly root: JsonObject
  readonly found: Violation[]
  /** Schemas whose reference comes back to itself before anything is said. */
  readonly circles: ReadonlySet<JsonObject>
}

function checkNode(node: unknown, at: Path, context: Context): void {
  const { found } = context
  if (!isObject(node)) {
    found.push({ at, message: 'A schema object is needed here; true and false are not taken.' })
    return
  }
  checkKeywords(node, at, context)
  if (Object.hasOwn(node, '$ref')) {
    checkRef(node, at, context)
    return
  }
  if (Object.hasOwn(node, 'anyOf')) checkUnion(node, at, context)
  else if (!Object.hasOwn(node, 'type')) found.push({ at, message: 'A `type` is needed here.' })
  const types = checkType(node, at, context)
  checkValues(node, at, context)
  if (types.includes('object')) checkObject(node, at, context)
  else if (Object.hasOwn(node, 'properties')) {
    found.push({ at: [...at, 'properties'], message: '`properties` needs the type "object".' })
  }
  if (types.includes('array') && !Object.hasOwn(node, 'items'))
    found.push({ at, message: 'An array needs `items`.' })
  if (Object.hasOwn(node, 'items')) checkNode(node.items, [...at, 'items'], context)
}

function checkKeywords(node: JsonObject, at: Path, { rules, found, root }: Context): void {
  for (const [keyword, value] of Object.entries(node)) {
    if (structure.has(keyword) || keyword === '$ref' || isAllowed(keyword, value, rules)) continue
    const atRoot =
      node === root && (keyword === '$schema' || keyword === '$defs' || keyword === 'definitions')
    if (atRoot) continue
    const known = rules.keywords.has(keyword)
    const message = known ? `This value of \`${keyword}\` is not taken.` : `\`${keyword}\` is not taken here.`
    found.push({ at: [...at, keyword], message })
  }
}

function checkRef(node: JsonObject, at: Path, { refs, root, found, circles }: Context): void {
  const ref = node.$ref
  for (const keyword of Object.keys(node)) {
    if (keyword === '$ref' || (node === root && keyword.startsWith('$'))) continue
    found.push({ at: [...at, keyword], message: 'Nothing may stand beside `$ref`.' })
  }
  if (typeof ref !== 'string' || !isPlainRef(ref) || !isObject(refs.resolve(ref, root)?.schema)) {
    found.push({
      at: [...at, '$ref'],
      message: 'A reference must be `#` or name a definition of this schema.',
    })
  } else if (circles.has(node)) {
    found.push({ at: [...at, '$ref'], message: 'This reference only leads back to itself.' })
  }
}

function checkUnion(node: JsonObject, at: Path, context: Context): void {
  const branches = node.anyOf
  if (!Array.isArray(branches) || branches.length === 0) {
    context.found.push({ at: [...at, 'anyOf'], message: '`anyOf` must be a list of schemas.' })
    return
  }
  for (const keyword of Object.keys(node)) {
    if (keyword === 'anyOf' || !structure.has(keyword)) continue
    context.found.push({ at: [...at, keyword], message: `\`${keyword}\` must not stand beside \`anyOf\`.` })
  }
  for (const [index, branch] of branches.entries()) checkNode(branch, [...at, 'anyOf', index], context)
}

function checkType(node: JsonObject, at: Path, { found }: Context): string[] {
  if (!Object.hasOwn(node, 'type')) return []
  const types = typeList(node.type)
  if (types === undefined || types.length === 0 || !types.every(type => jsonTypes.has(type))) {
    found.push({ at: [...at, 'type'], message: '`type` must name JSON types.' })
    return []
  }
  return types
}

function checkValues(node: JsonObject, at: Path, { found }: Context): void {
  const values = own(node, 'enum')
  if (values !== undefined && (!Array.isArray(values) || values.length === 0 || !values.every(isScalar))) {
    found.push({ at: [...at, 'enum'], message: '`enum` must be a list of plain values.' })
  }
  if (Object.hasOwn(node, 'const') && !isScalar(node.const)) {
    found.push({ at: [...at, 'const'], message: '`const` must be a plain value.' })
  }
}

function isScalar(value: unknown): boolean {
  return !['object', 'array', 'undefined'].includes(typeOf(value))
}

function checkObject(node: JsonObject, at: Path, context: Context): void {
  const { found, rules } = context
  if (own(node, 'additionalProperties') !== false) {
    found.push({ at, message: 'An object needs `additionalProperties: false`.' })
  }
  const properties = own(node, 'properties')
  if (!isObject(properties)) {
    found.push({ at, message: 'An object needs `properties`.' })
    return
  }
  const listed = own(node, 'required')
  const required = new Set(Array.isArray(listed) ? listed : [])
  if (listed !== undefined && (!Array.isArray(listed) || required.size !== listed.length)) {
    found.push({ at: [...at, 'required'], message: '`required` must be a list of different names.' })
  }
  for (const [key, member] of Object.entries(properties)) {
    const here = [...at, 'properties', key]
    if (rules.allRequired && !required.has(key))
      found.push({ at: here, message: 'Every property must be required.' })
    checkNode(member, here, context)
  }
  for (const name of required) {
    if (typeof name === 'string' && Object.hasOwn(properties, name)) continue
    found.push({ at: [...at, 'required'], message: `${JSON.stringify(name)} is required but not declared.` })
  }
}
