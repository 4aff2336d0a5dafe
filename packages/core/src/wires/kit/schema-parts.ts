/** Short forms of schemas, for the OpenAPI of a wire. */
import type { OpenApiSchema } from '../service.ts'

/** An object with these fields among others: wires grow, and what is not described passes too. */
export function openObject(
  description: string,
  properties: { readonly [field: string]: OpenApiSchema },
  required: readonly string[] = [],
): OpenApiSchema {
  return { type: 'object', description, properties, ...(required.length > 0 && { required }) }
}

/** The schema of a list. */
export const list = (items: OpenApiSchema): OpenApiSchema => ({ type: 'array', items })
/** The schema of a type or null. */
export const orNull = (type: string): OpenApiSchema => ({ type: [type, 'null'] })
/** The schema of any value. */
export const anything: OpenApiSchema = {}
/** The schema of a string. */
export const text: OpenApiSchema = { type: 'string' }
/** The schema of an integer. */
export const integer: OpenApiSchema = { type: 'integer' }
/** The schema of a boolean. */
export const flag: OpenApiSchema = { type: 'boolean' }
/** The schema of metadata. */
export const metadata: OpenApiSchema = { type: ['object', 'null'] }

/** Fields of requests that mean the same on every wire. */
export const model: OpenApiSchema = { type: 'string', minLength: 1, description: 'Chooses the upstream.' }
/** The schema of the flag that asks for a stream. */
export const stream: OpenApiSchema = { ...flag, description: 'Answer with server-sent events.' }
/** The schema of a message. */
export const message: OpenApiSchema = openObject(
  'One message of the history.',
  { role: text, content: anything },
  ['role'],
)
