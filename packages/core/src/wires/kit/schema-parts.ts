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

export const list = (items: OpenApiSchema): OpenApiSchema => ({ type: 'array', items })
export const orNull = (type: string): OpenApiSchema => ({ type: [type, 'null'] })
export const anything: OpenApiSchema = {}
export const text: OpenApiSchema = { type: 'string' }
export const integer: OpenApiSchema = { type: 'integer' }
export const flag: OpenApiSchema = { type: 'boolean' }
export const metadata: OpenApiSchema = { type: ['object', 'null'] }

/** Fields of requests that mean the same on every wire. */
export const model: OpenApiSchema = { type: 'string', minLength: 1, description: 'Chooses the upstream.' }
export const stream: OpenApiSchema = { ...flag, description: 'Answer with server-sent events.' }
export const message: OpenApiSchema = openObject(
  'One message of the history.',
  { role: text, content: anything },
  ['role'],
)
