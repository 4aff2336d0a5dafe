/** Makes a schema accept `null`, and tests whether it already does. */
import { isObject, type JsonObject, own } from '../../json/object.ts'
import { typeList } from '../equal.ts'

/** With one of these keywords, `null` can only be added by wrapping the schema in a union. */
const opaque = ['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'oneOf', 'not', 'if'] as const

/** A schema that accepts the same values and `null`. The given schema must not accept `null` yet. */
export function makeNullable(schema: JsonObject): JsonObject {
  const types = typeList(own(schema, 'type'))
  // Objects and arrays are wrapped, because providers handle `type: ['object', 'null']` less reliably.
  const nested = types?.some(type => type === 'object' || type === 'array') ?? false
  const twice = Object.hasOwn(schema, 'const') && Object.hasOwn(schema, 'enum')
  if (nested || twice || opaque.some(keyword => Object.hasOwn(schema, keyword))) return wrap(schema)
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === 'type' && types !== undefined)
      return [key, types.includes('null') ? value : [...types, 'null']]
    if (key === 'enum' && Array.isArray(value)) return [key, value.includes(null) ? value : [...value, null]]
    if (key === 'const') return value === null ? [key, value] : ['enum', [value, null]]
    if (key === 'anyOf' && Array.isArray(value)) return [key, [...value, { type: 'null' }]]
    return [key, value]
  })
  return Object.fromEntries(entries)
}

/** Title and description stay on the outer schema, where a reader of the property looks first. */
function wrap(schema: JsonObject): JsonObject {
  const isText = ([key]: [string, unknown]): boolean => key === 'title' || key === 'description'
  const entries = Object.entries(schema)
  const inner = Object.fromEntries(entries.filter(entry => !isText(entry)))
  return { ...Object.fromEntries(entries.filter(isText)), anyOf: [inner, { type: 'null' }] }
}

type Resolve = (ref: string) => unknown

const maxNesting = 200

/** Whether `null` is certainly accepted. A reference that leads back to itself proves nothing. */
export function acceptsNull(schema: unknown, resolve: Resolve): boolean {
  return accepts(schema, resolve, new Map(), 0)
}

function accepts(start: unknown, resolve: Resolve, known: Map<unknown, boolean>, depth: number): boolean {
  const schema = endOfChain(start, resolve)
  if (!isObject(schema)) return schema === true
  const before = known.get(schema)
  if (before !== undefined || depth > maxNesting) return before ?? false
  // While this schema is being tested, a reference back to it counts as no proof. Each schema is tested once.
  known.set(schema, false)
  const result =
    acceptsHere(schema) && acceptsInside(schema, one => accepts(one, resolve, known, depth + 1), resolve)
  known.set(schema, result)
  return result
}

/** Follows references without siblings in a loop, since the chain can be longer than the call stack is deep. */
function endOfChain(start: unknown, resolve: Resolve): unknown {
  const seen = new Set<unknown>()
  let schema = start
  while (isObject(schema) && !seen.has(schema)) {
    seen.add(schema)
    const ref = own(schema, '$ref')
    if (typeof ref !== 'string' || Object.keys(schema).length > 1) return schema
    schema = resolve(ref)
  }
  return isObject(schema) ? undefined : schema
}

function acceptsHere(schema: JsonObject): boolean {
  const types = typeList(own(schema, 'type'))
  if (types !== undefined && !types.includes('null')) return false
  const values = own(schema, 'enum')
  if (Array.isArray(values) && !values.includes(null)) return false
  if (Object.hasOwn(schema, 'const') && schema.const !== null) return false
  return !Object.hasOwn(schema, 'not') && !Object.hasOwn(schema, 'if')
}

function acceptsInside(schema: JsonObject, again: (schema: unknown) => boolean, resolve: Resolve): boolean {
  const ref = own(schema, '$ref')
  if (typeof ref === 'string' && !again(resolve(ref))) return false
  const anyOf = own(schema, 'anyOf')
  const oneOf = own(schema, 'oneOf')
  const allOf = own(schema, 'allOf')
  if (Array.isArray(anyOf) && !anyOf.some(again)) return false
  if (Array.isArray(oneOf) && oneOf.filter(again).length !== 1) return false
  return !Array.isArray(allOf) || allOf.every(again)
}
