/**
 * Writes local references out in place. A reference that leads back to itself stays, with its definition; a
 * reference out of the document stays as it is. A budget keeps definitions that double at every step
 * ("billion laughs") from filling the memory: past it the schema comes back as it was.
 */

import { isObject, type JsonObject, omit, own, setOwn } from '../../json/json.ts'
import { createReport, type Path, type Report } from '../../model/diagnostic.ts'
import { type PassOptions, type SchemaPass, sameArgs } from '../pass.ts'
import { containers, guard, mapChildren, maxDepth, measure } from '../walk.ts'
import { findCyclicTargets } from './graph.ts'
import { createRefIndex, type Target, toPointer } from './refs.ts'

export interface InlineOptions extends PassOptions {
  /** How many schemas the result may have. */
  readonly maxNodes?: number
}

export interface InlinePass extends SchemaPass {
  /** Whether no `$ref` is left. */
  readonly complete: boolean
}

const identity = ['$id', '$anchor'] as const

export function inlineRefs(schema: unknown, options: InlineOptions = {}): InlinePass {
  const { origins: _, ...pass } = inlineWithOrigins(schema, options)
  return pass
}

/** Also tells where each schema of the result stood in the input, for passes that report after this one. */
export function inlineWithOrigins(
  schema: unknown,
  options: InlineOptions = {},
): InlinePass & { readonly origins: ReadonlyMap<object, Path> } {
  const { path = [], maxNodes = 20_000 } = options
  const { report, diagnostics } = createReport()
  const origins = new Map<object, Path>()
  const unchanged = { schema, undo: sameArgs, diagnostics, complete: false, origins }
  if (!guard(schema, path, report)) return unchanged
  if (!isObject(schema)) return { ...unchanged, complete: true }
  const run = createRun(schema, path, maxNodes, report, origins)
  const out = run.inline()
  if (out === undefined || measure(out).tooDeep) {
    const message = `Written out, the references take more than ${maxNodes} schemas or ${maxDepth} levels, so all of them stay.`
    const only = createReport()
    only.report('schema_expansion_limit', path, message)
    return { ...unchanged, diagnostics: only.diagnostics, origins: new Map() }
  }
  return { schema: out, undo: sameArgs, diagnostics, complete: run.complete(), origins }
}

function createRun(
  root: JsonObject,
  path: Path,
  maxNodes: number,
  report: Report,
  origins: Map<object, Path>,
): { inline: () => JsonObject | undefined; complete: () => boolean } {
  const refs = createRefIndex(root)
  const cyclic = findCyclicTargets(refs, root)
  const kept = new Map<JsonObject, { container: string; name: string; path: Path; resource: JsonObject }>()
  const names = new Set<string>()
  const reached = new Set<unknown>()
  let nodes = 0
  let complete = true
  let overflow = false

  /** Cyclic targets keep a definition of their own; where they stood decides its name. */
  const keep = (target: Target): string => {
    if (target.schema === root || !isObject(target.schema)) return '#'
    const known = kept.get(target.schema)
    if (known !== undefined) return toPointer([known.container, known.name])
    const container = target.path[0] === 'definitions' ? 'definitions' : '$defs'
    const base = String(target.path.at(-1) ?? 'schema')
    let name = base
    for (let count = 2; names.has(name); count++) name = `${base}_${count}`
    names.add(name)
    kept.set(target.schema, { container, name, path: target.path, resource: target.resource })
    return toPointer([container, name])
  }

  const visit = (node: unknown, at: Path, enclosing: JsonObject, depth: number): unknown => {
    const out = visitNode(node, at, enclosing, depth)
    // The innermost visit knows best: a schema behind a reference stands where it was defined.
    if (isObject(out) && !origins.has(out)) origins.set(out, at)
    return out
  }

  const visitNode = (node: unknown, at: Path, enclosing: JsonObject, depth: number): unknown => {
    if (!isObject(node)) return node
    if (++nodes > maxNodes || depth > maxDepth) {
      overflow = true
      return node
    }
    const resource = refs.enter(node, enclosing)
    const ref = own(node, '$ref')
    if (typeof ref === 'string') return visitRef(node, ref, at, resource, depth)
    const plain = node === root ? node : omit(node, identity)
    return mapChildren(omit(plain, containers), (child, step) =>
      overflow ? child : visit(child, [...at, ...step], resource, depth + step.length),
    )
  }

  const visitRef = (
    node: JsonObject,
    ref: string,
    at: Path,
    resource: JsonObject,
    depth: number,
  ): unknown => {
    const target = refs.resolve(ref, resource)
    if (target !== undefined) reached.add(target.schema)
    const here = [...at, '$ref']
    const siblings = visitSiblings(node, at, resource, depth)
    if (target === undefined) {
      complete = false
      report(
        'schema_ref_unresolved',
        here,
        `The reference ${JSON.stringify(ref)} is not in this document and stays; put its schema into "$defs".`,
      )
      return { $ref: ref, ...siblings }
    }
    if (isObject(target.schema) && cyclic.has(target.schema)) {
      complete = false
      const message = `The reference ${JSON.stringify(ref)} leads back to itself, so it cannot be written out; it stays.`
      report('schema_ref_cycle', here, message)
      return { $ref: keep(target), ...siblings }
    }
    const inlined = visit(target.schema, [...path, ...target.path], target.resource, depth + 1)
    if (Object.keys(siblings).length === 0) return inlined
    return beside(inlined, siblings)
  }

  const visitSiblings = (node: JsonObject, at: Path, resource: JsonObject, depth: number): JsonObject =>
    mapChildren(omit(node, ['$ref', ...containers, ...(node === root ? [] : identity)]), (child, step) =>
      overflow ? child : visit(child, [...at, ...step], resource, depth + step.length),
    )

  const inline = (): JsonObject | undefined => {
    const body = visit(root, path, root, 0)
    const out: Record<string, unknown> = isObject(body) ? { ...body } : { allOf: [body] }
    const definitions: Record<string, Record<string, unknown>> = {}
    // Definitions that stay may lead to further ones, which join the end of this very loop.
    for (const [target, place] of kept) {
      const inside = definitions[place.container] ?? {}
      definitions[place.container] = inside
      setOwn(inside, place.name, visit(target, [...path, ...place.path], place.resource, 1))
    }
    for (const [container, inside] of Object.entries(definitions)) out[container] = inside
    for (const container of containers) {
      const given = own(root, container)
      if (!isObject(given)) continue
      for (const [name, member] of Object.entries(given)) {
        if (reached.has(member)) continue
        const message = `Nothing refers to the definition ${JSON.stringify(name)}; it was removed.`
        report('schema_definition_removed', [...path, container, name], message)
      }
    }
    origins.set(out, path)
    return overflow ? undefined : out
  }
  return { inline, complete: () => complete }
}

/** Keywords whose meaning depends on others of the same schema, so that they must not get new neighbours. */
const tangled: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
  'if',
  'then',
  'else',
])

/** What stood beside the reference must hold too; without a shared keyword the two are simply one schema. */
function beside(inlined: unknown, siblings: JsonObject): unknown {
  if (!isObject(inlined)) return { ...siblings, allOf: [inlined] }
  const texts = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']
  const shared = Object.keys(siblings).filter(key => Object.hasOwn(inlined, key) && !texts.includes(key))
  const entangled =
    Object.keys(siblings).some(key => tangled.has(key)) ||
    Object.keys(inlined).some(key => key.startsWith('unevaluated'))
  if (shared.length === 0 && !entangled) return { ...inlined, ...siblings }
  return Object.hasOwn(siblings, 'allOf') ? { allOf: [inlined, siblings] } : { ...siblings, allOf: [inlined] }
}
