/**
 * Local references only: `#`, `#/a/b` (with `~0 ~1 %xx`), `#anchor` and an exact `$id` of the same document.
 * Nothing is ever fetched. A `#…` reference is read against the nearest enclosing `$id`, as the drafts say.
 */

import { isObject, type JsonObject, own } from '../../json/json.ts'
import type { Path } from '../../model/diagnostic.ts'
import { childrenOf, isContainer, isSchema } from '../walk.ts'

export interface Target {
  readonly schema: JsonObject | boolean
  /** From the document's root. */
  readonly path: Path
  /** The schema against which `#…` references inside the target are read. */
  readonly resource: JsonObject
}

interface Ways {
  readonly resource: JsonObject
  readonly children: JsonObject[]
  readonly target: Target | undefined
}

export interface RefIndex {
  resolve(ref: string, resource: JsonObject): Target | undefined
  /** The resource that holds for `schema`: itself when it carries an `$id`, else the enclosing one. */
  enter(schema: JsonObject, enclosing: JsonObject): JsonObject
  /** Where `schema` leads: the subschemas that apply with it, and the target of its reference. */
  ways(schema: JsonObject, enclosing: JsonObject): Ways
  /** Every schema of the document with its resource. */
  readonly schemas: ReadonlyMap<JsonObject, JsonObject>
}

export function createRefIndex(root: unknown): RefIndex {
  const document: JsonObject = isObject(root) ? root : {}
  const ids = new Map<string, { schema: JsonObject; path: Path }>()
  const schemas = new Map<JsonObject, JsonObject>()
  const anchors = new Map<JsonObject, Map<string, { schema: JsonObject; path: Path }>>()
  collect(document, [], document)

  function collect(schema: JsonObject, path: Path, enclosing: JsonObject): void {
    const resource = enter(schema, enclosing)
    schemas.set(schema, resource)
    const id = own(schema, '$id')
    if (typeof id === 'string' && !id.startsWith('#')) setOnce(ids, trimHash(id), { schema, path })
    const inside = anchors.get(resource) ?? new Map<string, { schema: JsonObject; path: Path }>()
    anchors.set(resource, inside)
    const anchor = own(schema, '$anchor')
    if (typeof anchor === 'string') setOnce(inside, anchor, { schema, path })
    // Drafts 6 and 7 wrote an anchor as `$id: "#name"`.
    if (typeof id === 'string' && id.length > 1 && id.startsWith('#'))
      setOnce(inside, id.slice(1), { schema, path })
    for (const child of childrenOf(schema)) {
      if (isObject(child.schema)) collect(child.schema, [...path, ...child.path], resource)
    }
  }

  function enter(schema: JsonObject, enclosing: JsonObject): JsonObject {
    if (schema === document) return document
    const id = own(schema, '$id')
    return typeof id === 'string' && id !== '' && !id.startsWith('#') ? schema : enclosing
  }

  function resolve(ref: string, resource: JsonObject): Target | undefined {
    const hash = ref.indexOf('#')
    const base = hash < 0 ? ref : ref.slice(0, hash)
    const fragment = decodeFragment(hash < 0 ? '' : ref.slice(hash + 1))
    const start = base === '' ? resource : ids.get(base)?.schema
    if (start === undefined) return undefined
    const id = own(start, '$id')
    const startPath = (typeof id === 'string' && start !== document && ids.get(trimHash(id))?.path) || []
    if (fragment === '') return { schema: start, path: startPath, resource: enter(start, start) }
    if (fragment.startsWith('/')) return follow(fragment, start, startPath)
    const found = anchors.get(start)?.get(fragment)
    return found === undefined ? undefined : { ...found, resource: enter(found.schema, start) }
  }

  function ways(schema: JsonObject, enclosing: JsonObject): Ways {
    const resource = enter(schema, enclosing)
    const children = childrenOf(schema)
      .filter(child => !isContainer(child.path[0]))
      .map(child => child.schema)
    const ref = own(schema, '$ref')
    const target = typeof ref === 'string' ? resolve(ref, resource) : undefined
    return { resource, children: children.filter(isObject), target }
  }

  function follow(pointer: string, start: JsonObject, startPath: Path): Target | undefined {
    let here: unknown = start
    let resource = start
    const path: (string | number)[] = [...startPath]
    for (const part of pointer.slice(1).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      if (Array.isArray(here)) {
        if (!/^(0|[1-9]\d{0,8})$/.test(key)) return undefined
        path.push(Number(key))
        here = here[Number(key)]
      } else if (isObject(here)) {
        path.push(key)
        here = own(here, key)
      } else {
        return undefined
      }
      if (isObject(here)) resource = enter(here, resource)
    }
    return isSchema(here) ? { schema: here, path, resource } : undefined
  }

  return { resolve, enter, ways, schemas }
}

/** `['$defs', 'a/b']` as `#/$defs/a~1b`. */
export function toPointer(path: Path): string {
  return `#${path.map(part => `/${encodeFragment(escapePart(part))}`).join('')}`
}

/** One step of a JSON pointer, not URI-encoded. */
export function escapePart(part: string | number): string {
  return String(part).replaceAll('~', '~0').replaceAll('/', '~1')
}

function setOnce<V>(map: Map<string, V>, key: string, value: V): void {
  if (!map.has(key)) map.set(key, value)
}

function trimHash(id: string): string {
  return id.endsWith('#') ? id.slice(0, -1) : id
}

/** Clients often write pointers without URI escapes, so text that is not a legal escape stands for itself. */
function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Lone surrogates cannot be escaped; such a name stays as it is. */
function encodeFragment(text: string): string {
  try {
    return encodeURI(text).replaceAll('#', '%23').replaceAll('?', '%3F')
  } catch {
    return text
  }
}
