/** Mistakes in a JSON Schema that make a provider refuse the request, each with its path. */

import type { JsonObject } from '../json/object.ts'
import { isObject, own } from '../json/object.ts'
import type { Path } from '../model/diagnostic.ts'
import { plainTypes } from '../schema/dialects/normalize.ts'
import { jsonTypes, typeList } from '../schema/equal.ts'
import { compilePattern } from '../schema/pattern/pattern.ts'
import { createRefIndex, type RefIndex } from '../schema/refs/refs.ts'
import { isSchema, maxDepth, maxNodes, measure, walk } from '../schema/walk.ts'
import { type LintContext, quote } from './context.ts'

/** Reports what is wrong at or below `schema`; `false` when it is too large to be looked into at all. */
export function lintSchema(schema: JsonObject, path: Path, context: LintContext): boolean {
  const size = measure(schema)
  if (size.tooDeep || size.tooLarge) {
    const [code, limit] = size.tooDeep
      ? (['schema_too_deep', `${maxDepth} levels`] as const)
      : (['schema_too_large', `${maxNodes} nodes`] as const)
    context.add(code, path, `The schema has more than ${limit}.`, 'Simplify it, or split the tool in two.')
    return false
  }
  const refs = createRefIndex(schema)
  walk(schema, path, (node, at) => {
    lintType(node, at, context)
    lintObject(node, at, context)
    lintArray(node, at, context)
    lintEnum(node, at, context)
    lintUnions(node, at, context)
    lintRef(node, at, refs, path, context)
    lintPattern(node, at, context)
  })
  return true
}

function malformed(path: Path, expected: string, value: unknown, { add }: LintContext): void {
  const message = `${quote(String(path.at(-1)))} must be ${expected}.`
  add('schema_keyword_invalid', path, message, `Write ${expected} here.`, undefined, { path, value })
}

/** Stands in examples for a schema that only the author knows. */
const someSchema = { type: 'string' }

function lintType(node: JsonObject, at: Path, { add, asIs }: LintContext): void {
  if (!Object.hasOwn(node, 'type')) return
  const path = [...at, 'type']
  const types = typeList(node.type)
  const names = [...jsonTypes].join(', ')
  if (types === undefined) {
    add(
      'schema_type_unknown',
      path,
      '"type" must be a name or a list of names.',
      `Use ${names}.`,
      undefined,
      {
        path,
        value: 'string',
      },
    )
    return
  }
  const unknown = types.filter(type => !jsonTypes.has(type))
  if (unknown.length === 0) return
  const plain = plainTypes(types)
  // A conversion writes what they mean.
  if (plain !== undefined && !asIs) return
  const edit = plain?.length === 0 ? { path } : { path, value: Array.isArray(node.type) ? plain : plain?.[0] }
  const isCase = types.every(type => jsonTypes.has(type.toLowerCase()))
  const title = isCase ? 'Write the type in lower case' : 'Write the type as JSON Schema names it'
  const fix = { title, edits: [edit] }
  const message = `JSON Schema has no type ${unknown.map(quote).join(', ')}.`
  const certain = plain === undefined ? undefined : fix
  add('schema_type_unknown', path, message, `Use one of ${names}.`, certain, { path, value: 'string' })
}

function lintObject(node: JsonObject, at: Path, context: LintContext): void {
  const properties = own(node, 'properties')
  if (properties !== undefined && !isObject(properties)) {
    malformed([...at, 'properties'], 'an object of schemas', { city: someSchema }, context)
  }
  for (const [name, member] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isSchema(member)) malformed([...at, 'properties', name], 'a schema', someSchema, context)
  }
  const required = own(node, 'required')
  if (required === undefined) return
  if (!Array.isArray(required) || !required.every(name => typeof name === 'string')) {
    const names = (Array.isArray(required) ? required : [required]).filter(name => typeof name === 'string')
    malformed([...at, 'required'], 'a list of property names', names, context)
    return
  }
  // Beside a union or a reference the property may well be declared there.
  if (!isObject(properties) || elsewhere.some(keyword => Object.hasOwn(node, keyword))) return
  for (const [i, name] of required.entries()) {
    if (Object.hasOwn(properties, name)) continue
    const message = `${quote(name)} is required but not among the properties.`
    context.add(
      'undeclared_required',
      [...at, 'required', i],
      message,
      'Declare it, or require it no longer.',
      undefined,
      { path: [...at, 'properties', name], value: someSchema },
    )
  }
}

const elsewhere = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties']

function lintArray(node: JsonObject, at: Path, context: LintContext): void {
  const items = own(node, 'items')
  if (items !== undefined) {
    if (!isSchema(items)) malformed([...at, 'items'], 'one schema', someSchema, context)
    return
  }
  if (!context.asIs || !context.profile.arrayItems || Object.hasOwn(node, 'prefixItems')) return
  if (!typeList(own(node, 'type'))?.includes('array')) return
  const message = 'The array does not say what its items are.'
  const remedy = 'Add "items", for instance {"type": "string"}.'
  const example = { path: at, value: { ...node, items: someSchema } }
  context.add('array_without_items', at, message, remedy, undefined, example)
}

function lintEnum(node: JsonObject, at: Path, context: LintContext): void {
  const values = own(node, 'enum')
  if (values === undefined) return
  if (!Array.isArray(values)) malformed([...at, 'enum'], 'a list of values', [values], context)
  else if (values.length === 0) {
    const message = 'The list of allowed values is empty, so no value is.'
    const example = { path: at, value: { ...node, enum: ['one value', 'another'] } }
    const remedy = 'List the values, or remove "enum".'
    context.add('empty_enum', [...at, 'enum'], message, remedy, undefined, example)
  }
}

function lintUnions(node: JsonObject, at: Path, context: LintContext): void {
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = own(node, keyword)
    if (branches === undefined) continue
    const sound = Array.isArray(branches) && branches.length > 0 && branches.every(isSchema)
    if (!sound) malformed([...at, keyword], 'a list of schemas that is not empty', [someSchema], context)
  }
}

function lintRef(node: JsonObject, at: Path, refs: RefIndex, root: Path, context: LintContext): void {
  const ref = own(node, '$ref')
  if (ref === undefined) return
  const path = [...at, '$ref']
  if (typeof ref !== 'string') {
    malformed(path, 'a string such as "#/$defs/name"', '#/$defs/name', context)
    return
  }
  if (refs.resolve(ref, refs.schemas.get(node) ?? node) !== undefined) return
  if (ref.startsWith('#')) {
    const message = `Nothing stands at ${quote(ref)}.`
    const remedy = 'Add the definition, or correct the reference.'
    const [, name] = /^#\/\$defs\/([\w.-]+)$/.exec(ref) ?? []
    const example =
      name === undefined ? undefined : { path: [...root, '$defs'], value: { [name]: someSchema } }
    context.add('schema_ref_unresolved', path, message, remedy, undefined, example)
  } else {
    const message = `${quote(ref)} is outside this schema, and providers fetch nothing.`
    context.add(
      'schema_ref_unresolved',
      path,
      message,
      'Copy the definition into "$defs" and refer to it there.',
      undefined,
      {
        path,
        value: `#/$defs/${ref.split(/[^\w-]+/).findLast(part => part !== '' && part !== 'json') ?? 'name'}`,
      },
    )
  }
}

function lintPattern(node: JsonObject, at: Path, context: LintContext): void {
  const pattern = own(node, 'pattern')
  if (pattern === undefined) return
  const path = [...at, 'pattern']
  if (typeof pattern !== 'string') malformed(path, 'a regular expression in a string', '^[a-z]+$', context)
  else if (compilePattern(pattern).kind === 'invalid') {
    const message = `${quote(pattern)} is not a regular expression.`
    context.add('pattern_invalid', path, message, 'Correct the expression, or describe the form in words.')
  }
}
