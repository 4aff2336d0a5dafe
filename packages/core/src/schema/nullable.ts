/** Adding `null` to what a schema accepts, and asking whether it is accepted already. */
import { isObject, type JsonObject, own } from '../model/json.ts'
import { typeList } from './equal.ts'

/** With one of these present, `null` can only be added from outside. */
const opaque = ['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'oneOf', 'not', 'if'] as const

/** The same schema, accepting `null` besides. Exact; the caller knows that it does not accept `null` yet. */
export function makeNullable(schema: JsonObject): JsonObject {
  const types = typeList(own(schema, 'type'))
  // Objects and arrays are wrapped: `type: ['object','null']` is the less travelled road at the providers.
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

/** The text that a reader of the property needs first stays on the outside. */
function wrap(schema: JsonObject): JsonObject {
  const isText = ([key]: [string, unknown]): boolean => key === 'title' || key === 'description'
  const entries = Object.entries(schema)
  const inner = Object.fromEntries(entries.filter(entry => !isText(entry)))
  return { ...Object.fromEntries(entries.filter(isText)), anyOf: [inner, { type: 'null' }] }
}

/** Whether `null` is surely accepted. `resolve` gives a reference's target; a cycle proves nothing. */
export function acceptsNull(
  schema: unknown,
  resolve: (ref: string) => unknown,
  known: Map<string, boolean> = new Map(),
): boolean {
  if (!isObject(schema)) return schema === true
  const ref = own(schema, '$ref')
  if (typeof ref === 'string') {
    if (!known.has(ref)) {
      known.set(ref, false)
      known.set(ref, acceptsNull(resolve(ref), resolve, known))
    }
    if (known.get(ref) !== true) return false
  }
  const types = typeList(own(schema, 'type'))
  if (types !== undefined && !types.includes('null')) return false
  const values = own(schema, 'enum')
  if (Array.isArray(values) && !values.includes(null)) return false
  if (Object.hasOwn(schema, 'const') && schema.const !== null) return false
  if (Object.hasOwn(schema, 'not') || Object.hasOwn(schema, 'if')) return false
  const again = (branch: unknown): boolean => acceptsNull(branch, resolve, known)
  const anyOf = own(schema, 'anyOf')
  const oneOf = own(schema, 'oneOf')
  const allOf = own(schema, 'allOf')
  if (Array.isArray(anyOf) && !anyOf.some(again)) return false
  if (Array.isArray(oneOf) && oneOf.filter(again).length !== 1) return false
  return !Array.isArray(allOf) || allOf.every(again)
}
