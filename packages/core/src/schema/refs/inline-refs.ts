/**
 * Replaces local references by the schemas they lead to. A cyclic reference stays, with its definition; a reference
 * out of the document stays as it is. A limit on the number of schemas protects against definitions that double at
 * every step ("billion laughs"): beyond it the schema is returned unchanged.
 */

import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { append, isObject, type JsonObject, omit, own, setOwn } from '../../json/object.ts'
import { createReport, type Path, type Report } from '../../model/diagnostic.ts'
import { type PassOptions, passOptionNames, type SchemaPass, sameArgs } from '../pass.ts'
import { definitionKeywords, isWithinLimits, mapChildren, maxDepth, measure } from '../walk.ts'
import { findCyclicTargets } from './cycles.ts'
import { createRefIndex, type RefIndex, type RefTarget, toPointer } from './refs.ts'

/** How far `inlineRefs` may let a schema grow. */
export interface InlineOptions extends PassOptions {
  /** How many schemas the result may have. */
  readonly maxNodes?: number
}

/** A schema without references, and whether all of them could be replaced. */
export interface InlinePass extends SchemaPass {
  /** Whether no `$ref` is left. */
  readonly complete: boolean
}

const known: KnownOptions<InlineOptions> = { ...passOptionNames, maxNodes: true }

const identityKeywords = ['$id', '$anchor'] as const

/** Replaces the references of a schema by what they refer to, within limits. */
export function inlineRefs(schema: unknown, options: InlineOptions = {}): InlinePass {
  refuseUnknownOptions('inlineRefs', options, known)
  const { origins: _, ...pass } = inlineWithOrigins(schema, options)
  return pass
}

/** Also returns the input path of each schema of the result, for passes that report after this one. */
export function inlineWithOrigins(
  schema: unknown,
  options: InlineOptions = {},
): InlinePass & { readonly origins: ReadonlyMap<object, Path> } {
  const { path = [], maxNodes = 20_000 } = options
  const { report, diagnostics } = createReport()
  const origins = new Map<object, Path>()
  const unchanged = { schema, undo: sameArgs, diagnostics, complete: false, origins }
  if (!isWithinLimits(schema, path, report)) return unchanged
  if (!isObject(schema)) return { ...unchanged, complete: true }
  const inliner = new RefInliner(schema, path, maxNodes, report)
  const out = inliner.inline()
  if (out === undefined || measure(out).tooDeep) {
    const message = `Written out, the references take more than ${maxNodes} schemas or ${maxDepth} levels, so all of them stay.`
    const only = createReport()
    only.report('schema_expansion_limit', path, message)
    return { ...unchanged, diagnostics: only.diagnostics }
  }
  return {
    schema: out,
    undo: sameArgs,
    diagnostics,
    complete: inliner.complete,
    origins: inliner.origins,
  }
}

interface KeptDefinition {
  readonly container: string
  readonly name: string
  readonly path: Path
  readonly resource: JsonObject
}

/** One run over one schema. */
class RefInliner {
  readonly origins: Map<object, Path> = new Map()
  complete = true
  readonly #root: JsonObject
  readonly #path: Path
  readonly #maxNodes: number
  readonly #report: Report
  readonly #refs: RefIndex
  readonly #cyclic: ReadonlySet<JsonObject>
  readonly #kept: Map<JsonObject, KeptDefinition> = new Map()
  readonly #names: Set<string> = new Set()
  readonly #referenced: Set<unknown> = new Set()
  #nodes = 0
  #overflow = false

  constructor(root: JsonObject, path: Path, maxNodes: number, report: Report) {
    this.#root = root
    this.#path = path
    this.#maxNodes = maxNodes
    this.#report = report
    this.#refs = createRefIndex(root)
    this.#cyclic = findCyclicTargets(this.#refs, root)
  }

  /** `undefined` when the result would exceed the limits. */
  inline(): JsonObject | undefined {
    const body = this.#visit(this.#root, this.#path, this.#root, 0)
    const out: Record<string, unknown> = isObject(body) ? { ...body } : { allOf: [body] }
    const definitions: Record<string, Record<string, unknown>> = {}
    // A kept definition can lead to further ones; they are added to the map while this loop runs over it.
    for (const [target, { container, name, path, resource }] of this.#kept) {
      const members = definitions[container] ?? {}
      definitions[container] = members
      setOwn(members, name, this.#visit(target, [...this.#path, ...path], resource, 1))
    }
    for (const [container, members] of Object.entries(definitions)) out[container] = members
    this.#reportUnused()
    this.origins.set(out, this.#path)
    return this.#overflow ? undefined : out
  }

  #reportUnused(): void {
    for (const container of definitionKeywords) {
      const definitions = own(this.#root, container)
      if (!isObject(definitions)) continue
      for (const [name, member] of Object.entries(definitions)) {
        if (this.#referenced.has(member)) continue
        const message = `Nothing refers to the definition ${JSON.stringify(name)}; it was removed.`
        this.#report('schema_definition_removed', [...this.#path, container, name], message)
      }
    }
  }

  #visit(node: unknown, at: Path, enclosing: JsonObject, depth: number): unknown {
    const out = this.#visitNode(node, at, enclosing, depth)
    // The innermost visit is first: the origin of a schema behind a reference is its definition.
    if (isObject(out) && !this.origins.has(out)) this.origins.set(out, at)
    return out
  }

  #visitNode(node: unknown, at: Path, enclosing: JsonObject, depth: number): unknown {
    if (!isObject(node)) return node
    if (++this.#nodes > this.#maxNodes || depth > maxDepth) {
      this.#overflow = true
      return node
    }
    const resource = this.#refs.resourceOf(node, enclosing)
    const ref = own(node, '$ref')
    const body = this.#visitChildren(node, at, resource, depth)
    return typeof ref === 'string' ? this.#visitRef(ref, body, at, resource, depth) : body
  }

  /** The schema without its reference, definitions and identity, with its subschemas inlined. */
  #visitChildren(node: JsonObject, at: Path, resource: JsonObject, depth: number): JsonObject {
    const removed: string[] = [...definitionKeywords]
    if (node !== this.#root) append(removed, identityKeywords)
    if (typeof own(node, '$ref') === 'string') removed.push('$ref')
    return mapChildren(omit(node, removed), (child, step) =>
      this.#overflow ? child : this.#visit(child, [...at, ...step], resource, depth + step.length),
    )
  }

  #visitRef(ref: string, siblings: JsonObject, at: Path, resource: JsonObject, depth: number): unknown {
    const target = this.#refs.resolve(ref, resource)
    const here = [...at, '$ref']
    if (target === undefined) {
      this.complete = false
      const message = `The reference ${JSON.stringify(ref)} is not in this document and stays; put its schema into "$defs".`
      this.#report('schema_ref_unresolved', here, message)
      return { $ref: ref, ...siblings }
    }
    this.#referenced.add(target.schema)
    if (isObject(target.schema) && this.#cyclic.has(target.schema)) {
      this.complete = false
      const message = `The reference ${JSON.stringify(ref)} leads back to itself, so it cannot be written out; it stays.`
      this.#report('schema_ref_cycle', here, message)
      return { $ref: this.#keepDefinition(target), ...siblings }
    }
    const inlined = this.#visit(target.schema, [...this.#path, ...target.path], target.resource, depth + 1)
    return Object.keys(siblings).length === 0 ? inlined : mergeSiblings(inlined, siblings)
  }

  /** Returns the pointer to a cyclic target, which becomes a definition with the last key of its path as name. */
  #keepDefinition(target: RefTarget): string {
    if (target.schema === this.#root || !isObject(target.schema)) return '#'
    const known = this.#kept.get(target.schema)
    if (known !== undefined) return toPointer([known.container, known.name])
    const container = target.path[0] === 'definitions' ? 'definitions' : '$defs'
    const base = String(target.path.at(-1) ?? 'schema')
    let name = base
    for (let count = 2; this.#names.has(name); count++) name = `${base}_${count}`
    this.#names.add(name)
    this.#kept.set(target.schema, { container, name, path: target.path, resource: target.resource })
    return toPointer([container, name])
  }
}

/** Keywords whose meaning depends on others of the same schema; adding keywords beside them could change it. */
const interdependent: ReadonlySet<string> = new Set([
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

/** Siblings of a reference apply too. Without a shared keyword the two become one schema, otherwise an `allOf`. */
function mergeSiblings(inlined: unknown, siblings: JsonObject): unknown {
  if (!isObject(inlined)) return { ...siblings, allOf: [inlined] }
  const texts = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']
  const shared = Object.keys(siblings).filter(key => Object.hasOwn(inlined, key) && !texts.includes(key))
  const entangled =
    Object.keys(siblings).some(key => interdependent.has(key)) ||
    Object.keys(inlined).some(key => key.startsWith('unevaluated'))
  if (shared.length === 0 && !entangled) return { ...inlined, ...siblings }
  return Object.hasOwn(siblings, 'allOf') ? { allOf: [inlined, siblings] } : { ...siblings, allOf: [inlined] }
}
