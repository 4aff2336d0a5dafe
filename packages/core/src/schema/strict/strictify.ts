/**
 * Makes a schema fit for strict mode without changing what it means, or says why that cannot be. Optional
 * properties become nullable; `undo` takes those nulls out of the arguments again.
 */

import { isObject, type JsonObject, setOwn } from '../../json/json.ts'
import { createReport } from '../../model/diagnostic.ts'
import { normalizeGuarded } from '../dialects/normalize.ts'
import { type SchemaPass, sameArgs } from '../pass.ts'
import { createRefIndex } from '../refs/refs.ts'
import { containers, guard } from '../walk.ts'
import { isStrict, type StrictOptions, violations } from './check-strict.ts'
import { convert } from './convert.ts'
import { words } from './messages.ts'
import { openaiStrictRules } from './rules.ts'
import { createUndo } from './undo.ts'
import { createWork, definitionsOf, type Work } from './work.ts'

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
    report('strict_root_not_object', path, words.root)
    return untouched
  }
  if (isStrict(schema, rules)) return { ...untouched, strict: true }
  const early = createReport()
  const normal = normalizeGuarded(schema, path, early.report)
  const work = createWork(isObject(normal) ? normal : schema, path, rules)
  const out = assemble(convert(work.root, path, work, true), work)
  if (work.refusals.length === 0) {
    // A last look by the judge: what it would not take is never called strict.
    for (const { at, message, limit } of violations(out, rules)) {
      work.refused(limit ? 'strict_limit_exceeded' : 'strict_unsupported_keyword', [...path, ...at], message)
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

/** Converts the definitions that are referred to and puts them where the root had them. The others go. */
function assemble(root: JsonObject, work: Work): JsonObject {
  const converted = new Map<string, Map<string, JsonObject>>()
  for (let next = work.wanted.pop(); next !== undefined; next = work.wanted.pop()) {
    const inside = converted.get(next.container) ?? new Map<string, JsonObject>()
    converted.set(next.container, inside)
    inside.set(next.name, convert(next.target, next.path, work))
  }
  const out: Record<string, unknown> = { ...root }
  for (const container of containers) {
    const inside = converted.get(container) ?? new Map<string, JsonObject>()
    const given = Object.keys(definitionsOf(work.root, container))
    const order = [...new Set([...given, ...inside.keys()])].filter(name => inside.has(name))
    if (order.length > 0)
      setOwn(out, container, Object.fromEntries(order.map(name => [name, inside.get(name)])))
    else delete out[container]
    for (const name of given) {
      if (inside.has(name)) continue
      const message = `Nothing in the strict schema refers to the definition ${JSON.stringify(name)}; it was removed.`
      work.changed('schema_definition_removed', [...work.path, container, name], message)
    }
  }
  return out
}
