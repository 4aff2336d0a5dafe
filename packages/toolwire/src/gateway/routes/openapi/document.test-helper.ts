/** The document as tests read it: where its references point, and whether a value fits a schema in it. */
import { createValidator } from '@toolwire/core/schema'
import { registerWires } from '../../wires.ts'
import { allRoutes } from '../all-routes.ts'
import { openApiDocument } from '../openapi.ts'

export type Node = { readonly [key: string]: unknown }

const wires = [...registerWires().values()]

export const routes = allRoutes(wires)

export const createDocument = (version: string): object => openApiDocument(version, routes, wires)

export const document = createDocument('1.2.3') as Node & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Node>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Node>>>>
}

/** Every object of the document, with the way to it. */
export function* nodes(value: unknown = document, path = '#'): Generator<readonly [string, Node]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Node]
  for (const [key, child] of Object.entries(value))
    yield* nodes(child, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

export function resolve(node: unknown): Node | undefined {
  const { $ref } = node as { readonly $ref?: string }
  if ($ref === undefined) return node as Node
  const steps = $ref.split('/').slice(1)
  let at: unknown = document
  for (const step of steps) at = (at as Node | undefined)?.[step]
  return at as Node | undefined
}

/** What does not fit, one line each. */
export function misfits(schema: unknown, value: unknown): string[] {
  const { components } = document
  const result = createValidator({ components, allOf: [schema] }).validate(value)
  return result.ok ? [] : result.issues.map(({ message }) => message)
}

/** Where a value has members that its schema does not name; schemas without members take any. */
export function undescribed(schema: unknown, value: unknown, at = ''): string[] {
  const { properties, items, additionalProperties } = (resolve(schema) ?? {}) as {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly items?: unknown
    readonly additionalProperties?: unknown
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => undescribed(items ?? {}, item, `${at}[${i}]`))
  if (typeof value !== 'object' || value === null) return []
  const isMap = typeof additionalProperties === 'object'
  if (properties === undefined && !isMap) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const inner = properties?.[key] ?? (isMap ? additionalProperties : undefined)
    return inner === undefined ? [`${at}.${key}`] : undescribed(inner, member, `${at}.${key}`)
  })
}

/** The answer that is described for a status of an operation. */
export function describedAnswer(method: string, path: string, status: number): Node | undefined {
  const operation = document.paths[path]?.[method.toLowerCase()] ?? {}
  const responses = (operation.responses ?? {}) as Node
  const found = responses[status] ?? responses[`${Math.floor(status / 100)}XX`]
  return found === undefined ? undefined : resolve(found)
}
