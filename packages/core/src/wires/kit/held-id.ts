/** Reading the ids of what a server holds. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import type { Path } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { HeldKind, HeldReference } from '../service.ts'

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

/** Members that hold the words of others, such as schemas, and what was cited to the client. */
const unread: ReadonlySet<string> = new Set([
  'annotations',
  'citations',
  'input_schema',
  'metadata',
  'output_schema',
  'parameters',
  'results',
  'schema',
])

/** Texts, or lists of texts, in members of these names, at whatever depth. */
export function namedIds(
  value: unknown,
  names: ReadonlyMap<string, HeldKind>,
  path: Path = [],
  found: HeldReference[] = [],
): HeldReference[] {
  if (Array.isArray(value))
    for (const [at, entry] of value.entries()) namedIds(entry, names, into(path, at), found)
  if (!isObject(value)) return found
  for (const [name, member] of Object.entries(value)) {
    const kind = names.get(name)
    if (kind !== undefined) addIds(kind, member, into(path, name), found)
    if (typeof member === 'object' && !unread.has(name)) namedIds(member, names, into(path, name), found)
  }
  return found
}

function addIds(kind: HeldKind, value: unknown, path: Path, found: HeldReference[]): void {
  if (typeof value === 'string') found.push({ kind, id: value, path })
  else if (Array.isArray(value)) {
    for (const [at, id] of value.entries())
      if (typeof id === 'string') found.push({ kind, id, path: into(path, at) })
  }
}
