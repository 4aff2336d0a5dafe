/**
 * Makes a schema shorter for prompts: what no model and no validator needs goes, and every loss is told.
 * Descriptions are the model's only manual, so they are touched on request alone.
 */
import { createReport, type Path, type Report } from '../model/diagnostic.ts'
import { isObject, type JsonObject, omit, own } from '../model/json.ts'
import { type PassOptions, type SchemaPass, sameArgs } from './pass.ts'
import { createRefIndex } from './refs.ts'
import { childrenOf, guard, mapChildren } from './walk.ts'

export interface MinifyOptions extends PassOptions {
  /** `keep` unless said otherwise. */
  readonly descriptions?: 'keep' | 'shorten' | 'remove'
  /** For `shorten`: the most characters a description may have. */
  readonly maxDescription?: number
  /** Titles that only repeat the property's name go in any case. */
  readonly titles?: 'keep' | 'remove'
  readonly examples?: 'keep' | 'remove'
  readonly defaults?: 'keep' | 'remove'
}

const noise = ['$schema', '$comment', '$vocabulary'] as const
const containers = ['$defs', 'definitions'] as const

export function minify(schema: unknown, options: MinifyOptions = {}): SchemaPass {
  const path = options.path ?? []
  const { report, diagnostics } = createReport()
  if (!guard(schema, path, report) || !isObject(schema)) return { schema, undo: sameArgs, diagnostics }
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
  const gone: string[] = []
  const drop = (
    keyword: string,
    code: 'schema_annotation_removed' | 'schema_description_shortened',
  ): void => {
    if (!Object.hasOwn(node, keyword)) return
    gone.push(keyword)
    report(code, [...at, keyword], `\`${keyword}\` was taken away.`)
  }
  for (const keyword of noise) drop(keyword, 'schema_annotation_removed')
  if (titles === 'remove' || repeatsName(own(node, 'title'), at)) drop('title', 'schema_annotation_removed')
  if (examples === 'remove')
    for (const keyword of ['examples', 'example']) drop(keyword, 'schema_annotation_removed')
  if (defaults === 'remove') drop('default', 'schema_annotation_removed')
  if (descriptions === 'remove') drop('description', 'schema_description_shortened')
  const slim = gone.length === 0 ? node : omit(node, gone)
  const text = own(slim, 'description')
  if (descriptions !== 'shorten' || typeof text !== 'string' || text.length <= maxDescription) return slim
  report(
    'schema_description_shortened',
    [...at, 'description'],
    `The description was cut to ${maxDescription} characters.`,
  )
  return { ...slim, description: cutText(text, maxDescription) }
}

/** Generators title a property after its name: `userName` becomes "User Name", which tells nobody anything. */
function repeatsName(title: unknown, at: Path): boolean {
  const name = at.at(-1)
  if (typeof title !== 'string' || typeof name !== 'string' || at.at(-2) !== 'properties') return false
  const plain = (text: string): string => text.replace(/[\s_-]/g, '').toLowerCase()
  return plain(title) === plain(name)
}

/** At a word's end where there is one in the last third, and never inside a surrogate pair. */
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
  for (const container of containers) {
    const definitions = own(out, container)
    if (!isObject(definitions)) continue
    const kept = Object.entries(definitions).filter(([name, member]) => {
      // Boolean schemas have no identity to follow, and cost nothing.
      if (!isObject(member) || used.has(member)) return true
      report('schema_definition_removed', [...at, container, name], 'Nothing refers to this definition.')
      return false
    })
    if (kept.length === 0) out = omit(out, [container])
    else if (kept.length < Object.keys(definitions).length)
      out = { ...out, [container]: Object.fromEntries(kept) }
  }
  return out
}

/** Every definition that can be reached from the root's own keywords, and those that contain a target. */
function usedDefinitions(root: JsonObject): Set<unknown> {
  const refs = createRefIndex(root)
  const used = new Set<unknown>()
  const waiting: { node: JsonObject; resource: JsonObject }[] = [{ node: root, resource: root }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node } = next
    if (used.has(node)) continue
    used.add(node)
    const resource = refs.enter(node, next.resource)
    for (const { path, schema } of childrenOf(node)) {
      const isDefinition = path[0] === '$defs' || path[0] === 'definitions'
      if (isObject(schema) && !isDefinition) waiting.push({ node: schema, resource })
    }
    // A dynamic reference can lead to any anchor of its name, so nothing with an anchor may go.
    if (Object.hasOwn(node, '$dynamicRef') || Object.hasOwn(node, '$recursiveRef')) {
      for (const [schema, owner] of refs.schemas) waiting.push({ node: schema, resource: owner })
    }
    const ref = own(node, '$ref')
    const target = typeof ref === 'string' ? refs.resolve(ref, resource) : undefined
    if (target === undefined) continue
    if (isObject(target.schema)) waiting.push({ node: target.schema, resource: target.resource })
    for (const node of ancestors(root, target.path)) waiting.push({ node, resource: target.resource })
  }
  return used
}

/** A target deep inside a definition needs the whole way down to it, and what that refers to in turn. */
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
