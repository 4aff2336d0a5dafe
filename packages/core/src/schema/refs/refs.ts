/**
 * Resolves local references only: `#`, `#/a/b` (with `~0 ~1 %xx`), `#anchor` and an exact `$id` of the same document.
 * Nothing is ever fetched. As the drafts require, a `#…` reference is resolved against the nearest enclosing `$id`,
 * whose schema is called the *resource* here.
 */

import { isObject, type JsonObject, own } from '../../json/object.ts'
import type { Path } from '../../model/diagnostic.ts'
import { childrenOf, isDefinitionKeyword, isSchema } from '../walk.ts'

export interface RefTarget {
  readonly schema: JsonObject | boolean
  /** From the document's root. */
  readonly path: Path
  /** The schema against which `#…` references inside the target are resolved. */
  readonly resource: JsonObject
}

interface RefEdges {
  readonly resource: JsonObject
  readonly children: JsonObject[]
  readonly target: RefTarget | undefined
}

export interface RefIndex {
  resolve(ref: string, resource: JsonObject): RefTarget | undefined
  /** The schema's resource: the schema itself if it has an `$id`, otherwise the enclosing one. */
  resourceOf(schema: JsonObject, enclosing: JsonObject): JsonObject
  /** The subschemas that are not definitions, and the target of the schema's reference. */
  edgesOf(schema: JsonObject, enclosing: JsonObject): RefEdges
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
    const resource = resourceOf(schema, enclosing)
    schemas.set(schema, resource)
    const id = own(schema, '$id')
    if (typeof id === 'string' && !id.startsWith('#')) setOnce(ids, trimHash(id), { schema, path })
    const named = anchors.get(resource) ?? new Map<string, { schema: JsonObject; path: Path }>()
    anchors.set(resource, named)
    const anchor = own(schema, '$anchor')
    if (typeof anchor === 'string') setOnce(named, anchor, { schema, path })
    // Drafts 6 and 7 wrote an anchor as `$id: "#name"`.
    if (typeof id === 'string' && id.length > 1 && id.startsWith('#'))
      setOnce(named, id.slice(1), { schema, path })
    for (const child of childrenOf(schema)) {
      if (isObject(child.schema)) collect(child.schema, [...path, ...child.path], resource)
    }
  }

  function resourceOf(schema: JsonObject, enclosing: JsonObject): JsonObject {
    if (schema === document) return document
    const id = own(schema, '$id')
    return typeof id === 'string' && id !== '' && !id.startsWith('#') ? schema : enclosing
  }

  function resolve(ref: string, resource: JsonObject): RefTarget | undefined {
    const hash = ref.indexOf('#')
    const base = hash < 0 ? ref : ref.slice(0, hash)
    const fragment = decodeFragment(hash < 0 ? '' : ref.slice(hash + 1))
    const start = base === '' ? resource : ids.get(base)?.schema
    if (start === undefined) return undefined
    const id = own(start, '$id')
    const startPath = (typeof id === 'string' && start !== document && ids.get(trimHash(id))?.path) || []
    if (fragment === '') return { schema: start, path: startPath, resource: resourceOf(start, start) }
    if (fragment.startsWith('/')) return followPointer(fragment, start, startPath)
    const found = anchors.get(start)?.get(fragment)
    return found === undefined ? undefined : { ...found, resource: resourceOf(found.schema, start) }
  }

  function edgesOf(schema: JsonObject, enclosing: JsonObject): RefEdges {
    const resource = resourceOf(schema, enclosing)
    const children = childrenOf(schema)
      .filter(child => !isDefinitionKeyword(child.path[0]))
      .map(child => child.schema)
    const ref = own(schema, '$ref')
    const target = typeof ref === 'string' ? resolve(ref, resource) : undefined
    return { resource, children: children.filter(isObject), target }
  }

  function followPointer(pointer: string, start: JsonObject, startPath: Path): RefTarget | undefined {
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
      if (isObject(here)) resource = resourceOf(here, resource)
    }
    return isSchema(here) ? { schema: here, path, resource } : undefined
  }

  return { resolve, resourceOf, edgesOf, schemas }
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

/** Clients often write pointers without URI escapes; a fragment that does not decode is used as it is. */
function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** `encodeURI` throws on lone surrogates; such a name is used as it is. */
function encodeFragment(text: string): string {
  try {
    return encodeURI(text).replaceAll('#', '%23').replaceAll('?', '%3F')
  } catch {
    return text
  }
}
