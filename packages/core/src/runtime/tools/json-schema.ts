/** From whatever a definition gives as its schema to plain JSON Schema that nobody can change any more. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, omit, own, setOwn } from '../../json/object.ts'
import { mapChildren } from '../../schema/walk.ts'
import type { StandardSchema } from './standard-schema.ts'
import { isStandardSchema } from './standard-schema.ts'
import { ToolError } from './tool-error.ts'

/** A JSON Schema object: the common keywords by name, and any other. */
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

/** Newest first; a library that lacks the first one may have the second. */
const targets = ['draft-2020-12', 'draft-07'] as const

/** `place` names the field in error messages; `remedy` says what else the caller can do there. */
export interface SchemaPlace {
  readonly place: string
  readonly side: 'input' | 'output'
  readonly remedy: string
}

export function toJsonSchema(source: unknown, at: SchemaPlace): JsonSchema {
  const schema = isStandardSchema(source) ? describe(source, at) : source
  if (isObject(schema)) return snapshot(schema) as JsonSchema
  throw new ToolError(
    'invalid_definition',
    `${at.place} must be a JSON Schema object or a Standard Schema; got ${kindOf(schema)}.`,
  )
}

function describe(schema: StandardSchema, { place, side, remedy }: SchemaPlace): unknown {
  const { vendor, jsonSchema } = schema['~standard']
  const convert = jsonSchema?.[side]
  if (typeof convert !== 'function') {
    throw new ToolError(
      'schema_not_convertible',
      `${place} is a ${vendor} schema that cannot describe itself as JSON Schema. ${hint(vendor)}${remedy}`,
    )
  }
  let firstFailure: unknown
  for (const target of targets) {
    try {
      const described = convert({ target })
      return vendor === 'zod' && isObject(described) ? withoutSafeIntegerBounds(described) : described
    } catch (failure) {
      firstFailure ??= failure
    }
  }
  const reason = firstFailure instanceof Error ? firstFailure.message : String(firstFailure)
  throw new ToolError(
    'schema_not_convertible',
    `${place}: ${vendor} cannot describe this schema as JSON Schema (${reason}). ${remedy}`,
    firstFailure,
  )
}

function hint(vendor: string): string {
  if (vendor === 'valibot') return 'Wrap it with toStandardJsonSchema() of @valibot/to-json-schema. '
  if (vendor === 'zod') return 'Use the schemas of "zod", or z.toJSONSchema() for those of "zod/mini". '
  return ''
}

/**
 * Zod writes the safe-integer range onto every integer, which some providers refuse. Nothing is lost by
 * leaving it out: zod still checks the range when it validates the arguments.
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
 * A frozen copy, in the same key order. It keeps its own list of work instead of recursing, so that a schema
 * of any depth can be taken, and follows each object once, so that shared and cyclic ones end.
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
    if (Array.isArray(from)) for (const item of from) (to as unknown[]).push(copyOf(item))
    else
      for (const [key, value] of Object.entries(from))
        setOwn(to as Record<string, unknown>, key, copyOf(value))
  }
  for (const made of copies.values()) Object.freeze(made)
  return copy
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value
}
