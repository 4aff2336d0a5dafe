/** Reading the ids of what a server holds. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import type { HeldReference } from '../service.ts'

/** None or one. A value that is not a text counts too: servers differ in what they take for an id. */
export function heldId(
  kind: HeldReference['kind'],
  value: unknown,
  path: HeldReference['path'],
): HeldReference[] {
  if (value === undefined || value === null) return []
  return [{ kind, id: typeof value === 'string' ? value : JSON.stringify(value), path }]
}

/** The objects of a list, each at its place; what is not an object refers to nothing. */
export function listOf(body: JsonObject, field: string): readonly JsonObject[] {
  const list = own(body, field)
  return Array.isArray(list) ? list.map((entry: unknown) => (isObject(entry) ? entry : {})) : []
}
