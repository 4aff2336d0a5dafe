/** Converts the schema of a definition, in whatever form, to a frozen JSON Schema. */
import { isObject, type JsonObject, omit, own, setOwn } from '../../json/object.ts'
import { show } from '../../json/text.ts'
import { mapChildren } from '../../schema/walk.ts'
import { ToolError } from '../errors.ts'
import { isStandardSchema, type StandardSchema } from './standard-schema.ts'

/** A JSON Schema object: the common keywords, and any other. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: JsonSchema | boolean }
  readonly required?: readonly string[]
  readonly items?: JsonSchema | boolean | readonly (JsonSchema | boolean)[]
  readonly enum?: readonly unknown[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly [keyword: string]: unknown
}

/** Newest first; a library may support only the second. */
const targets = ['draft-2020-12', 'draft-07'] as const

/** `label` names the field in error messages; `remedy` is the advice at their end. */
export interface SchemaSource {
  readonly label: string
  readonly side: 'input' | 'output'
  readonly remedy: string
}

export function toJsonSchema(source: unknown, origin: SchemaSource): JsonSchema {
  const schema = isStandardSchema(source) ? convertStandard(source, origin) : source
  if (isObject(schema)) return snapshot(schema) as JsonSchema
  throw new ToolError(
    'invalid_definition',
    `${origin.label} must be a JSON Schema object or a Standard Schema; got ${show(schema)}.`,
  )
}

function convertStandard(schema: StandardSchema, { label, side, remedy }: SchemaSource): unknown {
  const { vendor, jsonSchema } = schema['~standard']
  const convert = jsonSchema?.[side]
  if (typeof convert !== 'function') {
    throw new ToolError(
      'schema_not_convertible',
      `${label} is a ${vendor} schema that cannot describe itself as JSON Schema. ${hint(vendor)}${remedy}`,
    )
  }
  let firstFailure: unknown
  for (const target of targets) {
    try {
      const converted = convert({ target })
      return vendor === 'zod' && isObject(converted) ? withoutSafeIntegerBounds(converted) : converted
    } catch (failure) {
      firstFailure ??= failure
    }
  }
  const reason = firstFailure instanceof Error ? firstFailure.message : String(firstFailure)
  throw new ToolError(
    'schema_not_convertible',
    `${label}: ${vendor} cannot describe this schema as JSON Schema (${reason}). ${remedy}`,
    firstFailure,
  )
}

function hint(vendor: string): string {
  if (vendor === 'valibot') return 'Wrap it with toStandardJsonSchema() of @valibot/to-json-schema. '
  if (vendor === 'zod') return 'Use the schemas of "zod", or z.toJSONSchema() for those of "zod/mini". '
  return ''
}

/**
 * Zod adds the safe-integer range to every integer, which some providers refuse. It can be dropped, because zod still
 * checks the range when it validates the arguments.
 */
function withoutSafeIntegerBounds(schema: JsonObject): JsonObject {
  const inner = mapChildren(schema, child => (isObject(child) ? withoutSafeIntegerBounds(child) : child))
  if (own(inner, 'type') !== 'integer') return inner
  const synthetic: string[] = []
  if (own(inner, 'minimum') === Number.MIN_SAFE_INTEGER) synthetic.push('minimum')
  if (own(inner, 'maximum') === Number.MAX_SAFE_INTEGER) synthetic.push('maximum')
  return synthetic.length === 0 ? inner : omit(inner, synthetic)
}

/**
 * A frozen deep copy with the same key order. It uses a work list instead of recursion, so depth is unlimited, and
 * copies each object once, so cycles end.
 */
function snapshot(root: JsonObject): JsonObject {
  const copies = new Map<object, object>()
  const work: [source: object, copy: object][] = []
  const copyOf = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const known = copies.get(value)
    if (known !== undefined) return known
    const copy: object = Array.isArray(value) ? [] : {}
    copies.set(value, copy)
    work.push([value, copy])
    return copy
  }
  const copy = copyOf(root) as JsonObject
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const [from, to] = next
    // The entries of a list, too, so that its holes stay holes and are found when the schema is to be sent.
    for (const [key, value] of Object.entries(from)) setOwn(to as Record<string, unknown>, key, copyOf(value))
    if (Array.isArray(from)) (to as unknown[]).length = from.length
  }
  for (const made of copies.values()) Object.freeze(made)
  return copy
}
