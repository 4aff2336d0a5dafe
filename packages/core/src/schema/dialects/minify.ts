/**
 * Shortens a schema for prompts: removes what neither models nor validators need, and reports every removal.
 * Descriptions are all that a model knows about a tool, so they are changed only on request.
 */

import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { isObject, type JsonObject, omit, own } from '../../json/object.ts'
import { createReport, type Path, type Report } from '../../model/diagnostic.ts'
import { type PassOptions, passOptionNames, type SchemaPass, sameArgs } from '../pass.ts'
import { createRefIndex } from '../refs/refs.ts'
import { definitionKeywords, isWithinLimits, mapChildren } from '../walk.ts'

/** What `minify` may leave out. */
export interface MinifyOptions extends PassOptions {
  /** `keep` by default. */
  readonly descriptions?: 'keep' | 'shorten' | 'remove'
  /** For `shorten`: the maximum length of a description. */
  readonly maxDescription?: number
  /** Titles that only repeat the property's name are always removed. */
  readonly titles?: 'keep' | 'remove'
  readonly examples?: 'keep' | 'remove'
  readonly defaults?: 'keep' | 'remove'
}

const noise = ['$schema', '$comment', '$vocabulary'] as const

const known: KnownOptions<MinifyOptions> = {
  ...passOptionNames,
  descriptions: true,
  maxDescription: true,
  titles: true,
  examples: true,
  defaults: true,
}

/** Shortens a schema for prompts, and reports what it leaves out; descriptions only if asked to. */
export function minify(schema: unknown, options: MinifyOptions = {}): SchemaPass {
  refuseUnknownOptions('minify', options, known)
  const path = options.path ?? []
  const { report, diagnostics } = createReport()
  if (!isWithinLimits(schema, path, report) || !isObject(schema))
    return { schema, undo: sameArgs, diagnostics }
  const used = usedDefinitions(schema)
  const visit = (node: unknown, at: Path): unknown => {
    if (!isObject(node)) return node
    const slim = withoutUnused(shorten(node, at, options, report), at, used, report)
    return mapChildren(slim, (child, step) => visit(child, [...at, ...step]))
  }
  return { schema: visit(schema, path), undo: sameArgs, diagnostics }
}

function shorten(node: JsonObject, at: Path, options: MinifyOptions, report: Report): JsonObject {
  const {
    descriptions = 'keep',
    maxDescription = 200,
    titles = 'keep',
    examples = 'keep',
    defaults = 'keep',
  } = options
  const removed: string[] = []
  const drop = (keyword: string, why: string): void => {
    if (!Object.hasOwn(node, keyword)) return
    removed.push(keyword)
    const isText = keyword === 'description'
    const code = isText ? 'schema_description_shortened' : 'schema_annotation_removed'
    report(code, [...at, keyword], `"${keyword}" was removed${why}.`)
  }
  for (const keyword of noise) drop(keyword, ': neither models nor validators read it')
  if (titles === 'remove') drop('title', ', as asked')
  else if (repeatsName(own(node, 'title'), at)) {
    drop('title', `: it only repeats the name ${JSON.stringify(at.at(-1))}`)
  }
  if (examples === 'remove') for (const keyword of ['examples', 'example']) drop(keyword, ', as asked')
  if (defaults === 'remove') drop('default', ', as asked')
  if (descriptions === 'remove') drop('description', ', as asked')
  const slim = removed.length === 0 ? node : omit(node, removed)
  const text = own(slim, 'description')
  if (descriptions !== 'shorten' || typeof text !== 'string' || text.length <= maxDescription) return slim
  const cut = cutText(text, maxDescription)
  report(
    'schema_description_shortened',
    [...at, 'description'],
    `"description" was cut from ${text.length} characters to ${cut.length}, as asked.`,
  )
  return { ...slim, description: cut }
}

/** Generators derive titles from names: a title "User Name" of `userName` adds no information. */
function repeatsName(title: unknown, at: Path): boolean {
  const name = at.at(-1)
  if (typeof title !== 'string' || typeof name !== 'string' || at.at(-2) !== 'properties') return false
  const plain = (text: string): string => text.replace(/[\s_-]/g, '').toLowerCase()
  return plain(title) === plain(name)
}

/** Cuts at the end of a word if there is one in the last third, and never inside a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const room = Math.max(1, max - 1)
  const head = text.slice(0, room)
  const space = /\s/.test(text.charAt(room)) ? room : Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'))
  const cut = space > (room * 2) / 3 ? head.slice(0, space) : head
  return `${cut.replace(/[\ud800-\udbff]$/, '').trimEnd()}…`
}

function withoutUnused(node: JsonObject, at: Path, used: ReadonlySet<unknown>, report: Report): JsonObject {
  let out = node
  for (const container of definitionKeywords) {
    const definitions = own(out, container)
    if (!isObject(definitions)) continue
    const remaining = Object.entries(definitions).filter(([name, member]) => {
      // Boolean schemas cannot be tracked by identity, and are short.
      if (!isObject(member) || used.has(member)) return true
      const message = `Nothing refers to the definition ${JSON.stringify(name)}; it was removed.`
      report('schema_definition_removed', [...at, container, name], message)
      return false
    })
    if (remaining.length === 0) out = omit(out, [container])
    else if (remaining.length < Object.keys(definitions).length)
      out = { ...out, [container]: Object.fromEntries(remaining) }
  }
  return out
}

/** All schemas reachable from the root without its definitions, and all that contain a target of a reference. */
function usedDefinitions(root: JsonObject): Set<unknown> {
  const refs = createRefIndex(root)
  const used = new Set<unknown>()
  const pending: { node: JsonObject; resource: JsonObject }[] = [{ node: root, resource: root }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next
    if (used.has(node)) continue
    used.add(node)
    const { resource, children, target } = refs.edgesOf(node, next.resource)
    for (const child of children) pending.push({ node: child, resource })
    // A dynamic reference can lead to any anchor of its name, so every schema counts as used.
    if (Object.hasOwn(node, '$dynamicRef') || Object.hasOwn(node, '$recursiveRef')) {
      for (const [schema, owner] of refs.schemas) pending.push({ node: schema, resource: owner })
    }
    if (target === undefined) continue
    if (isObject(target.schema)) pending.push({ node: target.schema, resource: target.resource })
    for (const node of ancestors(root, target.path)) pending.push({ node, resource: target.resource })
  }
  return used
}

/** The schemas that contain the target: they must stay, and so must everything that they refer to. */
function ancestors(root: JsonObject, path: Path): JsonObject[] {
  let here: unknown = root
  return path
    .map(part => {
      if (Array.isArray(here)) here = here[Number(part)]
      else here = isObject(here) ? own(here, String(part)) : undefined
      return here
    })
    .filter(isObject)
}
