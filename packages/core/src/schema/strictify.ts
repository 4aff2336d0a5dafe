/**
 * Makes a schema fit for strict mode without changing what it means, or says why that cannot be. Optional
 * properties become nullable; `undo` takes those nulls out of the arguments again.
 */
import { createReport } from '../model/diagnostic.ts'
import { isObject, type JsonObject, setOwn } from '../model/json.ts'
import { type StrictOptions, violations } from './check-strict.ts'
import { normalizeGuarded } from './normalize.ts'
import { type SchemaPass, sameArgs } from './pass.ts'
import { createRefIndex } from './refs.ts'
import { convert } from './strict-convert.ts'
import { limitViolations } from './strict-limits.ts'
import { containers, openaiStrictRules } from './strict-rules.ts'
import { createUndo } from './strict-undo.ts'
import { createWork, definitionsOf, type Work } from './strict-work.ts'
import { guard } from './walk.ts'

export interface StrictPass extends SchemaPass {
  /** Whether `schema` may be sent as strict; when not, it is the schema that was given, untouched. */
  readonly strict: boolean
}

export function strictify(schema: unknown, options: StrictOptions = {}): StrictPass {
  const { path = [], rules = openaiStrictRules } = options
  const { report, diagnostics } = createReport()
  const untouched: StrictPass = { schema, strict: false, undo: sameArgs, diagnostics }
  if (!guard(schema, path, report)) return untouched
  if (!isObject(schema)) {
    report('strict_root_not_object', path, 'The root of a strict schema must be an object.')
    return untouched
  }
  if (violations(schema, rules).length === 0) return { ...untouched, strict: true }
  const early = createReport()
  const normal = normalizeGuarded(schema, path, early.report)
  const work = createWork(isObject(normal) ? normal : schema, path, rules)
  const out = assemble(convert(work.root, path, work, true), work)
  if (work.refusals.length === 0) {
    for (const { at, message } of limitViolations(out, rules)) {
      work.refused('strict_limit_exceeded', [...path, ...at], message)
    }
  }
  if (work.refusals.length === 0) {
    // A last look by the judge: what it would not take is never called strict.
    for (const { at, message } of violations(out, rules)) {
      work.refused('strict_unsupported_keyword', [...path, ...at], message)
    }
  }
  if (work.refusals.length > 0) {
    for (const note of work.refusals) report(note.code, note.path, note.message)
    return untouched
  }
  diagnostics.push(...early.diagnostics)
  for (const note of work.changes) report(note.code, note.path, note.message)
  const refs = createRefIndex(out)
  const undo = [...work.synthetic.values()].some(names => names.size > 0)
    ? createUndo(out, work.synthetic, ref => refs.resolve(ref, out)?.schema)
    : sameArgs
  return { schema: out, strict: true, undo, diagnostics }
}

/** Converts the definitions that are referred to and puts them where the root had them. */
function assemble(root: JsonObject, work: Work): JsonObject {
  const converted = new Map<string, Map<string, JsonObject>>()
  const drain = (): void => {
    for (let next = work.wanted.pop(); next !== undefined; next = work.wanted.pop()) {
      const inside = converted.get(next.container) ?? new Map<string, JsonObject>()
      converted.set(next.container, inside)
      inside.set(next.name, convert(next.target, next.path, work))
    }
  }
  drain()
  keepUnused(converted, work, drain)
  const out: Record<string, unknown> = { ...root }
  for (const container of containers) {
    const inside = converted.get(container) ?? new Map<string, JsonObject>()
    const order = new Set([...Object.keys(definitionsOf(work.root, container)), ...inside.keys()])
    const entries = [...order].filter(name => inside.has(name)).map(name => [name, inside.get(name)])
    if (entries.length > 0) setOwn(out, container, Object.fromEntries(entries))
    else delete out[container]
  }
  return out
}

/** A definition that nothing uses stays when it can be strict; it must not keep the schema from being so. */
function keepUnused(converted: Map<string, Map<string, JsonObject>>, work: Work, drain: () => void): void {
  const unused = containers.flatMap(container =>
    Object.entries(definitionsOf(work.root, container))
      .filter(([name]) => converted.get(container)?.has(name) !== true)
      .map(([name, target]) => ({ container, name, target })),
  )
  if (unused.length === 0 || work.refusals.length > 0) return
  const before = new Map([...converted].map(([container, inside]) => [container, new Map(inside)]))
  const noted = work.changes.length
  for (const { container, name, target } of unused) {
    const inside = converted.get(container) ?? new Map<string, JsonObject>()
    converted.set(container, inside)
    if (!inside.has(name)) inside.set(name, convert(target, [...work.path, container, name], work))
    drain()
  }
  if (work.refusals.length === 0) return
  work.refusals.length = 0
  work.changes.length = noted
  converted.clear()
  for (const [container, inside] of before) converted.set(container, inside)
  for (const { container, name } of unused) {
    const message = 'Nothing refers to this definition and it has no strict form; it was taken away.'
    work.changed('schema_definition_removed', [...work.path, container, name], message)
  }
}
